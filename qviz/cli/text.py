"""Text for terminals: tables, numbers, and names that came with the data."""

from __future__ import annotations

import math
from collections.abc import Sequence

from qviz.figures.theme import LONGEST, shorten

NOTHING = "-"
APPROXIMATE = "≈"


def plain(text: str) -> str:
    """One line without anything that a terminal would obey; others' names are not trusted."""
    return "".join(c if c.isprintable() else _escaped(c) for c in " ".join(text.split()))


def label(name: str, most: int = LONGEST) -> str:
    """A name that came with the data, in at most ``most`` characters, its middle left out."""
    return shorten(plain(name), most) or "(no name)"


def number(value: float | None, approximate: bool = False) -> str:
    """Four significant digits in plain ASCII, so that they can be typed in again."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return (APPROXIMATE if approximate else "") + f"{value:.4g}"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Aligned columns: the first ``left`` to the left, the others to the right."""
    lines = [headings, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
