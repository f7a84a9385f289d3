"""Captions: what was measured, on what, and how to read the picture."""

from __future__ import annotations

from qviz.figures.bars import Bar
from qviz.figures.numbers import count, decibels, integer, interval, percent
from qviz.figures.rows import SEEN
from qviz.figures.theme import clean
from qviz.metrics.base import overall
from qviz.metrics.channels import channel_summary
from qviz.metrics.reading import read
from qviz.pipeline import Comparison, Row
from qviz.quantizers.affine import Affine
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.stats.minmax import MinMaxState

NAME = 30  # characters of a name inside a sentence
HOW = "Bars are the ranges kept; what lies outside is clipped."
HULL = "Bars reach from the lowest to the highest end of all ranges."


def codes(target: Target) -> str:
    """The codes in words: ``8-bit affine``, with mode and granularity where they are special."""
    spec = target.spec
    parts = [f"{spec.bits}-bit {'symmetric' if spec.symmetric else 'affine'}"]
    if spec.quant_min is not None:
        parts = [f"codes {integer(spec.ends[0])} to {integer(spec.ends[1])}"]
    parts += ["narrow range"] * spec.narrow_range + ["reduced range"] * spec.reduce_range
    if target.mode != Affine():
        parts.append(QUANTIZERS.title_of(target.mode))
    if target.granularity.kind != "per_tensor":
        parts.append(str(target.granularity).replace("_", " ").replace(":", " "))
    return ", ".join(parts)


def not_finite(facts: MinMaxState) -> str:
    """``3 NaN among 1 M values``; empty where all are finite."""
    nan, infinite = int(facts.nan.sum()), int((facts.plus_inf + facts.minus_inf).sum())
    found = [f"{integer(nan)} NaN"] * (nan > 0) + [f"{integer(infinite)} infinite"] * (infinite > 0)
    return f"{' and '.join(found)} among {values(int(facts.n.sum()))}" if found else ""


def values(n: int) -> str:
    """``1 M values``."""
    return f"{count(n)} value{'' if n == 1 else 's'}"


def caption(comparison: Comparison, about: str, subject: Bar | None) -> str:
    """The sentences below a heading; ``subject`` is the row that the heading is about."""
    facts = comparison.facts
    odd = not_finite(facts)
    what = [clean(about)] * bool(about) + [values(int(facts.n.sum())), codes(comparison.target)]
    said = [f"{odd}, left out."] * bool(odd) + [", ".join(what) + "."]
    if subject is None:
        return " ".join(said)
    said.append("Ranked by SQNR, the lowest error on this tensor first.")
    row = next(row for row in comparison.served if row.spelling == subject.spelling)
    how = HOW if len(facts.n) == 1 else HULL
    said += [how, *_cost(row), *_moved(comparison, subject), _how_sure(comparison)]
    return " ".join(said)


def _cost(row: Row) -> list[str]:
    """What an SQNR over all elements hides: clipped values and their energy, the worst channel."""
    said = []
    if row.totals is not None:
        totals = overall(row.totals)
        share, energy = (read(n, totals)[0].value for n in ("clipped_share", "clipped_energy"))
        if share:
            clipped = f"{percent(share)} of the values and {percent(energy)} of the energy"
            said.append(f"{clean(row.title, NAME)} clips {clipped}.")
    if row.channels is not None and row.channels.groups > 1:
        worst = channel_summary(row.channels)
        if worst.worst is not None:
            said.append(f"Its worst channel, {worst.index}, has {decibels(worst.worst)}.")
    return said


def _moved(comparison: Comparison, bar: Bar) -> list[str]:
    """What the grid covers, where that is not what was asked for."""
    asked, grid = (bar.lo, bar.hi), (bar.covered_lo, bar.covered_hi)
    apart = max(abs(a - g) for a, g in zip(asked, grid, strict=True))
    if len(comparison.facts.n) > 1 or not apart > SEEN * (asked[1] - asked[0]):
        return []
    why = ""
    if isinstance(comparison.target.mode, Affine) and not comparison.target.spec.symmetric:
        why = " because zero must be a level"
    return [f"Asked for {interval(*asked)}; the grid covers {interval(*grid)}{why}."]


def _how_sure(comparison: Comparison) -> str:
    rows = [row for row in comparison.served if row.totals is not None]
    if any(row.totals.made != "exact" for row in rows if row.totals is not None):
        return "Numbers are approximate, read off the sketch."
    if any(row.range is not None and not row.range.exact for row in rows):
        return "Errors are exact; some ranges were read off the sketch."
    return "Numbers are exact."
