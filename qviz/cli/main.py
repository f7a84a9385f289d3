"""Parser of all commands, and the one place where an error becomes a line."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import qviz.cli
from qviz.cli.text import plain
from qviz.cli.versions import versions
from qviz.errors import QvizError

MISTAKE, STOPPED = 2, 130


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are QvizErrors; options are written in full."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments; ``main`` says so in one line."""
        sentence = f"{message[:1].upper()}{message[1:]}".rstrip(".")
        raise QvizError(f"{sentence}.", "", f"See {self.prog} --help.")


def parser() -> Parser:
    """All commands; each is a module of this package with a function ``add(commands)``."""
    made = Parser(prog="qviz", description="See what quantization does to a tensor.")
    made.add_argument("--version", action="store_true", help="versions of all that matters")
    commands = made.add_subparsers(metavar="COMMAND", dest="command")
    for found in pkgutil.iter_modules(qviz.cli.__path__):
        module = importlib.import_module(f"qviz.cli.{found.name}")
        if hasattr(module, "add"):
            module.add(commands)
    return made


def main(words: Sequence[str]) -> int:
    """Run one command; 0, the command's own status, or 2 after one line on stderr."""
    _forgive(sys.stdout)
    _forgive(sys.stderr)
    try:
        status = _run(words)
        sys.stdout.flush()
    except QvizError as error:
        print(f"qviz: {plain(error.coded)}", file=sys.stderr)
        return MISTAKE
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("qviz: stopped.", file=sys.stderr)
        return STOPPED
    return status


def _run(words: Sequence[str]) -> int:
    made = parser()
    try:
        options = made.parse_args(words)
    except SystemExit as ended:  # after --help
        return int(ended.code or 0)
    if options.version:
        print(versions())
        return 0
    if options.command is None:
        made.error("no command was given: compare, samples and others are there")
    return int(options.run(options) or 0)


def _forgive(stream: Any) -> None:
    """Write a substitute where the terminal cannot show a character."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
