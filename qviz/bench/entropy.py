"""ONNX Runtime's entropy search on one histogram, beside ONNX Runtime itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qviz import xp
from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import DISTS, tensor
from qviz.bench.timing import Candidate, Times, measure, reader, rows
from qviz.dialects.onnxruntime import HistogramCollector

OURS, PEER = "qviz", "onnxruntime"
BINS, LEVELS = 2048, 128
CHECKED = 200_000  # elements of each distribution whose thresholds are compared
FASTER = 8.0


@JOBS.register("entropy", title="Entropy search on 2048 bins", source=SOURCE)
def entropy(setup: Setup) -> Report:
    """Threshold of a histogram of 2048 bins with 128 levels, whatever the number of elements."""
    x, absent = tensor(setup), missing()
    read_x, histogram = reader(x, setup), _histogram(x)
    candidates = [Candidate(OURS, lambda: _ours(histogram), PEER)]
    verdicts: tuple[Verdict, ...] = ()
    if not absent:
        candidates.append(Candidate(PEER, lambda: _peers(histogram)))
        verdicts = tuple(_same(replace(setup, dist=dist)) for dist in DISTS)
    if not all(verdict.holds for verdict in verdicts):
        return Report(verdicts=verdicts)
    times = measure(read_x, candidates, setup.rounds)
    return Report(
        rows(times, candidates),
        verdicts,
        () if absent else (_goal(times),),
        (absent,) if absent else (),
        times.void,
        tuple(second * 1e3 for second in times.read),
    )


def missing() -> str:
    """Why onnxruntime cannot be measured here, or an empty text."""
    try:
        import onnxruntime.quantization.calibrate  # noqa: F401  only whether it is there
    except ImportError as error:
        return f"onnxruntime left out: {error}."
    return ""


def _collector() -> HistogramCollector:
    return HistogramCollector("entropy", False, BINS, LEVELS, 99.999, "same")


def _histogram(x: Any) -> tuple[Any, ...]:
    """(counts, edges, min, max, threshold) of the values."""
    collector = _collector()
    collector.collect({"x": xp.host(x.float())})
    return collector.get_histogram_dict()["x"]


def _ours(histogram: tuple[Any, ...]) -> tuple[Any, Any]:
    return _collector().get_entropy_threshold(histogram, LEVELS)


def _peers(histogram: tuple[Any, ...]) -> tuple[Any, Any]:
    from onnxruntime.quantization.calibrate import HistogramCollector as Peer

    peer = Peer("entropy", False, BINS, LEVELS, 99.999, "same")
    return peer.get_entropy_threshold(histogram, LEVELS)


def _same(setup: Setup) -> Verdict:
    histogram = _histogram(tensor(replace(setup, n=min(setup.n, CHECKED))))
    ours, theirs = (tuple(map(float, run(histogram))) for run in (_ours, _peers))
    return Verdict(setup.dist, ours == theirs, f"thresholds {ours[0]:.6g} and {ours[1]:.6g}")


def _goal(times: Times) -> Verdict:
    faster = times.ratio(PEER, OURS)
    words = f"{faster:.1f} times as fast as onnxruntime, {FASTER:g} wished for"
    return Verdict("fast", faster >= FASTER, words)
