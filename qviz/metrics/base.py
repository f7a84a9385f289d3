"""Totals: the sums that every metric is made of, and the registry of metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any

import numpy as np

from qviz.registry import Registry

METRICS = Registry("metric", "qviz.metrics")
SUMS = (
    "n nonzero x xx ax e ee ae xy yy e_steps ee_steps "
    "clipped_low clipped_high ee_low ee_high ee_inside zeroed"
).split()
PER_GROUP = (*SUMS, "m2", "x_min", "x_max", "max_e")
TABLES = ("codes", "x_bins", "y_bins")
MOST_COUNTS = 2**22  # numbers kept of codes and of bins


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over the finite elements x, what comes back y and the error e = y - x.

    Every field (groups,), float64, unless said. ``m2`` is the sum of (x - mean x)^2. ``ee`` is
    ``ee_low + ee_high + ee_inside``: of elements clipped below, clipped above, and the others.
    ``e_steps`` and ``ee_steps`` are sums of e and e^2 in steps; NaN where the grid has no step.
    ``codes`` counts elements per code, (groups, levels); ``x_bins``, ``y_bins`` count x and y in
    256 equal bins over [x_min, x_max]; None where they would be too many, or where groups were
    added up. ``made`` is ``exact`` or ``sketch``: codes, clipped and max_e of a sketch are
    approximate.
    """

    n: np.ndarray
    nonzero: np.ndarray
    x: np.ndarray
    xx: np.ndarray
    m2: np.ndarray
    ax: np.ndarray
    e: np.ndarray
    ee: np.ndarray
    ae: np.ndarray
    xy: np.ndarray
    yy: np.ndarray
    e_steps: np.ndarray
    ee_steps: np.ndarray
    clipped_low: np.ndarray
    clipped_high: np.ndarray
    ee_low: np.ndarray
    ee_high: np.ndarray
    ee_inside: np.ndarray
    zeroed: np.ndarray
    x_min: np.ndarray
    x_max: np.ndarray
    max_e: np.ndarray
    codes: np.ndarray | None = None
    x_bins: np.ndarray | None = None
    y_bins: np.ndarray | None = None
    made: str = "exact"

    @property
    def groups(self) -> int:
        """Number of groups."""
        return self.n.shape[0]

    @property
    def overflowed(self) -> np.ndarray:
        """Whether a sum is beyond float64, (groups,) bool."""
        return np.any([np.isinf(getattr(self, name)) for name in (*SUMS, "m2")], axis=0)

    def __add__(self, other: Totals) -> Totals:
        """Totals of two chunks of the same groups."""
        return added([self, other])


def added(parts: Sequence[Totals]) -> Totals:
    """Totals of chunks of the same groups."""
    if len(parts) == 1:
        return parts[0]
    whole = _merged({name: np.stack([getattr(p, name) for p in parts]) for name in PER_GROUP})
    tables: dict[str, Any] = {}
    for name in TABLES:
        counts = [getattr(p, name) for p in parts]
        tables[name] = None if any(c is None for c in counts) else reduce(np.add, counts)
    return Totals(**whole, **tables, made=worse(*(p.made for p in parts)))


@np.errstate(all="ignore")
def _merged(parts: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Fields (parts, groups) merged along the parts."""
    whole: dict[str, Any] = {name: parts[name].sum(axis=0) for name in SUMS}
    whole["x_min"] = parts["x_min"].min(axis=0, initial=np.inf)
    whole["x_max"] = parts["x_max"].max(axis=0, initial=-np.inf)
    whole["max_e"] = parts["max_e"].max(axis=0, initial=0.0)
    # not sum x^2 - (sum x)^2 / n, which loses all digits where the mean is large
    off = parts["x"] / np.maximum(parts["n"], 1) - whole["x"] / np.maximum(whole["n"], 1)
    whole["m2"] = (parts["m2"] + parts["n"] * off * off).sum(axis=0)
    return whole


def worse(*made: str) -> str:
    """``exact`` only where all are."""
    return "exact" if set(made) <= {"exact"} else "sketch"


def without_tables(totals: Totals) -> Totals:
    """The sums alone: tables of very many groups would outweigh the tensor."""
    return replace(totals, codes=None, x_bins=None, y_bins=None)


def joined(parts: list[Totals]) -> Totals:
    """Totals of tiles, one after the other along groups."""
    if len(parts) == 1:
        return parts[0]
    whole: dict[str, Any] = {}
    for name in (f.name for f in fields(Totals) if f.name != "made"):
        columns = [getattr(part, name) for part in parts]
        whole[name] = None if any(c is None for c in columns) else np.concatenate(columns)
    for name in TABLES:
        if whole[name] is not None and whole[name].size > MOST_COUNTS:
            whole[name] = None
    return Totals(**whole, made=worse(*(part.made for part in parts)))


def overall(totals: Totals) -> Totals:
    """All groups as one. Bins differ from group to group, so they do not add up."""
    if totals.groups == 1:
        return totals
    whole = _merged({name: getattr(totals, name)[:, None] for name in PER_GROUP})
    codes = None if totals.codes is None else totals.codes.sum(axis=0, keepdims=True)
    return Totals(**whole, codes=codes, made=totals.made)


@np.errstate(all="ignore")
def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quotient a / b; NaN where b is 0, or where either is NaN or infinite."""
    there = (b != 0) & np.isfinite(a) & np.isfinite(b)
    return np.where(there, a, np.nan) / np.where(there, b, 1.0)


@np.errstate(all="ignore")
def decibels(signal: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """10 log10(signal / noise); +inf without noise, NaN without signal, where a sum overflowed."""
    there = (signal > 0) & np.isfinite(signal) & np.isfinite(noise)
    return np.where(there, 10 * np.log10(signal / noise), np.nan)
