"""Extremes per channel, on the first and on the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.bench import peers
from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import tensor
from qviz.bench.timing import Candidate, measure, reader, rows
from qviz.errors import QvizError
from qviz.pipeline import gather
from qviz.spec import Granularity
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream

CHANNELS = 256


@JOBS.register("per-channel", title="Minimum and maximum per channel", source=SOURCE)
def per_channel(setup: Setup) -> Report:
    """Minimum, maximum and counts of 256 channels, first and last axis."""
    if setup.n < CHANNELS:
        raise QvizError(f"{setup.n} elements are too few.", f"There are {CHANNELS} channels.")
    x = tensor(setup)[: setup.n // CHANNELS * CHANNELS].reshape(CHANNELS, -1)
    read_x, absent = reader(x, setup), peers.missing()
    shapes = {0: x, 1: x.reshape(-1, CHANNELS)}
    verdicts = () if absent else tuple(_same(shapes[axis], axis) for axis in shapes)
    candidates = [c for axis in shapes for c in _candidates(shapes[axis], axis, absent)]
    if not all(verdict.holds for verdict in verdicts):
        return Report(verdicts=verdicts)
    times = measure(read_x, candidates, setup.rounds)
    notes = (absent,) if absent else ()
    reads = tuple(second * 1e3 for second in times.read)
    return Report(rows(times, candidates), verdicts, (), notes, times.void, reads)


def extremes(x: Any, axis: int) -> list[np.ndarray]:
    """Minimum and maximum of each channel, tile by tile."""
    stream = Stream.of(x, Granularity("per_channel", axis))
    states = [gather(tile, (MinMax(),))[MinMax()] for tile in stream.tiles]
    return [np.concatenate([getattr(s, end) for s in states]) for end in ("lo", "hi")]


def _candidates(x: Any, axis: int, absent: str) -> list[Candidate]:
    peer = f"PerChannelMinMaxObserver, axis {axis}"
    ours = Candidate(f"qviz, axis {axis}", lambda: extremes(x, axis), peer)
    theirs = Candidate(peer, lambda: peers.per_channel_observer(x, axis))
    return [ours] if absent else [ours, theirs]


def _same(x: Any, axis: int) -> Verdict:
    ours, theirs = extremes(x, axis), peers.per_channel_observer(x, axis)
    equal = all((a == xp.host(b.double())).all() for a, b in zip(ours, theirs, strict=True))
    return Verdict(f"axis {axis}", equal, "minimum and maximum of each channel as torch's")
