"""NVIDIA's growing histogram of magnitudes: one step per collected tensor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from qviz import xp
from qviz.dialects.nvidia.float32 import arange, linspace
from qviz.stats.base import Batch, Running
from qviz.stats.stream import chunks
from qviz.xp import Array

BLOCK = 2**16  # elements binned at a time: what is computed of them stays in the cache
MOST_BINS = 2**20  # a histogram that grows beyond is refused: 8 MB of counts, hours of searching

Frame = tuple[np.ndarray, int]


@dataclass(frozen=True, eq=False)
class NvidiaHistogram:
    """Counts, int64 (bins,), of |x| between ``edges``, float32, that start at 0.

    After the histogram has grown there may be one edge more than the bins need. ``counts`` is
    None before any data. ``refused`` says why the calibrator stops at a tensor; what comes after
    it is not counted.
    """

    counts: np.ndarray | None
    edges: np.ndarray
    refused: str = ""


@dataclass(frozen=True)
class NvidiaMagnitudes(Running[NvidiaHistogram]):
    """Counts of |x| in equal bins over [0, max|x|], as torch.histc makes them.

    bin = trunc(x * bins / max) in float32, the maximum in the last bin. A larger maximum later
    adds bins of the same width. All types are read as float32. Empty tensors, infinities and NaN
    in the first tensor are refused; a later tensor with NaN loses its negative elements and those
    beyond the histogram, as there. Of more than 2^24 elements in one bin PyTorch loses some; here
    all are counted.
    """

    num_bins: int = 2048
    skip_zeros: bool = False

    def start(self) -> NvidiaHistogram:
        return NvidiaHistogram(None, np.zeros(0, np.float32))

    def step(self, state: NvidiaHistogram, batch: Batch) -> NvidiaHistogram:
        if state.refused:
            return state
        with np.errstate(all="ignore"):
            most = np.float32(np.max([_most(x) for x in self._pieces(batch)], initial=-1.0))
            frame = self._frame(state, most)
            if isinstance(frame, str):
                return replace(state, refused=frame)
            edges, bins = frame
            counts = np.zeros(bins, np.int64)
            for x in self._pieces(batch):
                counts += histc(x if np.isnan(most) else abs(x), bins, edges[-1])
            if state.counts is not None:
                counts[: len(state.counts)] += state.counts
            return NvidiaHistogram(counts, edges)

    def _pieces(self, batch: Batch) -> Iterator[Array]:
        """Flat pieces that hold something, in float32."""
        for rows in chunks(batch):
            x = xp.astype(rows.reshape(-1), "float32")
            for start in range(0, xp.size(x), BLOCK):
                part = x[start : start + BLOCK]
                part = part[part != 0] if self.skip_zeros else part
                if xp.size(part):
                    yield part

    def _frame(self, state: NvidiaHistogram, most: np.float32) -> Frame | str:
        """Edges and number of bins with a further maximum, or why there are none."""
        if most < 0:
            return "It is empty."
        if np.isnan(most) and state.counts is not None and state.edges[-1] > 0:
            return state.edges, len(state.counts)
        if not np.isfinite(most * np.float32(self.num_bins)):
            return "It holds NaN, infinities, or magnitudes near the end of float32."
        if state.counts is None:
            return linspace(most, self.num_bins + 1), self.num_bins
        return _grown(state, len(state.counts), most)


def _grown(state: NvidiaHistogram, bins: int, most: np.float32) -> Frame | str:
    if not most > state.edges[-1]:
        return state.edges, bins
    width = state.edges[1] - state.edges[0]
    wanted = np.ceil(most / width)
    if not wanted <= MOST_BINS:
        return f"It reaches to {most:g}, the first to {state.edges[-1]:g}: too many bins."
    return arange(most + width, width), int(wanted)


def _most(x: Array) -> float:
    """The largest magnitude; NaN where there is one."""
    return float(xp.host(xp.namespace(x).amax(abs(x), axis=0, keepdims=True))[0])


def histc(x: Array, bins: int, last: np.float32) -> np.ndarray:
    """torch.histc(x, bins, 0, last): int64 (bins,).

    What lies outside is left out. Where ``last`` is 0 the bins reach from -1 to 1.
    """
    start, width = (1.0, np.float32(2)) if last == 0 else (0.0, last)
    inside = (x >= 0) & (x <= float(last))
    x = x if inside.all() else x[inside]
    at = xp.div((x + start) * float(bins), float(width))
    at = xp.astype(xp.clip(at, 0.0, float(bins - 1)), "int64")
    return xp.host(xp.namespace(at).bincount(at, minlength=bins))
