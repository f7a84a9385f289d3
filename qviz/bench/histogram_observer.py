"""PyTorch's HistogramObserver beside ours: equal bit for bit, then timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from qviz.bench import peers
from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import tensor
from qviz.bench.timing import Candidate, Times, measure, reader, rows
from qviz.dialects.pytorch import HistogramObserver
from qviz.errors import QvizError

STREAM, SHARE = 20, 100  # batches of the stream, each a hundredth of the elements
WHOLE, ONCE, EACH = "one batch", f"{STREAM} batches", f"{STREAM} batches, qparams after each"
WHOLE_GOAL, STREAM_GOAL = 1.5, 4.0  # times faster
TYPES = ("float32", "float64")


@JOBS.register("histogram-observer", title="PyTorch's HistogramObserver", source=SOURCE)
def histogram_observer(setup: Setup) -> Report:
    """Histogram, range, scale and zero point of one batch and of a stream of small ones."""
    if setup.dtype not in TYPES:
        raise QvizError(
            f"{setup.dtype} is not compared here.",
            "torch.histc counts it in its own few bits, and loses counts.",
            f"Choose {' or '.join(TYPES)}.",
        )
    x, absent = tensor(setup), peers.missing()
    size = max(setup.n // SHARE, 1)
    stream = list(x.repeat(-(-STREAM * size // setup.n)).split(size))[:STREAM]
    read = reader(x, setup)
    verdicts = () if absent else (_same(WHOLE, [x]), _same(ONCE, stream))
    if not all(verdict.holds for verdict in verdicts):
        return Report(verdicts=verdicts)
    candidates = list(_candidates(x, stream, absent))
    times = measure(read, candidates, setup.rounds)
    goals = () if absent else tuple(_goals(times))
    notes = (absent,) if absent else ()
    reads = tuple(second * 1e3 for second in times.read)
    return Report(rows(times, candidates), verdicts, goals, notes, times.void, reads)


def ours(batches: Sequence[Any], *, each: bool = False) -> Any:
    """Our observer through a stream; its qparams at the end, or after each batch."""
    return _through(HistogramObserver(), batches, each)


def theirs(batches: Sequence[Any], *, each: bool = False) -> Any:
    """The same with torch.ao's."""
    from torch.ao.quantization import HistogramObserver as Theirs

    with peers.quiet():
        return _through(Theirs(), batches, each)


def _through(observer: Any, batches: Sequence[Any], each: bool) -> Any:
    for batch in batches:
        observer(batch)
        if each:
            observer.calculate_qparams()
    return *observer.calculate_qparams(), observer


def _same(name: str, batches: Sequence[Any]) -> Verdict:
    differing = [k for k in range(1, len(batches) + 1) if not _equal(batches[:k])]
    words = f"{len(batches)} state(s) and qparams equal bit for bit"
    if differing:
        words = f"differs after batch {differing[0]}"
    return Verdict(name, not differing, words)


def _equal(batches: Sequence[Any]) -> bool:
    found = []
    for made in (ours(batches), theirs(batches)):
        scale, zero, observer = made
        found.append((scale, zero, observer.histogram, observer.min_val, observer.max_val))
    return all(a.dtype == b.dtype and a.equal(b) for a, b in zip(*found, strict=True))


def _candidates(x: Any, stream: list[Any], absent: str) -> Iterator[Candidate]:
    for name, batches, each in ((WHOLE, [x], False), (ONCE, stream, False), (EACH, stream, True)):
        peer = f"torch: {name}"
        yield Candidate(f"qviz: {name}", lambda b=batches, e=each: ours(b, each=e), peer)
        if not absent:
            yield Candidate(peer, lambda b=batches, e=each: theirs(b, each=e))


def _goals(times: Times) -> Iterator[Verdict]:
    for name, goal in ((WHOLE, WHOLE_GOAL), (ONCE, STREAM_GOAL), (EACH, STREAM_GOAL)):
        faster = times.ratio(f"torch: {name}", f"qviz: {name}")
        yield Verdict(name, faster >= goal, f"{faster:.1f} times faster, {goal:g} asked")
