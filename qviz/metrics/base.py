"""Totals: the sums that every metric is made of, and the registry of metrics."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from qviz.registry import Registry

METRICS = Registry("metric", "qviz.metrics")
SUMS = (
    "n nonzero x xx ax e ee ae xy yy e_steps ee_steps "
    "clipped_low clipped_high ee_low ee_high zeroed"
).split()
TABLES = ("codes", "x_bins", "y_bins")
MOST_COUNTS = 2**22  # numbers kept of codes and of bins


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over the finite elements x, what comes back y and the error e = y - x.

    Every field (groups,), float64, unless said. ``e_steps`` and ``ee_steps`` are sums of e and
    e^2 in steps; NaN where the grid has no step. ``codes`` counts elements per code, (groups,
    levels); ``x_bins``, ``y_bins`` count x and y in 256 equal bins over [x_min, x_max]; None
    where they would be too many, or where groups were added up. ``made`` is ``exact`` or
    ``sketch``: codes, clipped and max_e of a sketch are approximate.
    """

    n: np.ndarray
    nonzero: np.ndarray
    x: np.ndarray
    xx: np.ndarray
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

    def __add__(self, other: Totals) -> Totals:
        """Totals of two chunks of the same groups."""
        both = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        both["x_min"] = np.minimum(self.x_min, other.x_min)
        both["x_max"] = np.maximum(self.x_max, other.x_max)
        both["max_e"] = np.maximum(self.max_e, other.max_e)
        for name in TABLES:
            a, b = getattr(self, name), getattr(other, name)
            both[name] = None if a is None or b is None else a + b
        return Totals(**both, made=worse(self.made, other.made))


def worse(*made: str) -> str:
    """``exact`` only where all are."""
    return "exact" if set(made) <= {"exact"} else "sketch"


def joined(parts: list[Totals]) -> Totals:
    """Totals of tiles, one after the other along groups."""
    if len(parts) == 1:
        return parts[0]
    whole = {}
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
    whole = {name: getattr(totals, name).sum(keepdims=True) for name in SUMS}
    whole["x_min"] = totals.x_min.min(keepdims=True, initial=np.inf)
    whole["x_max"] = totals.x_max.max(keepdims=True, initial=-np.inf)
    whole["max_e"] = totals.max_e.max(keepdims=True, initial=0.0)
    codes = None if totals.codes is None else totals.codes.sum(axis=0, keepdims=True)
    return Totals(**whole, codes=codes, made=totals.made)
