"""Totals of a sketch: exact integrals over the regions between a quantizer's code boundaries.

The elements of one code form an interval, so every sum of a metric is a difference of prefix
sums at the interval's ends. The cost grows with the number of codes, not of elements.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.metrics.base import Totals
from qviz.metrics.producers import BINS, Frame, bin_of
from qviz.quantizers.base import Quantizer
from qviz.stats.cells import Cells

FEW = 1024  # levels up to which a search integrates region by region


def key_of(values: np.ndarray) -> np.ndarray:
    """Order-preserving integers of float32 values, int64."""
    bits = np.asarray(values, np.float32).view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def float_of(keys: np.ndarray) -> np.ndarray:
    """The float32 values of keys."""
    bits = np.where(keys < 0, -keys | 0x80000000, keys)
    return bits.astype(np.uint32).view(np.float32)


def boundaries(quantizer: Quantizer, groups: int) -> np.ndarray:
    """Least float32 whose code before clamping reaches each of quant_min .. quant_max + 1.

    (groups, levels + 1), float64, by bisection over bit patterns with ``encode`` alone; the
    quantizer must be monotone. +inf where no finite float reaches the code.
    """
    low, high = quantizer.ends
    target = np.arange(low, high + 2, dtype=np.float64)[None, :]
    top = int(key_of(np.array(np.finfo(np.float32).max)))
    left = np.full((groups, target.shape[1]), -top - 1, np.int64)  # below all floats
    right = np.full_like(left, top + 1)
    for _ in range(33):
        middle = (left + right) >> 1
        inside = np.clip(middle, -top, top)
        reached = np.asarray(quantizer.encode(float_of(inside))) >= target
        right = np.where(reached, middle, right)
        left = np.where(reached, left, middle)
    edges = float_of(np.clip(right, -top, top)).astype(np.float64)
    return np.where(right > top, np.inf, edges)


@dataclass(frozen=True, eq=False)
class _Prefix:
    """Sums of 1, x, x^2 over all elements below given points, and where the points lie."""

    n: np.ndarray
    x: np.ndarray
    xx: np.ndarray
    cell: np.ndarray


def _below(cells: Cells, at: np.ndarray) -> _Prefix:
    lo, hi = cells.lo[0], cells.hi[0]
    cell = np.searchsorted(hi, at, side="left")
    here = np.minimum(cell, len(lo) - 1)
    width = hi[here] - lo[here]
    part = np.clip(at - lo[here], 0.0, width) / np.where(width > 0, width, 1.0)
    part = np.where(cell < len(lo), part, 0.0)
    weight = part * cells.count[0][here]
    end = lo[here] + part * width
    start = lo[here]
    n, x, xx = (sums[0][cell] for sums in cells.prefix)
    return _Prefix(
        n + weight,
        x + weight * (start + end) / 2,
        xx + weight * (start * start + start * end + end * end) / 3,
        cell,
    )


def _between(a: _Prefix, b: _Prefix) -> tuple[np.ndarray, ...]:
    return b.n - a.n, b.x - a.x, b.xx - a.xx


def of_sketch(cells: Cells, quantizer: Quantizer, frame: Frame, zeros: np.ndarray) -> Totals:
    """Totals of one row of cells under each group of the quantizer; ``zeros`` counts x = 0.

    The quantizer must be monotone. Approximate: see Totals.
    """
    groups = 1 if quantizer.step is None else len(quantizer.step)
    edges = boundaries(quantizer, groups)
    ends = np.full((groups, 1), np.inf)
    edges = np.concatenate([-ends, edges, ends], axis=1)
    levels = quantizer.levels()
    y = np.concatenate([levels[:, :1], levels, levels[:, -1:]], axis=1)
    at = _below(cells, edges)
    left, right = (_slice(at, s) for s in (slice(None, -1), slice(1, None)))
    n, x, xx = _between(left, right)
    middle = _below(cells, np.clip(y, edges[:, :-1], edges[:, 1:]))
    (n1, x1, _), (n2, x2, _) = _between(left, middle), _between(middle, right)
    ee = np.maximum(xx - 2 * y * x + y * y * n, 0.0)
    ae = y * (n1 - n2) - x1 + x2
    sums = {
        "n": n,
        "x": x,
        "xx": xx,
        "e": y * n - x,
        "ee": ee,
        "ae": ae,
        "xy": y * x,
        "yy": y * y * n,
        "zeroed": n * (y == 0),
    }
    total = {name: v.sum(axis=1).astype(np.float64) for name, v in sums.items()}
    total |= _clipped(n, ee) | _signless(cells, zeros, groups)
    total["zeroed"] = np.maximum(total["zeroed"] - np.where((y == 0).any(1), zeros, 0), 0)
    step = np.nan if quantizer.step is None else quantizer.step
    total["e_steps"], total["ee_steps"] = total["e"] / step, total["ee"] / (step * step)
    worst = _worst(cells, at, edges, y, n, frame)
    tables = _tables(cells, n, y, frame)
    lo, hi = (np.broadcast_to(v, (groups,)) for v in (frame.lo, frame.hi))
    return Totals(**total, x_min=lo, x_max=hi, max_e=worst, **tables, made="sketch")


def _slice(p: _Prefix, s: slice) -> _Prefix:
    return _Prefix(p.n[:, s], p.x[:, s], p.xx[:, s], p.cell[:, s])


def _clipped(n: np.ndarray, ee: np.ndarray) -> dict[str, np.ndarray]:
    ends = {"clipped_low": n[:, 0], "clipped_high": n[:, -1]}
    ends |= {"ee_low": ee[:, 0], "ee_high": ee[:, -1]}
    return {name: v.astype(np.float64) for name, v in ends.items()}


def _signless(cells: Cells, zeros: np.ndarray, groups: int) -> dict[str, np.ndarray]:
    """Sums that do not depend on the quantizer's codes."""
    zero = _below(cells, np.zeros((1, 1)))
    ax = float(cells.prefix[1][0, -1] - 2 * zero.x[0, 0])
    nonzero = float(cells.total[0] - zeros[0])
    return {"ax": np.full(groups, ax), "nonzero": np.full(groups, nonzero)}


def _worst(
    cells: Cells, at: _Prefix, edges: np.ndarray, y: np.ndarray, n: np.ndarray, frame: Frame
) -> np.ndarray:
    """Largest |e| at the outermost elements of each region; the ends of x are exact."""
    lo, hi = cells.lo[0], cells.hi[0]
    count = len(lo)
    first = np.maximum(edges[:, :-1], lo[np.minimum(at.cell[:, :-1], count - 1)])
    cell = at.cell[:, 1:]
    cut = (cell < count) & (lo[np.minimum(cell, count - 1)] < edges[:, 1:])
    last = np.where(cut, edges[:, 1:], hi[np.maximum(cell - 1, 0)])
    first, last = (np.clip(v, frame.lo[:, None], frame.hi[:, None]) for v in (first, last))
    far = np.maximum(np.abs(y - first), np.abs(y - last))
    return np.where(n > 0, far, 0.0).max(axis=1).astype(np.float64)


def _tables(
    cells: Cells, n: np.ndarray, y: np.ndarray, frame: Frame
) -> dict[str, np.ndarray | None]:
    codes = n[:, 1:-1].astype(np.float64)
    codes[:, 0] += n[:, 0]
    codes[:, -1] += n[:, -1]
    inner = frame.lo + (frame.hi - frame.lo) * np.arange(1, BINS) / BINS
    below = np.concatenate([[0.0], _below(cells, inner).n, [cells.total[0]]])
    x_bins = np.broadcast_to(np.diff(below.astype(np.float64)), (len(y), BINS))
    at = bin_of(y, frame)
    y_bins = np.stack(
        [np.bincount(b, w, minlength=BINS) for b, w in zip(at, n.astype(np.float64), strict=True)]
    )
    return {"codes": codes, "x_bins": x_bins, "y_bins": y_bins}


def squared_errors(cells: Cells, quantizer: Quantizer) -> np.ndarray:
    """Sum of squared errors under each group of an even grid, (groups,): to rank candidates.

    Boundaries lie half-way between levels; above 1024 levels the rounding part is taken as
    step^2 / 12 per element inside. The candidate that wins is judged by its totals.
    """
    low, high = quantizer.ends
    if high - low < FEW:
        y = quantizer.levels()
        inner = (y[:, 1:] + y[:, :-1]) / 2
    else:
        y = np.concatenate([quantizer.levels(c, c) for c in (low, high)], axis=1)
        inner = y
    ends = np.full((len(y), 1), np.inf)
    at = _below(cells, np.concatenate([-ends, inner, ends], axis=1))
    n, x, xx = _between(_slice(at, slice(None, -1)), _slice(at, slice(1, None)))
    if high - low < FEW:
        return np.maximum(xx - 2 * y * x + y * y * n, 0.0).sum(axis=1).astype(np.float64)
    ee = xx[:, [0, 2]] - 2 * y * x[:, [0, 2]] + y * y * n[:, [0, 2]]
    step = (y[:, 1] - y[:, 0]) / (high - low)
    return (np.maximum(ee, 0.0).sum(axis=1) + n[:, 1] * step * step / 12).astype(np.float64)
