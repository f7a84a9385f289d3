"""CPU time in interleaved rounds, as a multiple of one read of the same tensor."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from qviz.bench.base import Setup

SPREAD = 2.0  # a run whose read varies more than this between its quartiles means nothing
TRIES = 3
READ_S = 0.005  # a read is repeated until it lasts this long, or the clock decides
Run = Callable[[], object]


@dataclass(frozen=True, eq=False)
class Candidate:
    """Something to time. ``peer`` names the candidate that it is compared with."""

    name: str
    run: Run
    peer: str = ""


@dataclass(frozen=True, eq=False)
class Times:
    """CPU seconds of each round: of the read, and of each candidate."""

    read: tuple[float, ...]
    runs: dict[str, tuple[float, ...]]
    void: bool

    def ratio(self, name: str, other: str = "") -> float:
        """Median over rounds of a candidate's time over another's, or over the read's."""
        beside = self.runs[other] if other else self.read
        return median(a / b for a, b in zip(self.runs[name], beside, strict=True))


def measure(read: Run, candidates: Sequence[Candidate], rounds: int) -> Times:
    """Time all candidates in each round; once more, at most twice, where the read is uneven."""
    repeats = max(1, round(READ_S / max(_seconds(read), 1e-6)))
    for candidate in candidates:
        candidate.run()  # caches and lazy imports are no part of the work
    times = _rounds(read, repeats, candidates, rounds)
    for _ in range(TRIES - 1):
        if not times.void:
            break
        times = _rounds(read, repeats, candidates, rounds)
    return times


def rows(times: Times, candidates: Sequence[Candidate]) -> tuple[dict[str, Any], ...]:
    """One row per candidate: median and least CPU time, ratio to the read and to the peer."""
    return tuple(
        {
            "candidate": c.name,
            "median_ms": median(times.runs[c.name]) * 1e3,
            "min_ms": min(times.runs[c.name]) * 1e3,
            "per_read": times.ratio(c.name),
            "per_peer": times.ratio(c.name, c.peer) if c.peer in times.runs else None,
            "peer": c.peer if c.peer in times.runs else None,
        }
        for c in candidates
    )


def reader(x: Any, setup: Setup) -> Run:
    """One read of the tensor, ``torch.sum``; sets the number of threads of torch."""
    import torch

    torch.set_num_threads(setup.threads)
    whole = x if isinstance(x, torch.Tensor) else torch.from_numpy(x)
    return whole.sum


def _rounds(read: Run, repeats: int, candidates: Sequence[Candidate], rounds: int) -> Times:
    reads: list[float] = []
    runs: dict[str, list[float]] = {c.name: [] for c in candidates}
    for _ in range(rounds):
        gc.collect()
        reads.append(_seconds(read, repeats))
        for candidate in candidates:
            runs[candidate.name].append(_seconds(candidate.run))
    return Times(tuple(reads), {k: tuple(v) for k, v in runs.items()}, _uneven(reads))


def _uneven(reads: list[float]) -> bool:
    if len(reads) < 2:
        return False
    low, _, high = quantiles(reads, n=4, method="inclusive")
    return high > SPREAD * low


def _seconds(run: Run, repeats: int = 1) -> float:
    start = time.process_time()
    for _ in range(repeats):
        run()
    return (time.process_time() - start) / repeats
