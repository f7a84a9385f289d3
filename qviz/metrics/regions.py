"""Totals of a sketch: exact integrals over the regions between a quantizer's code boundaries.

The elements of one code form an interval, so every sum of a metric is a difference of prefix
sums at the interval's ends. The cost grows with the number of codes, not of elements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qviz.metrics.base import Totals
from qviz.metrics.bins import BINS, Frame, bin_of, counts
from qviz.metrics.boundaries import boundaries
from qviz.metrics.producers import of_cells, step_of
from qviz.quantizers.base import Quantizer
from qviz.stats.cells import Cells

FEW = 1024  # levels up to which a search integrates region by region
LOST = 2.0**-40  # part of the energy below which differences of prefix sums lose their digits


@dataclass(frozen=True, eq=False)
class _Prefix:
    """Sums of 1, x, x^2 over all elements below given points."""

    n: np.ndarray
    x: np.ndarray
    xx: np.ndarray


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
    )


def _between(a: _Prefix, b: _Prefix) -> tuple[np.ndarray, ...]:
    return b.n - a.n, b.x - a.x, b.xx - a.xx


@np.errstate(all="ignore")
def of_sketch(cells: Cells, quantizer: Quantizer, frame: Frame, zeros: np.ndarray) -> Totals:
    """Totals of one row of cells under each group of the quantizer; ``zeros`` counts x = 0.

    The quantizer must be monotone. Approximate: see Totals.
    """
    if not cells.lo.size:
        return replace(of_cells(cells, quantizer, frame), made="sketch")
    y, edges = _regions(quantizer, frame)
    parts = _integrals(cells, edges, y)
    total: dict[str, Any] = {
        name: part.sum(axis=1).astype(np.float64) for name, part in parts.items()
    }
    total |= _clipped(cells, edges, y, parts) | _of_cells_alone(cells, zeros, len(y))
    total["ee"] = total["ee_low"] + total["ee_high"] + total["ee_inside"]
    total["zeroed"] = _zeroed(quantizer, total["zeroed"], zeros)
    step = step_of(quantizer)
    total["e_steps"], total["ee_steps"] = total["e"] / step, total["ee"] / step / step
    total["x_min"], total["x_max"] = (np.repeat(v, len(y)) for v in (frame.lo, frame.hi))
    total["max_e"] = _worst(cells, edges, y, parts["n"], frame)
    return Totals(**total, **_tables(cells, parts["n"], y, frame), made="sketch")


def _regions(quantizer: Quantizer, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Level of each region of one code, the clipped ones at both ends, and the regions' edges.

    An edge beyond the extremes of x moves to infinity: no element of the last cell, which may
    reach further, is then taken as clipped.
    """
    levels = quantizer.levels()
    y = np.concatenate([levels[:, :1], levels, levels[:, -1:]], axis=1)
    edges = boundaries(quantizer, len(levels))
    edges = np.where(edges > frame.hi[:, None], np.inf, edges)
    edges = np.where(edges <= frame.lo[:, None], -np.inf, edges)
    return y, np.pad(edges, ((0, 0), (1, 1)), constant_values=(-np.inf, np.inf))


def _integrals(cells: Cells, edges: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Sums over the elements of each region, (groups, regions), extended precision."""
    at = _below(cells, edges)
    left, right = _slice(at, slice(None, -1)), _slice(at, slice(1, None))
    n, x, xx = _between(left, right)
    middle = _below(cells, np.clip(y, edges[:, :-1], edges[:, 1:]))
    (n1, x1, _), (n2, x2, _) = _between(left, middle), _between(middle, right)
    return {
        "n": n,
        "x": x,
        "xx": xx,
        "e": y * n - x,
        "ee": np.maximum(xx - 2 * y * x + y * y * n, 0.0),
        "ae": y * (n1 - n2) - x1 + x2,
        "xy": y * x,
        "yy": y * y * n,
        "zeroed": n * (y == 0),
    }


def _slice(p: _Prefix, s: slice) -> _Prefix:
    return _Prefix(p.n[:, s], p.x[:, s], p.xx[:, s])


def _clipped(
    cells: Cells, edges: np.ndarray, y: np.ndarray, parts: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    n, ee = parts["n"], parts["ee"]
    inside = ee[:, 1:-1].sum(axis=1)
    if (inside < cells.prefix[2][0, -1] * LOST).any():
        near = (cells.hi[0] >= edges[:, 1].min()) & (cells.lo[0] < edges[:, -2].max())
        close = Cells(cells.lo[:, near], cells.hi[:, near], cells.count[:, near], False)
        inside = (
            _integrals(close, edges, y)["ee"][:, 1:-1].sum(axis=1) if near.any() else 0 * inside
        )
    ends = {"clipped_low": n[:, 0], "clipped_high": n[:, -1]}
    ends |= {"ee_low": ee[:, 0], "ee_high": ee[:, -1], "ee_inside": inside}
    return {name: v.astype(np.float64) for name, v in ends.items()}


def _zeroed(quantizer: Quantizer, zeroed: np.ndarray, zeros: np.ndarray) -> np.ndarray:
    """Elements that become 0, less those that were."""
    stays = quantizer.fake_quantize(np.zeros((1, 1), np.float32))[:, 0] == 0
    return np.maximum(zeroed - np.where(stays, zeros, 0), 0)


def _of_cells_alone(cells: Cells, zeros: np.ndarray, groups: int) -> dict[str, np.ndarray]:
    """Sums that do not depend on the quantizer."""
    zero = _below(cells, np.zeros((1, 1)))
    ax = float(cells.prefix[1][0, -1] - 2 * zero.x[0, 0])
    mean = float(cells.prefix[1][0, -1]) / max(cells.total[0], 1)
    off, width = (cells.lo[0] + cells.hi[0]) / 2 - mean, cells.hi[0] - cells.lo[0]
    m2 = (cells.count[0] * (off * off + width * width / 12)).sum()
    alone = {"ax": ax, "m2": m2, "nonzero": float(cells.total[0] - zeros[0])}
    return {name: np.full(groups, value) for name, value in alone.items()}


def _worst(
    cells: Cells, edges: np.ndarray, y: np.ndarray, n: np.ndarray, frame: Frame
) -> np.ndarray:
    """Largest |e| at the outermost elements of each region; the ends of x are exact."""
    lo, hi = cells.lo[0], cells.hi[0]
    count, at = len(lo), np.searchsorted(hi, edges, side="left")
    first = np.maximum(edges[:, :-1], lo[np.minimum(at[:, :-1], count - 1)])
    cell = at[:, 1:]
    cut = (cell < count) & (lo[np.minimum(cell, count - 1)] < edges[:, 1:])
    last = np.where(cut, edges[:, 1:], hi[np.maximum(cell - 1, 0)])
    first, last = (np.clip(v, frame.lo[:, None], frame.hi[:, None]) for v in (first, last))
    far = np.maximum(np.abs(y - first), np.abs(y - last))
    return np.where(n > 0, far, 0.0).max(axis=1).astype(np.float64)


def _tables(cells: Cells, n: np.ndarray, y: np.ndarray, frame: Frame) -> dict[str, Any]:
    codes = n[:, 1:-1].astype(np.float64)
    codes[:, 0] += n[:, 0]
    codes[:, -1] += n[:, -1]
    inner = frame.lo + (frame.hi - frame.lo) * np.arange(1, BINS) / BINS
    below = np.concatenate([[0.0], _below(cells, inner).n, [cells.total[0]]])
    x_bins = np.broadcast_to(np.diff(below.astype(np.float64)), (len(y), BINS))
    y_bins = counts(bin_of(y, frame), BINS, n.astype(np.float64))
    return {"codes": codes, "x_bins": x_bins, "y_bins": y_bins}


@np.errstate(all="ignore")
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
