"""How a training call moves minq and maxq."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from qviz.dialects.mindspore.reading import Pair, Reading
from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.spec import Range
from qviz.stats.base import PerBatch
from qviz.stats.minmax import MinMax, MinMaxState

BATCHES = PerBatch(MinMax())


def extremes(state: MinMaxState, kind: str) -> Pair:
    """Minimum and maximum of all elements, (groups,): NaN and infinities are kept."""
    lo = np.where(state.minus_inf > 0, -np.inf, state.lo)
    hi = np.where(state.plus_inf > 0, np.inf, state.hi)
    with np.errstate(over="ignore"):
        lo, hi = (np.where(state.nan > 0, np.nan, end).astype(kind) for end in (lo, hi))
    return lo, hi


def last_batch(batch: Pair) -> Pair:
    """Without ema: the batch's own extremes, widened to hold 0; what was before is forgotten."""
    return np.minimum(batch[0], 0), np.maximum(batch[1], 0)


@np.errstate(all="ignore")
def averaged(reading: Reading, decay: float, running: Pair, batch: Pair) -> Pair:
    """With ema: the average of batch and running range, then widened to hold 0.

    doc, ascend: (1 - c) * batch + c * running; gpu: c * batch + (1 - c) * running. The first
    batch is averaged like any other, with min_init and max_init.
    """
    new, old = reading.shares(decay, running[0].dtype.name)
    lo, hi = (new * b + old * r for b, r in zip(batch, running, strict=True))
    return last_batch((lo, hi))


def path(
    reading: Reading, decay: float, start: tuple[float, float], batches: Iterable[MinMaxState]
) -> list[Pair]:
    """Running minq and maxq after each batch, float32; batches without elements are passed over."""
    steps: list[Pair] = []
    for state in batches:
        lo, hi = (np.full(state.lo.shape, end, np.float32) for end in start)
        now = steps[-1] if steps else (lo, hi)
        moved = averaged(reading, decay, now, extremes(state, "float32"))
        lo, hi = (np.where(state.n == 0, o, m) for o, m in zip(now, moved, strict=True))
        steps.append((lo, hi))
    return steps


def checked(lo: np.ndarray, hi: np.ndarray) -> Range:
    """The range, where MindSpore makes usable qparams of it.

    Raises
    ------
    QvizError
        NaN or infinite ends.
    """
    odd = ~(np.isfinite(lo) & np.isfinite(hi))
    if odd.any():
        raise QvizError(
            f"{odd.sum()} of {odd.size} ranges are NaN or infinite.",
            "MindSpore's minimum and maximum keep NaN, infinities and what overflows float32.",
            "Remove such elements, or choose another observer.",
        )
    return Range(lo, hi)


def granularity_refusal(target: Target) -> str | None:
    """Why there is no running range per these groups, or None."""
    if not target.granularity.spans_batches:
        return "MindSpore has one range per layer or per channel"
    return None
