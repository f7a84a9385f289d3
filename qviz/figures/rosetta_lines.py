"""Places of the Rosetta picture: rows and bands, what the axes span, words for zero points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qviz.figures.numbers import number
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import Comparison, Row
from qviz.rosetta.divergence import from_lowest

ROW, GAP = 25, 8  # pixels of a row, and between two bands
MOST_ROWS = 16  # from here on a grey band is one row
MOST_FIRST = 8  # rows of the reference's band that are named one by one
MORE = "and "  # starts the name of a row that stands for those left over
WIDER = 2.0  # requested widths on either side that a bracket is drawn to


@dataclass(frozen=True)
class Line:
    """One row of the picture: a rule, all rules of a grey band, or (``more``) those left over."""

    row: Row
    name: str
    rules: tuple[str, ...]
    y: float
    first: bool
    more: bool = False


def placed(comparison: Comparison) -> tuple[list[Line], list[tuple[float, float, int]], int]:
    """Lines with their places, bands (top, bottom, group) in pixels, and the height of all."""
    folded = len(comparison.rows) > MOST_ROWS
    lines, bands, y = [], [], 0.0
    for group, rows in enumerate(comparison.groups):
        top, shown = y, _shown(rows, group == 0, folded)
        for row, name in shown:
            titles = tuple(r.answer.rule.title for r in (rows if len(shown) == 1 else (row,)))
            more = name.startswith(MORE)
            lines.append(Line(row, name, titles, y + ROW / 2, group == 0, more))
            y += ROW
        bands.append((top, y, group))
        y += GAP
    return lines, bands, int(y - GAP)


def _shown(rows: Sequence[Row], first: bool, folded: bool) -> list[tuple[Row, str]]:
    named = [(row, row.answer.rule.title) for row in rows]
    most = (MOST_FIRST if first else 1) if folded else len(rows)
    if len(rows) <= most:
        return named
    rest = len(rows) - most
    row, name = named[most - 1]
    if not first:
        return [(row, f"{name} and {rest} more")]
    return [*named[: most - 1], (row, f"{MORE}{rest + 1} more")]


def view_of(answers: Sequence[Answer]) -> tuple[float, float]:
    """What the brackets' axis spans: all grids, but not far beyond the range asked for."""
    lo, hi = (end if math.isfinite(end) else 0.0 for end in answers[0].requested)
    spans = [answer.covered for answer in answers if answer.covered]
    spans = [span for span in spans if all(map(math.isfinite, span))] or [(-1.0, 1.0)]
    low, high = min(*(s[0] for s in spans), lo, 0.0), max(*(s[1] for s in spans), hi, 0.0)
    width = max(hi - lo, abs(lo), abs(hi)) or high - low or 1.0
    low, high = max(low, min(lo, 0) - WIDER * width), min(high, max(hi, 0) + WIDER * width)
    pad = 0.04 * (high - low or 1.0)
    return low - pad, high + pad


def whole_of(answers: Sequence[Answer]) -> int:
    """The lower of the two whole numbers between which most zero points lie before rounding."""
    found = [math.floor(raw) for answer in answers if (raw := raw_of(answer)) is not None]
    return max(dict.fromkeys(found), key=found.count) if found else 0


def raw_of(answer: Answer) -> float | None:
    """The zero point before rounding, from the lowest code; None where it is fixed or none."""
    raw = answer.raw_zero_point
    if raw is None or not math.isfinite(raw) or answer.zero_point is None or _fixed(answer):
        return None
    return from_lowest((raw,), answer)[0]


def _fixed(answer: Answer) -> bool:
    return answer.rule.spec.symmetric or answer.step("raw zero point") is None


def zero_words(answer: Answer, whole: int) -> str:
    """What is said in place of the two dots: where the zero point is fixed, far away or none."""
    zero, raw = answer.zero_point, raw_of(answer)
    if answer.quantizer is None:
        return "none"
    if zero is None:
        return "none: counts from the bound"
    if raw is None:
        (counted,) = from_lowest((float(zero),), answer)
        return f"fixed at {number(zero)}" + (
            f" (lowest + {number(counted)})" if counted != zero else ""
        )
    (made,) = from_lowest((float(zero),), answer)
    if whole - 0.3 <= min(raw, made) and max(raw, made) <= whole + 1.3:
        return ""
    return f"{number(raw, 5)} → {number(made, 5)}"
