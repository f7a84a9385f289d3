"""The whole test run as three at once: two cores are busy while a browser waits.

``python -m tests.side_by_side``
"""

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("tests/app", "tests/browser")  # what opens pages, without a browser and with one
PARTS = ([f"--ignore={folder}" for folder in PAGES], *([folder] for folder in PAGES))


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
