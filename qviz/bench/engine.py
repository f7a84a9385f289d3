"""The whole comparison from the raw array, beside three histogram observers of torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qviz import xp
from qviz.bench import peers
from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import tensor
from qviz.bench.timing import Candidate, Times, measure, reader, rows
from qviz.metrics.reading import read, read_all
from qviz.observers.base import Observer
from qviz.observers.selection import default_observers
from qviz.pipeline import Comparison, compare, gather
from qviz.pipeline.comparing import needs_of
from qviz.quantizers.base import Target
from qviz.stats.stream import Stream

OURS, PARTS, ONE, THREE = "qviz: all", "qviz: statistics", "HistogramObserver", "three of them"
CHECKED = 2_000_000  # elements on which the live numbers are compared with the exact pass
CLOSE_DB = 0.02
ENOUGH = 12  # observers


@JOBS.register("engine", title="Every neutral observer with all metrics", source=SOURCE)
def engine(setup: Setup) -> Report:
    """Ranges and all metrics of the neutral observers, from the array, in one comparison."""
    x, absent = tensor(setup), peers.missing()
    read_x, observers = reader(x, setup), default_observers()
    verdicts = _verdicts(x, observers)
    candidates = [
        Candidate(OURS, lambda: whole(x, observers), THREE),
        Candidate(PARTS, lambda: _statistics(x, observers), THREE),
    ]
    if not absent:
        candidates.append(Candidate(ONE, lambda: peers.histogram_observer(x)))
        candidates.append(Candidate(THREE, lambda: [peers.histogram_observer(x) for _ in "123"]))
    if not all(verdict.holds for verdict in verdicts):
        return Report(verdicts=verdicts)
    times = measure(read_x, candidates, setup.rounds)
    return Report(
        rows(times, candidates),
        verdicts,
        () if absent else (_goal(times, len(observers)),),
        (absent,) if absent else (),
        times.void,
        tuple(second * 1e3 for second in times.read),
    )


def whole(x: Any, observers: Sequence[Observer]) -> Comparison:
    """One comparison and every metric of each row."""
    record = compare(Stream.of(x), observers, Target.of())
    for row in record.served:
        if row.totals is not None:
            read_all(row.totals, row.channels)
    return record


def _statistics(x: Any, observers: Sequence[Observer]) -> object:
    return gather(Stream.of(x).tiles[0], needs_of(observers, Target.of()))


def _verdicts(x: Any, observers: Sequence[Observer]) -> tuple[Verdict, ...]:
    part = x.reshape(-1)[:CHECKED]
    live, exact = (compare(Stream.of(part), observers, Target.of(), exact=e) for e in (False, True))
    ends = (xp.host(part.double().min()), xp.host(part.double().max()))
    facts = np.concatenate([live.facts.lo, live.facts.hi])
    gap = max(_gap_db(a, b) for a, b in zip(live.served, exact.served, strict=True))
    served = len(live.served)
    return (
        Verdict("min and max", bool((facts == ends).all()), "as torch gives them"),
        Verdict("SQNR", gap <= CLOSE_DB, f"at most {gap:.2g} dB off the exact pass"),
        Verdict("observers", served >= ENOUGH, f"{served} served, {ENOUGH} or more asked"),
    )


def _gap_db(live: Any, exact: Any) -> float:
    a, b = (read("sqnr", row.totals)[0].value for row in (live, exact))
    return 0.0 if a is None or b is None else abs(a - b)


def _goal(times: Times, count: int) -> Verdict:
    ratio = times.ratio(OURS, THREE)
    words = f"{count} observers with all metrics take {ratio:.2f} of three histogram observers"
    return Verdict("less CPU", ratio < 1, words)
