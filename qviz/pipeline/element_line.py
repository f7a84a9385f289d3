"""The levels around a value and the boundaries between them, found with the rule alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.pipeline.element_floats import apart, floats, keys, least, searched
from qviz.quantizers.base import Quantizer

SAMPLES = 513  # places looked at between the four levels


@dataclass(frozen=True)
class Level:
    """A code and the real it stands for."""

    code: int
    value: float


@dataclass(frozen=True)
class Line:
    """Up to four levels around a value, ascending, and the boundaries between them.

    A boundary is the least float that comes back as the next level. ``nearest`` is the one that
    decides about the value: the closest, or the end of the codes where the value is clipped;
    None where there is none. The value lies ``floats`` floats of ``kind`` above it (0: it is
    the boundary), and ``steps`` local steps away.
    """

    levels: tuple[Level, ...]
    boundaries: tuple[float, ...]
    nearest: float | None
    floats: int
    steps: float
    kind: str


def line(quantizer: Quantizer, x: float, kind: str) -> Line | None:
    """The line of a one-group quantizer around a finite x; None where levels are no numbers."""
    kind = searched(kind)
    with np.errstate(all="ignore"):
        levels = _levels(quantizer, x, kind)
        if not np.isfinite([level.value for level in levels]).all():
            return None
        found = _boundaries(quantizer, levels, kind)
        ends = end_boundaries(quantizer, kind)
    if x < ends[0]:
        nearest: float | None = ends[0]
    elif x >= ends[1]:
        nearest = ends[1]
    else:
        nearest = min(found, key=lambda b: abs(b - x), default=None)
    gaps = np.diff([level.value for level in levels])
    step = float(np.max(gaps, initial=0.0))
    if nearest is None or not np.isfinite(nearest) or step <= 0:
        return Line(levels, found, None, 0, 0.0, kind)
    return Line(levels, found, nearest, apart(nearest, x, kind), abs(x - nearest) / step, kind)


def _levels(quantizer: Quantizer, x: float, kind: str) -> tuple[Level, ...]:
    """Two levels on either side, as far as there are codes."""
    low, high = quantizer.ends
    code = int(np.clip(_code(quantizer, x, kind), low, high))
    here = float(quantizer.levels(code, code)[0, 0])
    first = code - 1 if x >= here else code - 2
    first = max(min(first, high - 3), low)
    last = min(first + 3, high)
    values = quantizer.levels(first, last)[0].tolist()
    found = [Level(first + i, value) for i, value in enumerate(values)]
    return tuple(sorted(found, key=lambda level: level.value))


def _code(quantizer: Quantizer, x: float, kind: str) -> float:
    found = float(np.asarray(quantizer.quantize(np.array([[x]], kind))).reshape(-1)[0])
    return found if np.isfinite(found) else float(quantizer.ends[0])


def _boundaries(quantizer: Quantizer, levels: tuple[Level, ...], kind: str) -> tuple[float, ...]:
    """Every float between the outer levels at which what comes back changes."""
    lo, hi = levels[0].value, levels[-1].value
    x = np.unique(np.linspace(lo, hi, SAMPLES).astype(kind))
    y = _back(quantizer, x)
    at = np.flatnonzero(y[1:] != y[:-1])
    if not at.size:
        return ()
    start = y[at]
    found = least(lambda v: _back(quantizer, v) != start, x[at], x[at + 1], kind)
    return tuple(found.astype(np.float64).tolist())


def _back(quantizer: Quantizer, x: np.ndarray) -> np.ndarray:
    return np.asarray(xp.host(quantizer.fake_quantize(x[None, :])))[0].astype(np.float64)


def end_boundaries(quantizer: Quantizer, kind: str = "float32") -> tuple[float, float]:
    """Least float that is not clipped below, and least one that is clipped above.

    -inf and +inf where no finite float is clipped on that side.
    """
    kind = searched(kind)
    low, high = quantizer.ends
    wanted = np.array([low, high + 1], np.float64)
    top = int(keys(np.array([np.finfo(kind).max]), kind)[0])

    def reached(x: np.ndarray) -> np.ndarray:
        return np.asarray(quantizer.encode(x[None, :]))[0] >= wanted

    with np.errstate(all="ignore"):
        outer = floats(np.array([-top, top]), kind)
        at = [np.asarray(quantizer.encode(outer[None, [i]]))[0, 0] for i in (0, 1)]
        left, right = outer[[0, 0]], outer[[1, 1]]
        found = least(reached, left, right, kind).astype(np.float64)
    lower = -np.inf if at[0] >= wanted[0] else float(found[0])
    upper = np.inf if at[1] < wanted[1] else float(found[1])
    return lower, upper
