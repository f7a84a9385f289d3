"""``catalogue``: everything that is registered, as a table, as JSON or as Markdown."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import qviz
from qviz.cli.text import plain, table
from qviz.report.catalogue import Item, catalogue
from qviz.report.markdown import COMMAND, markdown

STALE = 1
DOCUMENT = Path(qviz.__file__).parent.parent / "docs" / "catalogue.md"
HEADS = ("kind", "name", "title", "precision", "source")


def add(commands: Any) -> None:
    """Add the command."""
    words = "List every observer, mode and metric with source, version, precision and knobs."
    made = commands.add_parser("catalogue", help=words, description=words)
    form = made.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print all that is known, as JSON")
    form.add_argument("--markdown", action="store_true", help="print the text of the docs")
    form.add_argument("--check", action="store_true", help="1 if docs/catalogue.md is out of date")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the catalogue, or compare it with the document."""
    items = catalogue()
    if options.check:
        return _check(items)
    if options.json:
        print(json.dumps([asdict(item) for item in items], indent=1, ensure_ascii=False))
    elif options.markdown:
        print(markdown(items), end="")
    else:
        print(table(HEADS, [_row(item) for item in items], left=len(HEADS)))
    return 0


def _row(item: Item) -> tuple[str, ...]:
    return item.kind, item.name, plain(item.title), item.precision, plain(str(item.source))


def _check(items: Sequence[Item]) -> int:
    there = DOCUMENT.is_file() and DOCUMENT.read_text(encoding="utf-8") == markdown(items)
    print("docs/catalogue.md is " + ("up to date." if there else f"out of date: {COMMAND}"))
    return 0 if there else STALE
