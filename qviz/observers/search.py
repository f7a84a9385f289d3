"""The search for the range with the least squared error, for all groups at once."""

from __future__ import annotations

import numpy as np

from qviz.observers.landscape import Landscape
from qviz.observers.plane import ROUNDS, Plane
from qviz.spec import Range
from qviz.stats.minmax import MinMaxState

BUDGET_NS = 12e6  # of one search, roughly
ELEMENT_NS = 600.0  # per element of a group, where there are many groups
FEWEST, MOST = 80, 3000  # ranges tried per group
MOST_STARTS = 16


def tries(landscape: Landscape) -> int:
    """How many ranges a search may try per group."""
    budget = BUDGET_NS
    if landscape.target.granularity.kind != "per_tensor":
        elements = landscape.cells.total.max(initial=1)
        budget = min(budget, ELEMENT_NS * float(elements))
    return int(np.clip(budget / landscape.cost, FEWEST, MOST))


def least_error(landscape: Landscape, spread: MinMaxState, rivals: Range) -> Range:
    """The range with the least squared error that is found, never above that of a rival.

    ``rivals`` are ranges (groups, rivals), the first of equals winning; after them come grids
    that hold 0: a coarse net over step and zero point, and walks from its best points.
    """
    lo, hi = (np.where(spread.finite > 0, end, 0.0)[:, None] for end in (spread.lo, spread.hi))
    lo, hi = np.minimum(lo, 0.0), np.maximum(hi, 0.0)
    one_way = ((lo == 0) | (hi == 0))[:, 0]
    fixed = np.full_like(one_way, True) if landscape.target.spec.symmetric else one_way
    found = [rivals.lo[:, 0].copy(), rivals.hi[:, 0].copy()]
    for groups in (fixed, ~fixed):
        if groups.any():
            plane = _plane(landscape, lo, hi, groups)
            ends = _search(plane, rivals.lo[groups], rivals.hi[groups])
            for kept, end in zip(found, ends, strict=True):
                kept[groups] = end
    return landscape.asked(*found)


def _plane(landscape: Landscape, lo: np.ndarray, hi: np.ndarray, groups: np.ndarray) -> Plane:
    lo, hi = lo[groups], hi[groups]
    part = landscape if groups.all() else landscape.part(groups)
    steps = landscape.target.spec.levels - 1
    if landscape.target.spec.symmetric:
        far = np.maximum(-lo, hi)
        return Plane(part, -far, far, np.full(far.shape, steps / 2))
    one_way = ((lo == 0) | (hi == 0)).all()
    return Plane(part, lo, hi, np.where(hi > 0, 0.0, float(steps)) if one_way else None)


def _search(plane: Plane, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    budget = tries(plane.landscape)
    errors = plane.landscape.errors(lo, hi)
    first = errors.argmin(axis=1)[:, None]
    lo, hi, least = (np.take_along_axis(v, first, 1) for v in (lo, hi, errors))
    half, each = budget // 2, ROUNDS * len(plane.moves)
    tall = 1 if plane.turn is not None else min(plane.steps + 1, max(5, int((half / 2) ** 0.5)))
    net, spacing = plane.coarse(least, max(half // tall, 2), tall)
    starts = _starts(plane, net, (lo, hi, least), min(max(half // each, 1), MOST_STARTS))
    points, reached = plane.walk(starts, spacing, tall)
    best = reached.argmin(axis=1)[:, None]
    ends = plane.ends(np.take_along_axis(points, best[..., None], 1))
    better = np.take_along_axis(reached, best, 1) < least
    return np.where(better, ends[0], lo)[:, 0], np.where(better, ends[1], hi)[:, 0]


def _starts(plane: Plane, net: np.ndarray, rival: tuple[np.ndarray, ...], count: int) -> np.ndarray:
    """The best of all, and the best of each part of the net."""
    lo, hi, least = rival
    errors = plane.errors(net)
    nets = np.concatenate([net, plane.place(lo, hi)], axis=1)
    errors = np.concatenate([errors, least], axis=1)
    parts = np.array_split(np.arange(net.shape[1]), count - 1) if count > 1 else []
    picked = [errors.argmin(axis=1)]
    picked += [part[0] + errors[:, part].argmin(axis=1) for part in parts]
    return np.take_along_axis(nets, np.stack(picked, axis=1)[..., None], 1)
