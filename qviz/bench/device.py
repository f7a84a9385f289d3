"""Statistics and the exact pass on a device that torch reports, beside the processor."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import numpy as np

from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import tensor
from qviz.observers.selection import default_observers
from qviz.pipeline import Comparison, compare, gather
from qviz.pipeline.comparing import needs_of
from qviz.quantizers.base import Target
from qviz.stats.stream import Stream

COUNTS = ("n", "nonzero", "zeroed", "clipped_low", "clipped_high", "codes")


@JOBS.register("device", title="Statistics and exact pass on a GPU", source=SOURCE)
def device(setup: Setup) -> Report:
    """Wall time of copying, gathering and judging, each until the device has finished."""
    place = accelerator()
    if place is None:
        return Report(notes=("Left out: torch reports no CUDA or MPS device here.",))
    x = tensor(setup)
    there = x.to(place)
    verdict = _same(x, there)
    if not verdict.holds:
        return Report(verdicts=(verdict,))
    runs: dict[str, Callable[[], Any]] = {
        f"copy to {place}": lambda: x.to(place),
        "statistics, CPU": lambda: _gathered(x),
        f"statistics, {place}": lambda: _gathered(there),
        "exact pass, CPU": lambda: _judged(x),
        f"exact pass, {place}": lambda: _judged(there),
    }
    return Report(tuple(_row(name, run, setup.rounds) for name, run in runs.items()), (verdict,))


def accelerator() -> str | None:
    """The device that torch reports, as it spells it; None without one."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else None


def _gathered(x: Any) -> Any:
    return gather(Stream.of(x).tiles[0], needs_of(default_observers(), Target.of()))


def _judged(x: Any) -> Comparison:
    return compare(Stream.of(x), default_observers(), Target.of(), exact=True)


def _row(name: str, run: Callable[[], Any], rounds: int) -> Mapping[str, Any]:
    times = []
    run()  # caches and kernels that are compiled first are no part of the work
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        _finish()
        times.append((time.perf_counter() - start) * 1e3)
    return {"candidate": name, "median_wall_ms": median(times), "min_wall_ms": min(times)}


def _finish() -> None:
    """Wait for the device: its work is queued."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _same(x: Any, there: Any) -> Verdict:
    """All counts of all rows, each equal to the processor's."""
    pairs = zip(_judged(x).served, _judged(there).served, strict=True)
    same = all(_equal(a.totals, b.totals) for a, b in pairs)
    return Verdict("counts", same, "elements, zeros, clipped ones and codes as on the CPU")


def _equal(a: Any, b: Any) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in COUNTS)
