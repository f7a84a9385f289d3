"""The finding in words: which range to keep, and what that gains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qviz.figures.bars import Bar, bars
from qviz.figures.captions import NAME, caption
from qviz.figures.numbers import decibels, fixed, integer, interval, number, percent
from qviz.figures.theme import clean, shorten
from qviz.metrics.base import overall
from qviz.metrics.reading import LOSSLESS, read
from qviz.pipeline import Comparison, Row
from qviz.stats.minmax import MinMaxState

PLAIN = "minmax"  # the row that all gains are told against
TIE = 0.1  # dB below which the plainest range is kept
AGREE = 0.3  # dB within which all observers are called alike
COSTLY = 0.05  # share of the energy from which a gain counts as bought by clipping
LONGEST = 90  # characters of a heading


@dataclass(frozen=True)
class Finding:
    """A heading of at most 90 characters, and a caption. Plain words, no markup."""

    heading: str
    caption: str


@dataclass(frozen=True, eq=False)
class _Table:
    """Rows that were served, best SQNR first, with what a sentence needs of them."""

    comparison: Comparison
    bars: tuple[Bar, ...]

    def of(self, spelling: str) -> Bar | None:
        """The served row of that spelling."""
        return next((bar for bar in self.bars if bar.spelling == spelling), None)

    def clipped_energy(self, bar: Bar) -> float:
        """Squared error of the clipped elements over the energy of all, 0 where unknown."""
        for row in self.comparison.served:
            if row.spelling == bar.spelling and row.totals is not None:
                return read("clipped_energy", overall(row.totals))[0].value or 0.0
        return 0.0

    def keeps(self, bar: Bar) -> str:
        """``MSE search keeps [−6.03, 5.28]``; the number of ranges where there are several."""
        groups = len(self.comparison.facts.n)
        what = interval(bar.lo, bar.hi) if groups == 1 else f"{integer(groups)} ranges"
        return f"{name_of(bar)} keeps {what}"


def name_of(bar: Bar) -> str:
    """A row's name inside a sentence."""
    return clean(bar.title, NAME)


def finding(comparison: Comparison, about: str = "", pinned: Sequence[str] = ()) -> Finding:
    """What a comparison shows, ranked by SQNR: the error on this tensor, nothing beyond it.

    Parameters
    ----------
    about : str
        The tensor in words (name, shape), for the caption.
    pinned : sequence of str
        Spellings: one is told against the best row, two are told against each other. Without
        them the best row is told against MinMax, which is preferred up to 0.1 dB.
    """
    alike = {row.spelling for row in comparison.served if _same_codes(row, comparison)}
    table = _Table(comparison, tuple(b for b in bars(comparison.rows) if b.spelling in alike))
    heading, subject = _odd(comparison.facts), None
    if not heading:
        heading, subject = _told(table, pinned)
    return Finding(shorten(heading, LONGEST), caption(comparison, about, subject))


def _same_codes(row: Row, comparison: Comparison) -> bool:
    """Whether a row has no more codes than MinMax, or than were asked for: others win unfairly."""
    plain = next((r for r in comparison.served if r.spelling == PLAIN), None)
    low, high = plain.ends if plain is not None and plain.ends else comparison.target.spec.ends
    return row.ends is not None and row.ends[1] - row.ends[0] <= high - low


def _odd(facts: MinMaxState) -> str:
    """Tensors on which no range is better than another; empty for all others."""
    n, finite = int(facts.n.sum()), int(facts.finite.sum())
    if n == 0:
        return "This tensor has no values"
    if finite == 0:
        return f"All {integer(n)} values are NaN or infinite: there is no range to keep"
    lo, hi = float(facts.lo.min()), float(facts.hi.max())
    if lo < hi:
        return ""
    rest = "" if finite == n else "finite "
    who = f"All {integer(finite)} {rest}values are" if finite > 1 else f"The only {rest}value is"
    return f"{who} {number(lo, 4)}" + ("" if lo else ": nothing is lost")


def _told(table: _Table, pinned: Sequence[str]) -> tuple[str, Bar | None]:
    """Heading, and the row it is about."""
    for row in table.comparison.rows:
        if row.refused is not None and row.spelling in pinned:
            return f"{clean(row.title, NAME)} cannot serve here: {row.refused}", None
    if not table.bars:
        return _refused(table.comparison), None
    asked = [bar for bar in map(table.of, pinned) if bar is not None]
    if len(asked) > 1:
        return _against(*asked[:2]), asked[0]
    return (_pinned(table, asked[0]), asked[0]) if asked else _best(table)


def _refused(comparison: Comparison) -> str:
    reasons = [row.refused for row in comparison.rows if row.refused]
    return f"No observer can serve here: {reasons[0]}" if reasons else "No observer is listed"


def _best(table: _Table) -> tuple[str, Bar]:
    best, plain = table.bars[0], table.of(PLAIN)
    if best.text == LOSSLESS:
        subject = plain if plain is not None and plain.text == LOSSLESS else best
        return f"Every value is a level of {name_of(subject)}: nothing is lost", subject
    if best.value is None:
        return "No SQNR can be given here: the table has the other numbers", best
    if len(table.bars) == 1:
        return f"{table.keeps(best)}: {best.text} dB SQNR", best
    return _ahead(table, best, plain)


def _ahead(table: _Table, best: Bar, plain: Bar | None) -> tuple[str, Bar]:
    """Of several rows with an SQNR: how far the best is ahead of the plainest."""
    others = len(table.bars) - 1
    if plain is None or plain.value is None or best.value is None:
        return f"{table.keeps(best)}: {best.text} dB, the lowest error of {others + 1}", best
    worst = table.bars[-1].value
    if worst is not None and best.value - worst <= AGREE:
        return _alike(others + 1, best.value - worst), plain
    gain = best.value - plain.value
    if gain <= TIE:
        rest = f"none of the other {others}" if others > 1 else "the other does not"
        verb = "gains" if others > 1 else "gain"
        return f"Keep MinMax: {rest} {verb} more than {TIE} dB", plain
    energy = table.clipped_energy(best)
    if energy >= COSTLY:
        bought = f"but by clipping {percent(energy)} of the energy"
        return f"{name_of(best)} gains {decibels(gain)}, {bought}", best
    return f"{table.keeps(best)} and gains {decibels(gain)} over MinMax", best


def _alike(rows: int, apart: float) -> str:
    all_rows = "Both observers" if rows == 2 else f"All {rows} observers"
    within = fixed(max(math.ceil(apart * 10) / 10, 0.1))
    return f"{all_rows} agree within {within} dB: keep MinMax"


def _pinned(table: _Table, bar: Bar) -> str:
    best = table.bars[0]
    if bar.text == LOSSLESS:
        return f"{table.keeps(bar)}: every value is a level, nothing is lost"
    if bar.value is None:
        return f"{table.keeps(bar)}: no SQNR can be given"
    if best.value is None:
        return f"{table.keeps(bar)}: {bar.text} dB, while {name_of(best)} loses nothing"
    loss = best.value - bar.value
    if loss <= TIE:
        return f"{table.keeps(bar)}: {bar.text} dB, within {TIE} dB of the lowest error"
    return f"{table.keeps(bar)}: {bar.text} dB, {decibels(loss)} below {name_of(best)}"


def _against(a: Bar, b: Bar) -> str:
    if a.value is None or b.value is None:
        return f"{name_of(a)}: {a.text}; {name_of(b)}: {b.text} (SQNR in dB)"
    gain = a.value - b.value
    if abs(gain) <= TIE:
        return f"{name_of(a)} and {name_of(b)} agree within {TIE} dB"
    verb = "gains" if gain > 0 else "loses"
    over = "over" if gain > 0 else "against"
    return f"{name_of(a)} {verb} {decibels(abs(gain))} {over} {name_of(b)}"
