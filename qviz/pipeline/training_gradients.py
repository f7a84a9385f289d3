"""What one mode does forward and backward: its staircase, its gradients, their sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from qviz import xp
from qviz.pipeline.corners import Curve, corners, evaluated, halved, places
from qviz.quantizers.base import MOST_LEVELS, Quantizer, covered
from qviz.xp import Array

EVEN = 301  # places between jumps at which a gradient is drawn
FINE_JUMPS = 128  # of a parameter's gradient; of more only the largest are followed
LARGE_JUMPS = 16
STANDS_OUT = 8.0  # times the usual move from one sample to the next: a jump
FLAT = 1e-6  # of a gradient: no move at all
SAME = 1e-5  # of the view: corners nearer than this differ by the last bits only

Line = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Portrait:
    """One mode under one range.

    ``stairs`` and the gradients are polylines (x, y), float64, for an upstream gradient of 1.
    ``blocked`` are the intervals in which x gets none. ``levels`` counts the distinct levels,
    ``lo`` and ``hi`` are the first and the last of them.
    """

    quantizer: Quantizer
    levels: int
    lo: float
    hi: float
    stairs: Line
    to_x: Line
    parameters: Mapping[str, Line]
    blocked: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Picked:
    """One element: its code and what comes back, and where its gradient goes.

    ``clipped``: its code lay outside before clamping, or it lies beyond the outer levels and gets
    no gradient, as where a rule clips the value itself.
    """

    x: float
    code: float
    back: float
    clipped: bool
    to_x: float
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class Sums:
    """Gradients of all elements together, for an upstream gradient of 1 each.

    ``passes`` elements hand theirs on to x, of ``count``; ``parameters`` are the sums of the
    terms, ``below`` and ``above`` how many are clipped on that side, as in ``Picked``.
    """

    count: float
    passes: float
    below: float
    above: float
    parameters: Mapping[str, float] = field(default_factory=dict)


def portrait(quantizer: Quantizer, lo: float, hi: float) -> Portrait:
    """The first group's staircase and gradients from ``lo`` to ``hi``.

    Raises
    ------
    QvizError
        ``lo`` is not below ``hi``, or one of them is not finite in float32.
    """
    x = places(lo, hi)
    reach, stairs = covered(quantizer), corners(quantizer, lo, hi)
    names = backward(quantizer, x[:1])[1]
    to_x = _line(evaluated(lambda rows: backward(quantizer, rows[0])[0][None]), x)
    parameters = {name: _line(_term(quantizer, name), x) for name in names}
    ends = float(reach.lo[0]), float(reach.hi[0])
    blocked = tuple(_runs(to_x))
    return Portrait(quantizer, _levels(quantizer), *ends, stairs, to_x, parameters, blocked)


def backward(quantizer: Quantizer, values: Array) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Gradients of values (n,) of the first group: to each, and its terms of each parameter's."""
    rows = values[None, :]
    found = quantizer.backward(rows, np.ones(rows.shape, np.float32))
    terms = {k: xp.host(v)[0].astype(np.float64) for k, v in found.parameters.items()}
    return xp.host(found.input)[0].astype(np.float64), terms


def picked(quantizer: Quantizer, x: float) -> Picked:
    """What becomes of one value, float32, in the first group."""
    value = np.array([[x]], np.float32)
    code = float(xp.host(_code(quantizer, value))[0, 0])
    back = float(xp.host(quantizer.fake_quantize(value))[0, 0])
    to_x, terms = backward(quantizer, value[0])
    parameters = {name: float(v[0]) for name, v in terms.items()}
    below, above = _sides(quantizer, value[0], to_x)
    clipped = bool(below[0] or above[0])
    return Picked(float(value[0, 0]), code, back, clipped, float(to_x[0]), parameters)


def _sides(
    quantizer: Quantizer, values: np.ndarray, to_x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which values (n,) are clipped below and above, bool."""
    raw, (low, high) = xp.host(quantizer.encode(values[None, :]))[0], quantizer.ends
    reach, lost = covered(quantizer), to_x == 0
    lo, hi = (np.float32(end[0]) for end in (reach.lo, reach.hi))
    return (raw < low) | (lost & (values < lo)), (raw > high) | (lost & (values > hi))


def summed(quantizer: Quantizer, parts: Iterable[tuple[np.ndarray, np.ndarray | float]]) -> Sums:
    """Sums over (values, weights) in parts, added in float64; the values are finite."""
    total = [0.0, 0.0, 0.0, 0.0]
    terms: dict[str, float] = {}
    for values, weights in parts:
        to_x, found = backward(quantizer, values)
        below, above = _sides(quantizer, values, to_x)
        weight = np.broadcast_to(np.asarray(weights, np.float64), values.shape)
        masks = np.ones(values.shape, bool), to_x != 0, below, above
        total = [t + float(weight[m].sum()) for t, m in zip(total, masks, strict=True)]
        for name, column in found.items():
            terms[name] = terms.get(name, 0.0) + float((column * weight).sum())
    return Sums(total[0], total[1], total[2], total[3], terms)


def apart(line: Line, other: Line) -> Line:
    """The first staircase less the second, as a polyline over the corners of both.

    Corners that lie apart by the last bits only are taken as one.
    """
    both = (_snapped(line[0], other[0]), line[1]), other
    x = np.unique(np.concatenate([both[0][0], both[1][0]]))
    sides = [
        [y[np.searchsorted(at, x)] for at, y in both],
        [y[np.searchsorted(at, x, side="right") - 1] for at, y in both],
    ]
    left, right = (a - b for a, b in sides)
    return _thinned(np.repeat(x, 2), np.stack([left, right], axis=1).ravel())


def _snapped(x: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Each place, moved to the nearest of the others where that is next to it."""
    right = np.clip(np.searchsorted(to, x), 1, to.size - 1)
    near = np.where(x - to[right - 1] < to[right] - x, to[right - 1], to[right])
    return np.where(np.abs(near - x) < SAME * (to[-1] - to[0]), near, x)


def _code(quantizer: Quantizer, value: np.ndarray) -> Array:
    return quantizer.quantize(value)


def _levels(quantizer: Quantizer) -> int:
    low, high = quantizer.ends
    if high - low >= MOST_LEVELS:
        return high - low + 1
    return int(np.unique(quantizer.levels()[0]).size)


def _term(quantizer: Quantizer, name: str) -> Curve:
    return evaluated(lambda rows: backward(quantizer, rows[0])[1][name][None])


def _line(curve: Curve, x: np.ndarray) -> Line:
    """The curve at even places and on both sides of each of its jumps."""
    y = curve(x)
    moves = np.abs(np.diff(y))
    gaps = np.flatnonzero(moves > max(STANDS_OUT * float(np.median(moves)), FLAT))
    if gaps.size > FINE_JUMPS:
        gaps = np.sort(gaps[np.argsort(-moves[gaps], kind="stable")[:LARGE_JUMPS]])
    even = np.linspace(0, x.size - 1, EVEN).round().astype(int)
    sides = halved(curve, x[gaps], x[gaps + 1], least=0.5) if gaps.size else ()
    at = np.unique(np.concatenate([x[even], *sides]))
    return _thinned(at.astype(np.float64), curve(at))


def _thinned(x: np.ndarray, y: np.ndarray) -> Line:
    """Without the points inside a level stretch."""
    inner = (y[1:-1] == y[:-2]) & (y[1:-1] == y[2:])
    keep = np.concatenate([[True], ~inner, [True]])
    return x[keep], y[keep]


def _runs(line: Line) -> list[tuple[float, float]]:
    """Intervals of x in which the line is 0."""
    x, y = line
    zero = np.concatenate([[False], y == 0, [False]])
    edges = np.flatnonzero(zero[1:] != zero[:-1])
    return [(float(x[a]), float(x[b - 1])) for a, b in edges.reshape(-1, 2)]
