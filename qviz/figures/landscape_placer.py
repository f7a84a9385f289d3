"""Names beside points that crowd: each goes where it covers least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ANGLES = 2 * np.pi * np.arange(24) / 24
RADII = np.array([14.0, 22.0, 32.0, 44.0, 58.0, 76.0, 96.0])  # pixels from a point to its name
REACH = 9.0  # pixels around a point that a name should leave free
COVERED, CROSSED, OUTSIDE = 60.0, 40.0, 60.0  # costs in pixels: a point, a leader, a pixel
APART = 6.0  # pixels between words
Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels, x to the right and y down: its middle and its extents."""

    x: float
    y: float
    width: float
    height: float

    def overlap(self, other: Box) -> float:
        """Area that both cover."""
        wide = (self.width + other.width) / 2 - abs(self.x - other.x)
        tall = (self.height + other.height) / 2 - abs(self.y - other.y)
        return max(wide, 0.0) * max(tall, 0.0)

    def covers(self, x: float, y: float) -> bool:
        """Whether a point lies inside, or nearly so."""
        near = abs(x - self.x) - REACH < self.width / 2
        return near and abs(y - self.y) - REACH < self.height / 2


def placed(
    named: Sequence[Box],
    points: Sequence[Point],
    frame: tuple[float, float],
    taken: Sequence[Box] = (),
) -> list[Box]:
    """Where each name goes; ``named`` holds its point and the extents of the words.

    From left to right each takes the cheapest of 24 angles and 7 distances. Cost: the distance,
    words covered, ``points`` covered, leaders crossed, and what leaves the ``frame``. ``taken``
    are places of other words.
    """
    boxes, leaders = list(taken), []
    found: dict[int, Box] = {}
    for i in sorted(range(len(named)), key=lambda i: named[i].x):
        point = named[i]
        x, y = _spots(point)
        cost = np.hypot(x - point.x, y - point.y) - point.width / 4
        cost = cost + _overlaps(point, x, y, boxes) + COVERED * _hidden(point, x, y, points)
        cost = cost + CROSSED * _crossings(point, x, y, leaders) + _outside(point, x, y, frame)
        at = int(cost.argmin())
        found[i] = Box(float(x[at]), float(y[at]), point.width, point.height)
        boxes.append(found[i])
        leaders.append((point, found[i]))
    return [found[i] for i in range(len(named))]


def _spots(point: Box) -> tuple[np.ndarray, np.ndarray]:
    """Middles of the words at all angles and distances, which are measured to their edges."""
    angle, radius = (v.ravel() for v in np.meshgrid(ANGLES, RADII, indexing="ij"))
    x = point.x + np.cos(angle) * (radius + point.width / 2)
    return x, point.y + np.sin(angle) * (radius + point.height / 2)


def _overlaps(point: Box, x: np.ndarray, y: np.ndarray, boxes: Sequence[Box]) -> np.ndarray:
    """Area of other words that each spot covers."""
    b = np.array([(box.x, box.y, box.width, box.height) for box in boxes]).reshape(-1, 4)
    wide = APART + (point.width + b[:, 2]) / 2 - np.abs(x[:, None] - b[:, 0])
    tall = APART / 2 + (point.height + b[:, 3]) / 2 - np.abs(y[:, None] - b[:, 1])
    return (np.maximum(wide, 0.0) * np.maximum(tall, 0.0)).sum(axis=1)


def _hidden(point: Box, x: np.ndarray, y: np.ndarray, points: Sequence[Point]) -> np.ndarray:
    """Points, but its own, that each spot covers or nearly does."""
    others = np.array([p for p in points if p != (point.x, point.y)]).reshape(-1, 2)
    near = np.abs(x[:, None] - others[:, 0]) < REACH + point.width / 2
    return (near & (np.abs(y[:, None] - others[:, 1]) < REACH + point.height / 2)).sum(axis=1)


def _outside(point: Box, x: np.ndarray, y: np.ndarray, frame: tuple[float, float]) -> np.ndarray:
    """Pixels by which each spot leaves the frame."""
    wide, tall = point.width / 2, point.height / 2
    ends = wide - x, x + wide - frame[0], tall - y, y + tall - frame[1]
    return OUTSIDE * np.maximum(ends, 0.0).sum(axis=0)


def _crossings(
    point: Box, x: np.ndarray, y: np.ndarray, leaders: Sequence[tuple[Box, Box]]
) -> np.ndarray:
    """Leaders that the leader to each spot crosses."""
    count = np.zeros(len(x))
    for a, b in leaders:
        apart = _left(a, b, point.x, point.y) != _left(a, b, x, y)
        count += apart & (_turns(point, x, y, a) != _turns(point, x, y, b))
    return count


def _left(a: Box, b: Box, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
    """Whether points lie left of the way from a to b."""
    return np.asarray((b.x - a.x) * (y - a.y) > (b.y - a.y) * (x - a.x))


def _turns(point: Box, x: np.ndarray, y: np.ndarray, c: Box) -> np.ndarray:
    """Whether c lies left of the way from the point to each spot."""
    return (x - point.x) * (c.y - point.y) > (y - point.y) * (c.x - point.x)
