"""The squared error of a target's grid on a distribution, for many ranges at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qviz.metrics.regions import FEW, squared_errors
from qviz.observers.cutting import CELLS
from qviz.observers.distinct import Distinct
from qviz.observers.nearby import near_zero
from qviz.observers.sharpening import sharpened
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMax

DISTINCT = Distinct()
NEEDS = (MinMax(), CELLS, DISTINCT)
BLOCK = 2**15  # numbers at a time: what is computed of them stays in the cache
VALUE_NS, REGION_NS = 10.0, 120.0  # measured, one thread: an element, a code's region
OWN_REGIONS = 16  # what a range costs by itself, in regions
FEW_VALUES = 2048  # cells up to which one by one is cheapest, whatever the codes
PROBED = (-1 / 3, -9.0, -0.7, 0.0), (1.0, 9.0, 0.11, 1.0)  # lo, hi of grids that are looked at


@dataclass(frozen=True, eq=False)
class Landscape:
    """Sum of squared errors over the ranges that a target allows.

    Exact where the cells are. Otherwise the elements of a cell are taken as evenly spread, but
    for the least and the greatest.
    """

    cells: Cells
    target: Target

    @staticmethod
    def of(seen: Seen, target: Target) -> Landscape:
        """The landscape of what was seen; the observer must need ``NEEDS``."""
        cells, few = seen[CELLS].cells, seen[DISTINCT].cells
        if few is not None and (not cells.exact or few.lo.size < cells.lo.size):
            return Landscape(few, target)
        return Landscape(sharpened(cells, seen[MinMax()]), target)

    def part(self, groups: np.ndarray | slice) -> Landscape:
        """The landscape of some groups."""
        c = self.cells
        cells = Cells(c.lo[groups], c.hi[groups], c.count[groups], c.exact, c.dtype)
        return Landscape(cells, self.target)

    def asked(self, lo: np.ndarray, hi: np.ndarray) -> Range:
        """A range in the type in which it will be kept, cut to that type's largest."""
        kind = "float64" if self.cells.dtype == "float64" else "float32"
        top = float(np.finfo(kind).max)
        lo, hi = (np.clip(np.nan_to_num(end), -top, top).astype(kind) for end in (lo, hi))
        return Range(lo + 0.0, hi + 0.0, self.cells.exact)  # -0 becomes 0

    def grid(self, lo: np.ndarray, hi: np.ndarray) -> Quantizer:
        """What the mode makes of ranges, one group each."""
        return self.target.mode.quantizer(self.asked(lo, hi), self.target.spec)

    def errors(self, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        """Sum of squared errors per group and range: (groups, ranges) from (groups, ranges).

        Infinite where squares overflow; 0 where there is nothing to see.
        """
        if not self.cells.lo.size:
            return np.zeros(lo.shape)
        with np.errstate(all="ignore"):
            found = (self._by_value if self.one_by_one else self._by_region)(lo, hi)
        return np.where(np.isnan(found), np.inf, found)

    @property
    def cost(self) -> float:
        """Nanoseconds per group and range, roughly; above 0."""
        if self.one_by_one:
            return VALUE_NS * (self.nodes[0].shape[1] + 1)
        return REGION_NS * (min(self.target.spec.levels, FEW) + OWN_REGIONS)

    @cached_property
    def _even(self) -> bool:
        """Whether each code of the grid has the elements up to half a step from its level."""
        probe = self.target.mode.quantizer(Range(*np.array(PROBED)), self.target.spec)
        if probe.step is None or not probe.monotone:
            return False
        low, high = probe.ends
        y = probe.levels()
        near = np.stack([y + side * (y[:, 1:2] - y[:, :1]) for side in (-0.45, 0.45)])
        codes = [probe.encode(part.astype(np.float32)) for part in near]
        return all(bool((part == np.arange(low, high + 1)).all()) for part in codes)

    @cached_property
    def one_by_one(self) -> bool:
        """Whether values are judged one by one: they are few, or the grid is not even."""
        levels, cells = self.target.spec.levels, self.cells.lo.shape[1]
        few = cells <= max(FEW_VALUES, 16 * levels) or levels > FEW
        return not self._even or (self.cells.exact and few)

    @cached_property
    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Values and weights; a wide cell by Simpson's rule, exact where it has one code."""
        c = self.cells
        if c.exact:
            return c.lo.astype(c.dtype), c.count.astype(np.float64)
        values = np.concatenate([c.lo, (c.lo + c.hi) / 2, c.hi], axis=1).astype(c.dtype)
        return values, np.concatenate([c.count / 6, c.count / 1.5, c.count / 6], axis=1)

    def _by_value(self, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        values, weights = self.nodes
        groups, ranges = lo.shape
        owner = np.repeat(np.arange(groups), ranges)
        low, high, out = lo.ravel(), hi.ravel(), np.empty(lo.size)
        tall = max(1, BLOCK // max(values.shape[1], 1))
        for start in range(0, lo.size, tall):
            cut = slice(start, start + tall)
            x, w = (v if groups == 1 else v[owner[cut]] for v in (values, weights))
            e = self.grid(low[cut], high[cut]).fake_quantize(x) - x.astype(np.float64)
            e *= e
            out[cut] = np.einsum("ij,ij->i", e, np.broadcast_to(w, e.shape))
        return out.reshape(lo.shape)

    @cached_property
    def _single(self) -> list[Cells]:
        c = self.cells
        return [self.part(slice(g, g + 1)).cells for g in range(c.groups)]

    def _by_region(self, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        out, levels = np.empty(lo.shape), self.target.spec.levels
        tall = max(1, BLOCK // min(levels, FEW))
        for g, cells in enumerate(self._single):
            for start in range(0, lo.shape[1], tall):
                cut = slice(start, start + tall)
                grid = self.grid(lo[g, cut], hi[g, cut])
                out[g, cut] = squared_errors(cells, grid)
                if levels > FEW:
                    out[g, cut] += near_zero(cells, grid)
        return out

    def sqnr(self, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        """10 log10(sum x^2 / sum e^2) in dB, (groups, ranges); at most 200, 0 without energy."""
        c, errors = self.cells, self.errors(lo, hi)
        with np.errstate(all="ignore"):
            middle, width = (c.lo + c.hi) / 2, c.hi - c.lo
            energy = (c.count * (middle * middle + width * width / 12)).sum(axis=1)[:, None]
            ratio = energy / np.maximum(errors, energy * 1e-20)
            return np.where(ratio > 0, 10 * np.log10(ratio), 0.0)
