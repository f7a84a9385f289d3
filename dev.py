"""The one way to do anything with qviz: ``python3 dev.py COMMAND``.

Needs Python 3.11 or newer, its pip, and nothing else: the packages go into ``.venv``.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = str(BIN / "python")
RUN = "requirements.txt"
DEV = "requirements-dev.txt"


class Failed(Exception):
    """One sentence for the person at the terminal, and the exit status."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


def call(what: str, *words: str) -> None:
    """Run a program in the project's folder; Failed if it does not end well."""
    try:
        status = subprocess.run(words, cwd=ROOT, check=False).returncode
    except OSError as error:
        raise Failed(f"{what} could not be started: {error}.") from error
    if status:
        raise Failed(f"{what} ended with status {status}.", max(status, 1))


def has(module: str) -> bool:
    """Whether this Python has ``module``; an empty folder of that name does not count."""
    found = importlib.util.find_spec(module)
    return found is not None and found.origin is not None


def make_venv() -> None:
    """Make ``.venv``, without a pip of its own where Debian leaves ensurepip out."""
    if not has("ensurepip") and not has("pip"):
        raise Failed("This Python has no pip; install it (Debian: python3-pip) and try again.")
    bare = () if has("ensurepip") else ("--without-pip",)
    call("Making .venv", sys.executable, "-m", "venv", "--clear", *bare, str(VENV))


def pip() -> tuple[str, ...]:
    """Command of a pip that installs into ``.venv``: its own one, else that of this Python."""
    own = any(BIN.glob("pip3*"))
    return (PYTHON, "-m", "pip") if own else (sys.executable, "-m", "pip", "--python", PYTHON)


def install(*lists: str) -> None:
    """Install the listed packages into ``.venv``, unless these very lists are in it already."""
    digests = {VENV / f".{name}.sha256": digest(ROOT / name) for name in lists}
    if not Path(PYTHON).exists():
        make_venv()
    if all(stamp.exists() and stamp.read_text() == now for stamp, now in digests.items()):
        return
    wanted = [word for name in lists for word in ("-r", name)]
    call("pip", *pip(), "install", "--disable-pip-version-check", *wanted)
    for stamp, now in digests.items():
        stamp.write_text(now)


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def setup(options: argparse.Namespace, rest: list[str]) -> None:
    """Make .venv and install what running, testing and checking need."""
    install(RUN, DEV)
    print("Ready. Start the app: python3 dev.py run. Check your work: python3 dev.py check.")


def run(options: argparse.Namespace, rest: list[str]) -> None:
    """Start the app; further arguments go to Streamlit."""
    install(RUN)
    print(f"qviz: http://127.0.0.1:{options.port} (Ctrl+C ends it)", flush=True)
    words = [PYTHON, "-m", "streamlit", "run", "app.py", "--server.address", "127.0.0.1"]
    words += ["--server.port", str(options.port), *rest]
    if os.name == "nt":
        call("The app", *words)
    os.chdir(ROOT)
    os.execv(PYTHON, words)  # in this process's place: a signal sent to it reaches the server


def test(options: argparse.Namespace, rest: list[str]) -> None:
    """Run the tests; --fast leaves out the slow and the browser ones, the rest goes to pytest."""
    install(RUN, DEV)
    fast = ["-m", "not slow and not browser", "--ignore=tests/browser"] if options.fast else []
    program = "pytest" if fast or rest else "tests.side_by_side"
    call("pytest", PYTHON, "-m", program, *fast, *rest)


def lint(options: argparse.Namespace, rest: list[str]) -> None:
    """Check style, form, imports between the parts, and types."""
    install(RUN, DEV)
    unhappy = []
    for tool in ("ruff check", "ruff format --check", "lint-imports --no-logo", "pyright"):
        print(f"-- {tool}", flush=True)
        program, *words = tool.split()
        try:
            call(tool, str(BIN / program), *words)
        except Failed:
            unhappy.append(tool)
    if unhappy:
        raise Failed(f"Something to mend, see above: {', '.join(unhappy)}.")
    print("Style, form, imports and types are in order.")


def fmt(options: argparse.Namespace, rest: list[str]) -> None:
    """Mend what ruff can mend."""
    install(RUN, DEV)
    call("ruff check", str(BIN / "ruff"), "check", "--fix", "--exit-zero")
    call("ruff format", str(BIN / "ruff"), "format")
    print("Formatted. See what changed: git diff.")


def check(options: argparse.Namespace, rest: list[str]) -> None:
    """Run lint, then all tests."""
    lint(options, [])
    test(options, rest)


def bench(options: argparse.Namespace, rest: list[str]) -> None:
    """Measure speed and memory; arguments go to ``python -m qviz bench``."""
    install(RUN, DEV)
    call("The benchmark", PYTHON, "-m", "qviz", "bench", *rest)


def golden(options: argparse.Namespace, rest: list[str]) -> None:
    """Replay recorded vectors; a folder and options go to ``python -m qviz golden``."""
    install(RUN, DEV)
    call("The replay", PYTHON, "-m", "qviz", "golden", *(rest or ["tests/golden"]))


def screenshots(options: argparse.Namespace, rest: list[str]) -> None:
    """Photograph every page in both themes and two widths with the system's Chromium."""
    install(RUN, DEV)
    folder = str(Path(options.folder).resolve())
    call("Taking the pictures", PYTHON, "-m", "tests.browser.screenshots", folder)
    print(f"The pictures are in {folder}.")


COMMANDS = (setup, run, test, lint, fmt, check, golden, bench, screenshots)
PASS_ON = (run, test, check, golden, bench)  # their further arguments go to another program


def parser() -> argparse.ArgumentParser:
    """Command line of all commands."""
    made = argparse.ArgumentParser(prog="dev.py", description="Run and develop qviz.")
    made.set_defaults(command=None, fast=False)
    subs = made.add_subparsers(metavar="COMMAND")
    of = {}
    for command in COMMANDS:
        text = (command.__doc__ or "").replace("``", "")
        words = {"help": text, "description": text, "allow_abbrev": False}
        of[command] = subs.add_parser(command.__name__, **words)
        of[command].set_defaults(command=command)
    of[run].add_argument("--port", type=int, default=8501, help="default: %(default)s")
    of[test].add_argument("--fast", action="store_true", help="only the quick tests")
    of[screenshots].add_argument("folder", nargs="?", default="screenshots", help="to write into")
    return made


def main() -> int:
    """Run the command named on the command line; its exit status."""
    if sys.version_info < (3, 11):
        sys.exit("qviz needs Python 3.11 or newer.")
    made = parser()
    options, rest = made.parse_known_args()
    if options.command is None:
        made.print_help()
        return 2
    if rest and options.command not in PASS_ON:
        made.error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        options.command(options, rest)
    except Failed as failed:
        print(f"dev.py: {failed}", file=sys.stderr)
        return failed.status
    except KeyboardInterrupt:
        print("dev.py: stopped.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
