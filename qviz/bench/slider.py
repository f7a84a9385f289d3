"""One move of a slider: range, grid, metrics and picture, from gathered statistics."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import tensor
from qviz.bench.timing import Candidate, Times, measure, reader, rows
from qviz.figures.bins import full, linear_bins
from qviz.figures.ranges import bars, observer_ranges
from qviz.figures.theme import LIGHT
from qviz.metrics.reading import read_all
from qviz.observers.base import Observer
from qviz.observers.selection import default_observers, select
from qviz.pipeline import Comparison, compare
from qviz.pipeline.judging import COARSE
from qviz.quantizers.base import Target
from qviz.stats.base import NOTHING, Seen
from qviz.stats.stream import Stream

SMALL, LARGE, PICTURE = "n elements", "10 n elements", "picture alone, 10 n"
MOST_MS, MOST_GROWTH, MOST_KB = 5.0, 1.5, 350.0
Move = Callable[[], dict[str, Any]]


@JOBS.register("slider", title="One move of a slider", source=SOURCE)
def slider(setup: Setup) -> Report:
    """CPU time of a move at n and at 10 n elements, and the size of its picture."""
    x = tensor(setup)
    small, _ = _moves(x)
    read_x = reader(x, setup)
    large, picture = _moves(tensor(replace(setup, n=10 * setup.n)))
    verdicts = (_same(x),)
    candidates = [
        Candidate(SMALL, small),
        Candidate(LARGE, large, SMALL),
        Candidate(PICTURE, picture, LARGE),
    ]
    if not all(verdict.holds for verdict in verdicts):
        return Report(verdicts=verdicts)
    times = measure(read_x, candidates, setup.rounds)
    table = tuple(row | {"payload_kB": _kilobytes(large())} for row in rows(times, candidates))
    reads = tuple(second * 1e3 for second in times.read)
    return Report(table, verdicts, _goals(times, table), (), times.void, reads)


def _moves(x: Any) -> tuple[Move, Move]:
    """A move with everything gathered, and the picture of all observers alone."""
    stream, moved = Stream.of(x), select("percentile:keep=99.5")
    done = compare(stream, (*default_observers(), *moved), Target.of())
    have, every = done.seen or NOTHING, done

    def move() -> dict[str, Any]:
        record = _settled(stream, moved, have)
        for row in record.served:
            if row.totals is not None:
                read_all(row.totals, row.channels)
        return _picture(every, have)

    return move, lambda: _picture(every, have)


def _settled(stream: Stream, observers: Sequence[Observer], have: Seen) -> Comparison:
    return compare(stream, observers, Target.of(), have=have)


def _picture(record: Comparison, have: Seen) -> dict[str, Any]:
    cells, sorted_bars = have[COARSE].cells, bars(record.rows)
    spellings = [bar.spelling for bar in sorted_bars[:2]]
    drawn = linear_bins(cells, *full(cells))
    return observer_ranges(drawn, sorted_bars, spellings, LIGHT, facts=record.facts)


def _same(x: Any) -> Verdict:
    """A move gives the range and the totals that a comparison from the data gives."""
    stream, moved = Stream.of(x), select("percentile:keep=99.5")
    fresh = compare(stream, moved, Target.of())
    kept = compare(stream, (*default_observers(), *moved), Target.of())
    again = _settled(stream, moved, kept.seen or NOTHING)
    pairs = zip(fresh.served, again.served, strict=True)
    same = all(_numbers(a) == _numbers(b) for a, b in pairs) and bool(fresh.served)
    return Verdict("move", same, "the same range and squared error as from the data")


def _numbers(row: Any) -> tuple[float, ...]:
    return float(row.covered.lo[0]), float(row.covered.hi[0]), float(row.totals.ee[0])


def _kilobytes(figure: dict[str, Any]) -> float:
    """Size of a figure as JSON, arrays as base64 the way plotly sends them."""
    return len(json.dumps(figure, default=_packed)) / 1000


def _packed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return "x" * (4 * -(-value.nbytes // 3))
    return value.item()


def _goals(times: Times, table: Sequence[Any]) -> tuple[Verdict, ...]:
    growth, kilobytes = times.ratio(LARGE, SMALL), table[0]["payload_kB"]
    slowest = table[1]["median_ms"]
    return (
        Verdict("fast", slowest <= MOST_MS, f"{slowest:.1f} ms, {MOST_MS:g} wished for"),
        Verdict("flat", growth <= MOST_GROWTH, f"{growth:.2f} times as long at 10 n"),
        Verdict("small", kilobytes <= MOST_KB, f"{kilobytes:.0f} kB, {MOST_KB:g} wished for"),
    )
