"""What the grid picture shows: levels, staircase and error inside a view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.errors import QvizError
from qviz.figures.bins import Bins
from qviz.pipeline.corners import MOST_STEPS, corners, evaluated
from qviz.pipeline.element_line import end_boundaries
from qviz.quantizers.base import Quantizer, covered

LINES = 64  # levels in view up to which each has its line
AIR = 0.25  # of the width, on both sides of the range
WINDOW = 16  # steps of the close view
COLUMNS, EACH = 300, 64  # of the error where the steps are too fine to draw; places in each
GOLDEN = (5**0.5 - 1) / 2
LARGEST = float(np.finfo(np.float32).max)
Curve = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class GridData:
    """Everything drawn of a one-group quantizer.

    ``asked`` is None where qparams were typed. ``clip`` are the ends of what is not clipped.
    ``levels``, their ``codes`` and ``counts`` (None: not counted) are those in view, ascending.
    ``fine`` says that there are too many to draw: ``stairs`` and ``error`` are then samples.
    """

    bins: Bins
    asked: tuple[float, float] | None
    covered: tuple[float, float]
    clip: tuple[float, float]
    levels: np.ndarray
    codes: np.ndarray
    counts: np.ndarray | None
    stairs: Curve
    error: Curve
    fine: bool

    @property
    def view(self) -> tuple[float, float]:
        """Ends of the x axis."""
        return self.bins.view

    @property
    def half(self) -> float:
        """Half the widest gap between neighbouring levels in view: the most rounding can do."""
        return float(np.diff(self.levels).max(initial=0.0)) / 2


def grid_data(
    bins: Bins,
    quantizer: Quantizer,
    asked: tuple[float, float] | None,
    counts: np.ndarray | None,
) -> GridData:
    """The parts of the picture; the bins set the view.

    Raises
    ------
    QvizError
        The view has no width in float32, or there are more than 65,536 levels.
    """
    view, spans = bins.view, covered(quantizer)
    levels = quantizer.levels()[0]
    order = np.argsort(levels, kind="stable")
    order = order[(levels[order] >= view[0]) & (levels[order] <= view[1])]
    fine = order.size > MOST_STEPS
    with np.errstate(all="ignore"):
        clip = end_boundaries(quantizer)
        stairs = corners(quantizer, *view)
    return GridData(
        bins, asked, (float(spans.lo[0]), float(spans.hi[0])), clip,
        levels[order], order + quantizer.ends[0], None if counts is None else counts[order],
        stairs, _extremes(quantizer, view) if fine else (stairs[0], stairs[1] - stairs[0]), fine,
    )  # fmt: skip


def _extremes(quantizer: Quantizer, view: tuple[float, float]) -> Curve:
    """Smallest and largest sampled error, column by column: the outline of the saw-tooth."""
    k = np.arange(COLUMNS * EACH)
    share = (k + k * GOLDEN % 1) / k.size  # uneven, or steps as wide as the gaps look like one
    x = (view[0] * (1 - share) + view[1] * share).astype(np.float32)
    with np.errstate(all="ignore"):
        e = evaluated(quantizer.fake_quantize)(x) - x
    columns = np.array_split(np.arange(x.size), COLUMNS)
    across = np.repeat([float(x[c].mean()) for c in columns], 2)
    ends = [(e[c].min(), e[c].max())[:: 1 if i % 2 else -1] for i, c in enumerate(columns)]
    return across, np.array(ends, np.float64).reshape(-1)


def part(curve: Curve, lo: float, hi: float) -> Curve:
    """A polyline between two ends, cut there."""
    x, y = curve
    if not lo < hi or not x.size or hi <= x[0] or lo >= x[-1]:
        return x[:0], y[:0]
    ends = np.clip([lo, hi], x[0], x[-1])
    inside = (x > ends[0]) & (x < ends[1])
    at = [int(np.searchsorted(x, ends[0], "right")), int(np.searchsorted(x, ends[1], "left"))]
    cut = [_on(x, y, at[0], ends[0]), _on(x, y, at[1], ends[1])]
    across = np.concatenate([ends[:1], x[inside], ends[1:]])
    return across, np.concatenate([cut[:1], y[inside], cut[1:]])


def _on(x: np.ndarray, y: np.ndarray, after: int, at: float) -> float:
    """Height of the segment that ends at point ``after``."""
    i = min(max(after, 1), x.size - 1)
    width = x[i] - x[i - 1]
    share = (at - x[i - 1]) / width if width > 0 else 1.0
    return float(y[i - 1] + share * (y[i] - y[i - 1]))


def around(asked: tuple[float, float] | None, spans: tuple[float, float]) -> tuple[float, float]:
    """View of a range and its grid, with air on both sides."""
    lo, hi = (f(asked[i] if asked else spans[i], spans[i]) for i, f in ((0, min), (1, max)))
    width = hi - lo if hi > lo else max(abs(lo), 1.0)
    return lo - AIR * width, hi + AIR * width


def drawable(view: tuple[float, float], inside: tuple[float, float]) -> tuple[float, float]:
    """The view as far as float32 goes, in which pictures are computed; it must hold the range.

    Raises
    ------
    QvizError
        An end of ``inside`` lies beyond the largest float32.
    """
    if max(map(abs, inside)) > LARGEST:
        raise QvizError(
            f"There is no picture of a range from {inside[0]:.3g} to {inside[1]:.3g}.",
            "Pictures are computed in float32, which ends at 3.4e38; the numbers above are not.",
            "Ask for a range within it to see one.",
        )
    return max(view[0], -LARGEST), min(view[1], LARGEST)


def window(quantizer: Quantizer, first: int) -> tuple[float, float]:
    """View of 16 steps from the level of code ``first`` on, half a step of air at the ends."""
    low, high = quantizer.ends
    first = max(min(first, high - WINDOW), low)
    ends = np.sort(quantizer.levels(first, min(first + WINDOW, high))[0])
    air = float(ends[-1] - ends[0]) / (2 * WINDOW)
    return float(ends[0]) - air, float(ends[-1]) + air
