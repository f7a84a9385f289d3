"""The error over the ranges that could be kept, in its parts: a line of clips, a plane of ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.metrics.base import decibels
from qviz.metrics.regions import FEW
from qviz.observers.landscape import BLOCK, VALUE_NS, Landscape
from qviz.observers.nearby import below, near_zero
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.base import Quantizer
from qviz.stats.cells import Cells


@dataclass(frozen=True, eq=False)
class Parts:
    """Sums over the elements under one range each; every field (ranges,), float64.

    ``clipping`` and ``rounding`` are sums of e^2 over the clipped elements and over the others,
    ``clipped`` counts the former. ``energy`` is sum x^2, ``n`` the number of elements.
    """

    clipping: np.ndarray
    rounding: np.ndarray
    clipped: np.ndarray
    energy: float
    n: float

    @property
    def sqnr(self) -> np.ndarray:
        """10 log10(sum x^2 / sum e^2) in dB; +inf where nothing is lost."""
        return self._decibels(self.clipping + self.rounding)

    @property
    def only_clipping(self) -> np.ndarray:
        """SQNR in dB if nothing but clipped elements had an error."""
        return self._decibels(self.clipping)

    @property
    def only_rounding(self) -> np.ndarray:
        """SQNR in dB if clipped elements had no error."""
        return self._decibels(self.rounding)

    @property
    def share(self) -> np.ndarray:
        """Part of the squared error that is clipping, 0 to 1; 0 where nothing is lost."""
        whole = self.clipping + self.rounding
        with np.errstate(all="ignore"):
            return np.where(whole > 0, self.clipping / np.where(whole > 0, whole, 1.0), 0.0)

    def _decibels(self, noise: np.ndarray) -> np.ndarray:
        return decibels(np.full(noise.shape, self.energy), noise)


@np.errstate(all="ignore")
def parts(landscape: Landscape, lo: np.ndarray, hi: np.ndarray) -> Parts:
    """Parts of the squared error of ranges (ranges,) on the first group.

    Exact where the cells are and there are at most 1024 codes; otherwise elements are taken as
    evenly spread within a cell, and rounding to more codes as step^2 / 12 away from 0.
    """
    if landscape.one_by_one:
        return _added(landscape.cells, _by_value(landscape, lo, hi))
    return even_parts(landscape.cells, landscape.grid(lo, hi))


def cost(landscape: Landscape) -> float:
    """Nanoseconds per range, roughly."""
    if landscape.one_by_one:
        return 2 * VALUE_NS * (landscape.nodes[0].shape[1] + 1)
    return landscape.cost


@np.errstate(all="ignore")
def even_parts(cells: Cells, grid: Quantizer) -> Parts:
    """Parts under each group of an even grid, wherever its levels lie; one row of cells."""
    low, high = grid.ends
    ends = np.concatenate([grid.levels(low, low), grid.levels(high, high)], axis=1)
    step = (ends[:, 1:] - ends[:, :1]) / (high - low)
    if high - low >= FEW:
        out = _of_ends(cells, ends, step)
        out[:, 1] += near_zero(cells, grid)
        return _added(cells, out)
    codes = np.arange(high - low + 1)
    tall = max(1, BLOCK // len(codes))
    cuts = [slice(start, start + tall) for start in range(0, len(ends), tall)]
    sums = [_of_levels(cells, ends[cut, :1] + step[cut] * codes, step[cut]) for cut in cuts]
    return _added(cells, np.concatenate(sums))


def unsnapped(lo: np.ndarray, hi: np.ndarray, levels: int) -> Quantizer:
    """Even grids that begin at lo and end at hi, whether or not 0 is a level."""
    scale = (hi - lo) / (levels - 1)
    return AffineQuantizer(scale, -lo / scale, 0, levels - 1)


def _of_levels(cells: Cells, y: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Sums of e^2 clipped and rounded, and the clipped elements, (groups, 3); y all levels."""
    edges = np.concatenate([y[:, :1] - step / 2, y + step / 2], axis=1)
    y = np.concatenate([y[:, :1], y, y[:, -1:]], axis=1)
    n, ee = _regions(cells, edges, y)
    clipping, clipped = ee[:, 0] + ee[:, -1], n[:, 0] + n[:, -1]
    return np.stack([clipping, ee[:, 1:-1].sum(axis=1), clipped], axis=1).astype(np.float64)


def _of_ends(cells: Cells, ends: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The same sums from the outermost levels: rounding as step^2 / 12 per element inside."""
    edges = ends + step * np.array([-0.5, 0.5])
    n, ee = _regions(cells, edges, ends[:, [0, 0, 1]])
    rounding = n[:, 1] * step[:, 0] * step[:, 0] / 12
    sums = ee[:, 0] + ee[:, 2], rounding, n[:, 0] + n[:, 2]
    return np.stack(sums, axis=1).astype(np.float64)


def _regions(cells: Cells, edges: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Elements between neighbouring edges, and their sum of (x - y)^2; the outer ones included."""
    edges = np.pad(edges, ((0, 0), (1, 1)), constant_values=((0, 0), (-np.inf, np.inf)))
    n, x, xx = (np.diff(sums, axis=1) for sums in below(cells, edges))
    return n, np.maximum(xx - 2 * y * x + y * y * n, 0.0)


def _by_value(landscape: Landscape, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """The same sums from values with weights, by the grid's own arithmetic."""
    x, weight = (v[:1] for v in landscape.nodes)
    out = np.empty((lo.size, 3))
    tall = max(1, BLOCK // max(x.shape[1], 1))
    for start in range(0, lo.size, tall):
        cut = slice(start, start + tall)
        grid = landscape.grid(lo[cut], hi[cut])
        codes, (low, high) = grid.encode(x), grid.ends
        out_of_it = (codes < low) | (codes > high)
        off = grid.fake_quantize(x) - x.astype(np.float64)
        ee = off * off * weight
        clipping = np.where(out_of_it, ee, 0.0).sum(axis=1)
        clipped = np.where(out_of_it, weight, 0.0).sum(axis=1)
        out[cut] = np.stack([clipping, ee.sum(axis=1) - clipping, clipped], axis=1)
    return np.where(np.isnan(out), np.inf, out)


def _added(cells: Cells, sums: np.ndarray) -> Parts:
    middle, width = (cells.lo[0] + cells.hi[0]) / 2, cells.hi[0] - cells.lo[0]
    energy = float((cells.count[0] * (middle * middle + width * width / 12)).sum())
    return Parts(sums[:, 0], sums[:, 1], sums[:, 2], energy, float(cells.total[0]))
