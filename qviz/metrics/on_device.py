"""The exact pass where the elements are: only sums and counts leave the device.

Counts are those of the processor, since each code is computed by the same operations. Sums of
float64 differ in their last digits, for devices add in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz import xp
from qviz.metrics.base import MOST_COUNTS, Totals
from qviz.metrics.bins import BINS, Frame
from qviz.metrics.producers import of_rows_each as on_host
from qviz.metrics.producers import step_of, with_level_bins
from qviz.quantizers.base import MOST_LEVELS, Quantizer
from qviz.xp import Array


@dataclass(frozen=True, eq=False)
class _Elements:
    """Rows with NaN and infinities as 0, which ``there`` tells from real ones; x in float64."""

    rows: Array
    x: Array
    there: Array
    ns: Any

    def sum(self, values: Array) -> np.ndarray:
        """Sum over the real elements of each row."""
        return xp.host((values * self.there).sum(1))

    def count(self, mask: Array) -> np.ndarray:
        """Real elements where the mask is true, float64."""
        return xp.host((mask & self.there).sum(1)).astype(np.float64)

    def most(self, values: Array) -> np.ndarray:
        """Largest value of the real elements; -inf where there is none."""
        low = self.ns.full_like(values, -float("inf"))
        return xp.host(self.ns.where(self.there, values, low).amax(1))

    def table(self, at: Array, columns: int) -> np.ndarray:
        """Real elements of each column, (groups, columns), float64; ``at`` holds their columns."""
        at = self.ns.where(self.there, at, self.ns.full_like(at, columns)).long()
        starts = xp.like(np.arange(len(at)) * (columns + 1), at, "int64")
        found = self.ns.bincount((at + starts).reshape(-1), minlength=len(at) * (columns + 1))
        return xp.host(found).astype(np.float64).reshape(len(at), -1)[:, :columns]


def of_rows_each(rows: Array, quantizers: Sequence[Quantizer], frame: Frame) -> list[Totals]:
    """Totals of the same rows (groups, elements) of a device under each quantizer."""
    if not xp.size(rows):
        return on_host(xp.host(rows), quantizers, frame)
    ns = xp.namespace(rows)
    there = ns.isfinite(rows)
    rows = ns.where(there, rows, ns.zeros_like(rows))
    elements = _Elements(rows, xp.astype(rows, "float64"), there, ns)
    facts = _facts(elements, frame)
    return [_totals(elements, quantizer, frame, facts) for quantizer in quantizers]


def _facts(e: _Elements, frame: Frame) -> dict[str, Any]:
    """What no quantizer changes."""
    n, total, size = e.count(e.there), e.sum(e.x), e.ns.abs(e.x)
    off = e.x - xp.like(total / np.maximum(n, 1), e.x, "float64")
    facts = {"n": n, "nonzero": e.count(e.x != 0), "x": total, "xx": e.sum(e.x * e.x)}
    facts |= {"m2": e.sum(off * off), "ax": e.sum(size)}
    facts |= {"x_min": -e.most(-e.x) + 0.0, "x_max": e.most(e.x) + 0.0}
    if len(n) * BINS <= MOST_COUNTS:
        facts["x_bins"] = e.table(_bin_of(e.x, frame), BINS)
    return facts


def _totals(e: _Elements, q: Quantizer, frame: Frame, facts: dict[str, Any]) -> Totals:
    codes = q.encode(e.rows)
    wraps = type(q).quantize is not Quantizer.quantize
    kept = q.quantize(e.rows) if wraps else xp.clip(codes, *q.ends)
    codes, kept, y = (xp.astype(v, "float64") for v in (codes, kept, q.dequantize(kept)))
    off = y - e.x
    size, step, candidates = e.ns.abs(off), step_of(q), len(y) // len(e.x)
    sums = {"e": e.sum(off), "ae": e.sum(size), "xy": e.sum(e.x * y), "yy": e.sum(y * y)}
    sums |= {"max_e": np.maximum(e.most(size), 0.0), "zeroed": e.count((y == 0) & (e.x != 0))}
    sums |= _squared(e, off * off, codes, q.ends)
    sums |= {"e_steps": sums["e"] / step, "ee_steps": sums["ee"] / step / step}
    if candidates > 1:
        facts = {name: np.repeat(v, candidates, axis=0) for name, v in facts.items()}
    tables = {} if np.isnan(sums["yy"]).any() else _tables(e, kept, y, q, frame)
    return with_level_bins(Totals(**facts, **sums, **tables), q, frame)


def _squared(e: _Elements, ee: Array, codes: Array, ends: tuple[int, int]) -> dict[str, np.ndarray]:
    """Clipped elements, and the sums of e^2 over them and over the others."""
    low, high = codes < ends[0], codes > ends[1]
    none = e.ns.zeros_like(ee)
    out = {"clipped_low": e.count(low), "clipped_high": e.count(high)}
    out |= {"ee_low": e.sum(e.ns.where(low, ee, none))}
    out |= {"ee_high": e.sum(e.ns.where(high, ee, none))}
    out |= {"ee_inside": e.sum(e.ns.where(low | high, none, ee))}
    return out | {"ee": out["ee_low"] + out["ee_high"] + out["ee_inside"]}


def _tables(e: _Elements, kept: Array, y: Array, q: Quantizer, frame: Frame) -> dict[str, Any]:
    """Counts of codes, and bins of y unless these follow level by level from them."""
    low, high = q.ends
    groups, levels, out = len(y), high - low + 1, {}
    if groups * levels <= MOST_COUNTS:
        out["codes"] = e.table(kept - low, levels)
    if groups * BINS <= MOST_COUNTS and not ("codes" in out and levels <= MOST_LEVELS):
        out["y_bins"] = e.table(_bin_of(y, frame), BINS)
    return out


def _bin_of(values: Array, frame: Frame) -> Array:
    """Bin 0..255 over [lo, hi] of each value; outside counts in the end bins."""
    width = (frame.hi - frame.lo) / BINS
    start = xp.like(np.where(np.isfinite(frame.lo), frame.lo, 0.0), values, "float64")
    wide = np.where((width > 0) & np.isfinite(width), width, 1.0)
    return xp.clip((values - start) / xp.like(wide, values, "float64"), 0, BINS - 1).long()
