"""Equal bins as numpy.histogram makes and fills them, for either kind of array."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qviz import xp
from qviz.stats.base import Batch
from qviz.stats.stream import chunks
from qviz.xp import Array

BLOCK = 2**16  # elements binned at a time: what is computed of them stays in the cache
MOST_BINS = 2**20  # a histogram that grows beyond is refused: 8 MB of counts, hours of searching


def pieces(batch: Batch, *, magnitudes: bool = False) -> Iterator[Array]:
    """Flat pieces of a batch in float32 (float16 stays), on request as magnitudes."""
    for rows in chunks(batch):
        x = rows.reshape(-1)
        x = x if xp.dtype_name(x) == "float16" else xp.astype(x, "float32")
        for start in range(0, xp.size(x), BLOCK):
            part = x[start : start + BLOCK]
            yield xp.namespace(part).abs(part) if magnitudes else part


def kind_of(batch: Batch) -> type[np.float16] | type[np.float32]:
    """The type in which a batch is binned."""
    return np.float16 if xp.dtype_name(batch.x) == "float16" else np.float32


def extremes(batch: Batch) -> tuple[np.floating, np.floating, bool]:
    """Least and greatest element, NaN left out, and whether there is NaN; 0, 0 of an empty batch.

    NaN where every element is.
    """
    kind = kind_of(batch)
    lo, hi, odd, seen = kind(np.inf), kind(-np.inf), False, False
    for x in pieces(batch):
        ns = xp.namespace(x)
        real = ~ns.isnan(x)
        odd, seen = odd or not real.all(), True
        for_min, for_max = ns.where(real, x, np.inf), ns.where(real, x, -np.inf)
        lo = np.minimum(lo, kind(xp.host(ns.amin(for_min, axis=0, keepdims=True))[0]))
        hi = np.maximum(hi, kind(xp.host(ns.amax(for_max, axis=0, keepdims=True))[0]))
    if not seen:
        return kind(0), kind(0), False
    return (lo, hi, odd) if lo <= hi else (kind(np.nan), kind(np.nan), True)


def equal_edges(lo: np.floating, hi: np.floating, bins: int) -> np.ndarray | str:
    """``bins`` + 1 edges from ``lo`` to ``hi``, or why there are none.

    A range without width reaches 1/2 to either side.
    """
    kind = type(lo)
    if not (np.isfinite(lo) and np.isfinite(hi)):
        return f"The range {lo:g} to {hi:g} of a batch is not finite."
    if lo == hi:
        lo, hi = kind(lo - kind(0.5)), kind(hi + kind(0.5))
    if not np.isfinite(hi - lo):
        return f"The width of the range {lo:g} to {hi:g} overflows {np.dtype(kind).name}."
    edges = np.linspace(lo, hi, bins + 1, dtype=kind)
    if (edges[:-1] >= edges[1:]).any():
        return f"{bins} bins are too many for the range {lo:g} to {hi:g}."
    return edges


def counted(batch: Batch, edges: np.ndarray, *, magnitudes: bool = False) -> np.ndarray:
    """Elements per equal bin, int64 (bins,); the last edge counts in, what is outside does not.

    bin = trunc((x - lo) / (hi - lo) * bins), then one down or up where x lies beyond its edges.
    """
    counts = np.zeros(len(edges) - 1, np.int64)
    for x in pieces(batch, magnitudes=magnitudes):
        counts += _of_piece(x, edges)
    return counts


def _of_piece(x: Array, edges: np.ndarray) -> np.ndarray:
    ns, bins = xp.namespace(x), len(edges) - 1
    lo, hi = edges[0], edges[-1]
    inside = (x >= float(lo)) & (x <= float(hi))
    x = x if inside.all() else x[inside]
    part = xp.div(x - float(lo), float(hi - lo))
    at = xp.astype(part * float(type(lo)(bins)), "int64")
    at = xp.clip(at, 0, bins - 1)
    table = _beside(edges, x)
    at = at - xp.astype(x < table[at], "int64")
    at = at + xp.astype((x >= table[at + 1]) & (at != bins - 1), "int64")
    return xp.host(ns.bincount(at, minlength=bins))


def counted_between(batch: Batch, edges: np.ndarray) -> np.ndarray:
    """Magnitudes per bin between any ascending edges, int64 (bins,); as ``counted`` else."""
    below = np.zeros(len(edges), np.int64)
    for x in pieces(batch, magnitudes=True):
        ns = xp.namespace(x)
        ordered = ns.sort(x) if ns is np else ns.sort(x).values
        ordered = xp.astype(ordered, edges.dtype.name)
        table = _beside(edges, x)
        first = ns.searchsorted(ordered, table[:-1], side="left")
        last = ns.searchsorted(ordered, table[-1:], side="right")
        below += np.concatenate([xp.host(first), xp.host(last)])
    return np.diff(below)


def _beside(edges: np.ndarray, x: Array) -> Array:
    """The edges as the same kind of array as ``x``, on its device."""
    ns = xp.namespace(x)
    return edges if ns is np else ns.from_numpy(edges).to(x.device)
