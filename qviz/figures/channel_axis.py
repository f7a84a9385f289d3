"""The value axis of the channels picture: linear inside one step, logarithmic beyond."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qviz.figures.numbers import number
from qviz.figures.theme import Figure
from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.channel_rows import ChannelRows
from qviz.stats.value_counts import LARGEST, code_of, magnitude_of

MOST_BINS = 220
NARROW = 250  # pixels of the narrowest plot
ROOM = 44  # pixels between two ticks
LEAST_SHADE, MOST_SHADE = 40, 255


@dataclass(frozen=True, eq=False)
class ValueAxis:
    """u = asinh(x / linear), seen from ``view[0]`` to ``view[1]``.

    ``codes`` are the codes of magnitudes at which a bin starts, ascending, the last one where
    the last bin ends; between plus and minus the first lies the middle bin. ``columns`` are the
    edges of the bins in u.
    """

    linear: float
    view: tuple[float, float]
    codes: np.ndarray
    columns: np.ndarray

    def at(self, x: np.ndarray | float) -> np.ndarray:
        """Place of values on the axis."""
        return np.arcsinh(np.asarray(x, np.float64) / self.linear)


def value_axis(found: ChannelMap) -> ValueAxis:
    """An axis over all values and the shared range, in at most 220 bins of about equal width."""
    finite = found.facts.finite > 0
    lo = min(float(found.facts.lo[finite].min(initial=0.0)), float(found.range.lo[0]))
    hi = max(float(found.facts.hi[finite].max(initial=0.0)), float(found.range.hi[0]))
    linear = found.step or max(hi - lo, 1e-30) / 255
    view = (float(np.arcsinh(lo / linear)), float(np.arcsinh(hi / linear)))
    width = max(view[1] - view[0], 1e-9) / (MOST_BINS - 4)
    digits, top = found.counts.digits, max(int(found.counts.top.max(initial=1)), 1)
    least = int(code_of(np.array(linear * math.sinh(width / 2)), digits)) + 1
    least = min(max(least, top - found.counts.depth + 1, 1), top)  # code 0 reaches down to 0
    codes = np.arange(least, top + 2)
    far = max(float(found.amax.max()), LARGEST)  # the last edge of values beyond float32
    u = np.arcsinh(np.minimum(magnitude_of(codes, digits), far) / linear)
    _, first = np.unique(np.floor((u - u[0]) / width + 1e-9), return_index=True)
    kept = codes[np.unique(np.append(first, len(codes) - 1))]
    side = np.arcsinh(np.minimum(magnitude_of(kept, digits), far) / linear)
    pad = 0.02 * (view[1] - view[0]) or 1.0
    return ValueAxis(linear, (view[0] - pad, view[1] + pad), kept, np.append(-side[::-1], side))


def counted(found: ChannelMap, rows: ChannelRows, axis: ValueAxis) -> np.ndarray:
    """Elements of each row in each bin of the axis, (rows, bins), exact."""
    state, sides = found.counts, len(axis.codes) - 1
    out = np.zeros((rows.count, 2 * sides + 1), np.int64)
    tops = state.top[rows.order]
    steps = np.arange(1, state.depth + 1)
    for top in np.unique(tops):
        here = tops == top
        bins = np.searchsorted(axis.codes, top - state.depth + steps, side="right")
        both = np.concatenate([sides - bins[::-1], [sides], sides + bins])
        starts = np.flatnonzero(np.diff(both, prepend=-1))
        part = state.counts[rows.order[here]]
        sums = np.add.reduceat(part, starts, axis=1, dtype=np.int64)
        np.add.at(out, (rows.row_of[here][:, None], both[starts][None, :]), sums)
    return out


def shades(counts: np.ndarray, axis: ValueAxis) -> np.ndarray:
    """Density on a logarithmic scale as one byte: 0 where nothing is, else 40 to 255."""
    width = np.diff(axis.columns)
    density = counts / (width / width.mean())[None, :]
    some = density[counts > 0]
    if not some.size:
        return np.zeros(counts.shape, np.uint8)
    low, high = np.log(some.min()), np.log(some.max())
    with np.errstate(divide="ignore"):
        share = (np.log(density) - low) / max(high - low, 1e-9)
    shade = LEAST_SHADE + (MOST_SHADE - LEAST_SHADE) * share
    return np.where(counts > 0, np.round(np.maximum(shade, LEAST_SHADE)), 0).astype(np.uint8)


def value_ticks(axis: ValueAxis) -> Figure:
    """Ticks at 0 and at powers of ten, far enough apart for the narrowest plot."""
    scale = NARROW / (axis.view[1] - axis.view[0])
    ends = [abs(math.sinh(end)) * axis.linear for end in axis.view]
    powers = range(math.floor(math.log10(axis.linear)), math.floor(math.log10(max(ends))) + 1)
    kept, last = [], 0.0
    for power in reversed(powers):
        place = float(axis.at(10.0**power)) * scale
        if place > ROOM * 0.8 and (not kept or last - place >= ROOM):
            kept.append(power)
            last = place
    sides = [10.0**p for p in kept]
    values = [-v for v in sides if axis.at(-v) >= axis.view[0]] + [0.0]
    values += [v for v in reversed(sides) if axis.at(v) <= axis.view[1]]
    return {
        "tickvals": [float(axis.at(v)) for v in values],
        "ticktext": [number(v) for v in values],
    }
