"""All grids that hold 0, as points of a plane on which the squared error is smooth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.observers.landscape import Landscape
from qviz.quantizers.base import covered

ROUNDS = 6  # halvings of the distance to a neighbour
DEEPEST = 2.0**-14  # narrowest grid looked at, as a share of the widest
ALONG = np.array([[-1, 0], [1, 0]])
AROUND = np.array([[i, j] for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)])


@dataclass(frozen=True, eq=False)
class Plane:
    """All grids with 0 on a level: step s, and z steps from the lowest level up to 0.

    lo = -z * s, hi = (steps - z) * s. Over s and whole z the error is smooth, where over lo and
    hi it jumps as 0 snaps to a level. Points are (groups, points, 2), last axis (s, z).

    ``lo``, ``hi``: the data's ends widened to 0, (groups, 1). ``turn``: the z of symmetric grids
    and of data of one sign, (groups, 1); None where z is free.
    """

    landscape: Landscape
    lo: np.ndarray
    hi: np.ndarray
    turn: np.ndarray | None

    @property
    def steps(self) -> int:
        """Steps from the lowest to the highest level."""
        return self.landscape.target.spec.levels - 1

    @property
    def moves(self) -> np.ndarray:
        """Directions to the neighbours of a point."""
        return AROUND if self.turn is None else ALONG

    def ends(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of the range, lo and hi, each (groups, points)."""
        s, z = points[..., 0], points[..., 1]
        return 0.0 - z * s, (self.steps - z) * s

    def errors(self, points: np.ndarray) -> np.ndarray:
        """Sums of squared errors, (groups, points)."""
        return self.landscape.errors(*self.ends(points))

    def place(self, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        """Points of the grids that the mode makes of ranges, each (groups, ranges)."""
        if self.turn is not None:
            sides = ((-lo, self.turn), (hi, self.steps - self.turn))
            s = np.maximum(*(np.where(part > 0, far / _positive(part), 0) for far, part in sides))
            return np.stack([s, np.broadcast_to(self.turn, s.shape)], axis=-1)
        spanned = covered(self.landscape.grid(lo.ravel(), hi.ravel()))
        lo, hi = spanned.lo.reshape(lo.shape), spanned.hi.reshape(hi.shape)
        s = (hi - lo) / self.steps
        return np.stack([s, np.rint(-lo / _positive(s))], axis=-1)

    def turns(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest z at which neither outermost level is idle."""
        if self.turn is not None:
            fixed = np.broadcast_to(self.turn, s.shape)
            return fixed, fixed
        least = self.steps - self.hi / _positive(s) - 0.5
        most = 0.5 - self.lo / _positive(s)
        return np.clip(least, 0, self.steps), np.clip(most, 0, self.steps)

    def coarse(self, error: np.ndarray, wide: int, tall: int) -> tuple[np.ndarray, np.ndarray]:
        """``wide`` steps s, even in log s, with ``tall`` z each, and the spacing of log s.

        The widest grid has its outermost levels half a step beyond the data. The narrowest is
        bounded by the best ``error`` known, (groups, 1): clipping at distance t costs at least
        sum x^2 - 2 t sum |x|.
        """
        top = (self.hi - self.lo) / self.steps * (1 + 1 / max(self.steps - 2, 1))
        width = self._narrowest(error)
        deep = np.clip(width / self.steps / _positive(top), DEEPEST, 0.9)
        s = (top * deep ** np.linspace(0, 1, wide))[:, :, None]
        least, most = self.turns(s[:, :, 0])
        part = np.linspace(0, 1, tall) if tall > 1 else np.array([0.5])
        z = np.rint(least[:, :, None] + (most - least)[:, :, None] * part)
        z = z if self.turn is None else np.broadcast_to(self.turn[:, :, None], z.shape)
        points = np.stack([np.broadcast_to(s, z.shape), z], axis=-1)
        return points.reshape(len(s), -1, 2), -np.log(deep) / (wide - 1)

    def _narrowest(self, error: np.ndarray) -> np.ndarray:
        cells = self.landscape.cells
        middle = (cells.lo + cells.hi) / 2
        sums = cells.count * middle
        above = np.where(middle > 0, sums, 0.0).sum(axis=1, keepdims=True)
        below = above - sums.sum(axis=1, keepdims=True)
        energy = (sums * middle).sum(axis=1, keepdims=True)
        two_sided = self.landscape.target.spec.symmetric
        reach = (above + below) / 2 if two_sided else np.maximum(above, below)
        return (energy - error) / _positive(2 * reach)

    def walk(self, points: np.ndarray, spacing: np.ndarray, tall: int) -> tuple[np.ndarray, ...]:
        """The best reached from each point, halving the distance to its neighbours each round."""
        errors = self.errors(points)
        least, most = self.turns(points[..., 0])
        apart = (most - least) / max(tall - 1, 1)
        for halved in range(1, ROUNDS + 1):
            near = self._neighbours(points, spacing * 0.5**halved, apart * 0.5**halved)
            found = self.errors(near.reshape(len(near), -1, 2)).reshape(near.shape[:3])
            at = found.argmin(axis=2)[..., None]
            best = np.take_along_axis(found, at, 2)[..., 0]
            better = best < errors
            there = np.take_along_axis(near, at[..., None], 2)[:, :, 0]
            points = np.where(better[..., None], there, points)
            errors = np.where(better, best, errors)
        return points, errors

    def _neighbours(self, points: np.ndarray, spacing: np.ndarray, apart: np.ndarray) -> np.ndarray:
        """(groups, points, moves, 2)."""
        moves = self.moves
        s = points[..., :1] * np.exp(spacing[..., None] * moves[:, 0])
        z = points[..., 1:] + np.maximum(1.0, np.rint(apart))[..., None] * moves[:, 1]
        z = z if self.turn is not None else np.clip(z, 0, self.steps)
        return np.stack([s, z], axis=-1)


def _positive(values: np.ndarray) -> np.ndarray:
    return np.where(values > 0, values, 1.0)
