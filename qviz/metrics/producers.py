"""Totals of values, one by one or with a count each: the exact pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qviz import xp
from qviz.metrics.base import MOST_COUNTS, Totals, added
from qviz.metrics.bins import BINS, Frame, bin_of, counts
from qviz.metrics.sums import Adder
from qviz.quantizers.base import MOST_LEVELS, Quantizer
from qviz.stats.cells import Cells
from qviz.xp import Array

BLOCK = 2**16  # elements at a time: what is computed of them stays in the cache


def of_rows(rows: Array, quantizer: Quantizer, frame: Frame) -> Totals:
    """Totals of rows (groups, elements); the quantizer has as many groups, or one.

    Of one row, the quantizer may have many groups: candidates. NaN and infinities are left out.
    """
    return of_rows_each(rows, [quantizer], frame)[0]


def of_rows_each(rows: Array, quantizers: Sequence[Quantizer], frame: Frame) -> list[Totals]:
    """Totals of the same rows under each quantizer; what they share is computed once."""
    return _each(rows, None, quantizers, frame)


def of_cells(cells: Cells, quantizer: Quantizer, frame: Frame) -> Totals:
    """Totals of cells that are single values: exact."""
    values, weight = cells.lo.astype(cells.dtype), cells.count.astype(np.float64)
    return _each(values, weight, [quantizer], frame)[0]


@np.errstate(all="ignore")
def _each(
    rows: Array, weight: np.ndarray | None, quantizers: Sequence[Quantizer], frame: Frame
) -> list[Totals]:
    parts: list[list[Totals]] = [[] for _ in quantizers]
    for cut in _cuts(rows, quantizers):
        reference = _reference(rows[:, cut], None if weight is None else weight[:, cut], frame)
        for part, quantizer in zip(parts, quantizers, strict=True):
            part.append(_totals(reference, quantizer, frame, rows.shape[1]))
    return [with_level_bins(added(p), q, frame) for p, q in zip(parts, quantizers, strict=True)]


def _cuts(rows: Array, quantizers: Sequence[Quantizer]) -> Iterator[slice]:
    """Blocks of columns, large enough that no table of counts is larger than its block."""
    levels = max((_levels(q) for q in quantizers), default=1)
    candidates = max((len(q.step) for q in quantizers if q.step is not None), default=1)
    groups = max(rows.shape[0], candidates)
    width = max(BINS, min(levels, BLOCK, MOST_COUNTS // groups), BLOCK // groups)
    for start in range(0, max(rows.shape[1], 1), width):
        yield slice(start, start + width)


def step_of(q: Quantizer) -> np.ndarray:
    """Step of each group; NaN where the grid has none above 0."""
    step = np.full(1, np.nan) if q.step is None else np.asarray(q.step, np.float64)
    return np.where(step > 0, step, np.nan)


def _levels(q: Quantizer) -> int:
    low, high = q.ends
    return high - low + 1


@dataclass(frozen=True, eq=False)
class _Reference:
    """Elements, NaN and infinities as 0 with weight 0, and what no quantizer changes of them."""

    rows: Array
    x: np.ndarray
    weight: np.ndarray | None
    zero: np.ndarray
    facts: dict[str, Any]


def _reference(rows: Array, weight: np.ndarray | None, frame: Frame) -> _Reference:
    finite = None if weight is not None else np.isfinite(xp.host(rows))
    if finite is not None and not finite.all():
        weight = finite.astype(np.float64)
        rows = xp.namespace(rows).where(xp.namespace(rows).isfinite(rows), rows, 0)
    x = _float64(rows)
    add, zero = Adder.of(x.shape, weight), x == 0
    n, total = add.n(), add.sum(x)
    facts = {"n": n, "nonzero": n - add.count(zero), "x": total, "xx": add.dot(x, x)}
    off = np.subtract(x, (total / np.maximum(n, 1))[:, None], out=add.work)
    facts |= {"m2": add.dot(off, off), "ax": add.magnitudes(x)[0]}
    facts["x_min"], facts["x_max"] = add.ends(x)
    if len(x) * BINS <= MOST_COUNTS:
        facts["x_bins"] = counts(bin_of(x, frame), BINS, weight)
    return _Reference(rows, x, weight, zero, facts)


def _float64(values: Array) -> np.ndarray:
    return xp.host(values).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class _Coded:
    """Codes before and after clamping, and what comes back; float64."""

    codes: np.ndarray
    kept: np.ndarray
    y: np.ndarray


def _coded(rows: Array, q: Quantizer) -> _Coded:
    codes = q.encode(rows)
    wraps = type(q).quantize is not Quantizer.quantize
    kept = q.quantize(rows) if wraps else xp.clip(codes, *q.ends)
    return _Coded(*(_float64(v) for v in (codes, kept, q.dequantize(kept))))


def _totals(r: _Reference, q: Quantizer, frame: Frame, length: int) -> Totals:
    """Totals of a block of rows that are ``length`` long."""
    c = _coded(r.rows, q)
    y, e, add = c.y, c.y - r.x, Adder.of(c.y.shape, r.weight)
    sums: dict[str, Any] = {"e": add.sum(e), "xy": add.dot(r.x, y), "yy": add.dot(y, y)}
    sums["ae"], sums["max_e"] = add.magnitudes(e)
    sums["zeroed"] = add.count((y == 0) & ~r.zero)
    sums |= _squared(add, e, c.codes, q.ends)
    step = step_of(q)
    sums["e_steps"], sums["ee_steps"] = sums["e"] / step, sums["ee"] / step / step
    facts, candidates = r.facts, len(y) // max(len(r.x), 1)
    if candidates > 1:
        facts = {name: np.repeat(v, candidates, axis=0) for name, v in facts.items()}
    by_level = _levels(q) <= min(length, MOST_LEVELS)
    tables = {} if np.isnan(sums["yy"]).any() else _tables(add, c, q, frame, by_level)
    return Totals(**facts, **sums, **tables)


def _squared(
    add: Adder, e: np.ndarray, codes: np.ndarray, ends: tuple[int, int]
) -> dict[str, np.ndarray]:
    """Clipped elements, and the sums of e^2 over them and over the others."""
    out, ee = {}, np.multiply(e, e, out=add.work)
    for side, clipped in (("low", codes < ends[0]), ("high", codes > ends[1])):
        at = np.flatnonzero(clipped)
        out["clipped_" + side] = add.sum_at(at, np.ones(len(at)))
        out["ee_" + side] = add.sum_at(at, ee.ravel()[at])
        ee.ravel()[at] = 0.0
    out["ee_inside"] = add.sum(ee)
    out["ee"] = out["ee_low"] + out["ee_high"] + out["ee_inside"]
    return out


def _tables(add: Adder, c: _Coded, q: Quantizer, frame: Frame, by_level: bool) -> dict[str, Any]:
    """Counts of codes, and bins of y unless these follow level by level in the end."""
    levels, groups, out = _levels(q), len(c.y), {}
    if groups * levels <= MOST_COUNTS:
        at = np.subtract(c.kept, q.ends[0], out=add.work)
        out["codes"] = counts(at, levels, add.weight)
    if groups * BINS <= MOST_COUNTS and not (by_level and "codes" in out):
        out["y_bins"] = counts(bin_of(c.y, frame), BINS, add.weight)
    return out


def with_level_bins(t: Totals, q: Quantizer, frame: Frame) -> Totals:
    """Bins of y from the counts of codes, where these are few: all y of a code are its level."""
    if t.codes is None or t.y_bins is not None or len(t.codes) * BINS > MOST_COUNTS:
        return t
    levels = np.broadcast_to(q.levels(), t.codes.shape)
    return replace(t, y_bins=counts(bin_of(levels, frame), BINS, t.codes))
