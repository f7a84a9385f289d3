"""The whole test run as two at once: both cores are busy. ``python -m tests.side_by_side``."""

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parents[1]
APP = ("tests/app", "tests/browser")  # the half that opens pages
PARTS = ([f"--ignore={folder}" for folder in APP], list(APP))


def side_by_side(commands):
    """Run commands at once; the first one's output comes as it is made, the others' after it.

    Gives the worst exit status.
    """
    first, *others = commands
    with tempfile.TemporaryDirectory() as folder:
        logs = [Path(folder) / f"{i}.txt" for i in range(len(others))]
        with ExitStack() as stack:
            outs = [stack.enter_context(log.open("wb")) for log in logs]
            running = [
                subprocess.Popen(words, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
                for words, out in zip(others, outs, strict=True)
            ]
            ended = [subprocess.call(first, cwd=ROOT), *(process.wait() for process in running)]
        for log in logs:
            sys.stdout.write(log.read_text(encoding="utf-8", errors="replace"))
        sys.stdout.flush()
    return max(map(abs, ended))


if __name__ == "__main__":
    sys.exit(side_by_side([[sys.executable, "-m", "pytest", *part] for part in PARTS]))
