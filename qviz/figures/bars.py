"""What a row of the range picture shows of an observer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qviz.figures.numbers import NOTHING, fixed, number, percent
from qviz.metrics.base import METRICS, overall
from qviz.metrics.reading import EXACT, LOSSLESS, read
from qviz.pipeline import Row


@dataclass(frozen=True)
class Bar:
    """One observer: what it asked for, what its grid covers, and the metric.

    ``lo``, ``hi`` and ``covered_*`` are the widest of all groups, 0 where the observer was
    refused; ``text`` writes ``value``; ``spelling`` is the row's identity.
    """

    title: str
    lo: float
    hi: float
    covered_lo: float
    covered_hi: float
    value: float | None
    text: str
    spelling: str
    approximate: bool = False
    refused: str | None = None


def bars(rows: Sequence[Row], metric: str = "sqnr") -> tuple[Bar, ...]:
    """A bar of each row, best first by ``metric``; refused rows last."""
    better = METRICS.entry(metric).notes.get("better", "")
    return tuple(sorted((bar(row, metric) for row in rows), key=lambda b: _place(b, better)))


def bar(row: Row, metric: str = "sqnr") -> Bar:
    """One row as a bar."""
    if row.refused is not None or row.totals is None or row.covered is None:
        reason = row.refused or "no result"
        return Bar(row.title, 0, 0, 0, 0, None, NOTHING, row.spelling, refused=reason)
    asked, covered = row.range or row.covered, row.covered
    reading = read(metric, overall(row.totals), row.channels)[0]
    return Bar(
        title=row.title,
        lo=float(asked.lo.min()),
        hi=float(asked.hi.max()),
        covered_lo=float(covered.lo.min()),
        covered_hi=float(covered.hi.max()),
        value=reading.value,
        text=LOSSLESS if reading.reason == LOSSLESS else written(reading.value, metric),
        spelling=row.spelling,
        approximate=reading.mark != EXACT,
    )


def written(value: float | None, metric: str) -> str:
    """A metric's value without its unit, with its own decimals; shares in percent."""
    decimals = METRICS.entry(metric).notes.get("decimals")
    if decimals is not None:
        return fixed(value, decimals)
    return percent(value) if metric.endswith(("_share", "_energy")) else number(value)


def heading(metric: str) -> str:
    """What stands above a column of the metric: ``SQNR, dB``."""
    entry = METRICS.entry(metric)
    unit = entry.notes.get("unit", "")
    return f"{entry.title}, {unit}" if unit and unit != "1" else entry.title


def _place(bar: Bar, better: str) -> tuple[int, float, str]:
    """Sort key; a metric that is neither better high nor low is best near 0."""
    if bar.refused is not None:
        return 3, 0.0, bar.title
    if bar.value is None:
        return (0 if bar.text == LOSSLESS else 2), 0.0, bar.title
    key = {"high": -bar.value, "low": bar.value}.get(better, abs(bar.value))
    return 1, key, bar.title
