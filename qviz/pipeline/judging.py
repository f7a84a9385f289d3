"""Settle a range with its mode, and judge the quantizer that comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from qviz.errors import QvizError
from qviz.metrics.base import Totals
from qviz.metrics.on_device import of_rows_each as on_device
from qviz.metrics.producers import Frame, of_cells, of_rows_each
from qviz.metrics.regions import of_sketch
from qviz.observers.base import Observer
from qviz.pipeline.resolution import COARSE, FINE, is_rough
from qviz.quantizers.base import Quantizer, Target, covered
from qviz.spec import Range
from qviz.stats.base import Recipe, Seen
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Tile

ALWAYS: tuple[Recipe, ...] = (MinMax(), COARSE)
LARGEST = float(np.finfo(np.float32).max)
EXACT_BELOW = 1_000_000  # elements up to which a row is judged value by value unasked


@dataclass(frozen=True, eq=False)
class Settled:
    """A range met by its mode. ``range`` is None where the observer gave qparams itself."""

    range: Range | None
    quantizer: Quantizer

    @property
    def covered(self) -> Range:
        """What the grid really spans."""
        return covered(self.quantizer)


def refusal(observer: Observer, target: Target) -> str | None:
    """Why the observer or its mode cannot serve the target, or None."""
    return observer.accepts(target) or target.mode.accepts(target)


def settle(observer: Observer, seen: Seen, target: Target, kind: str | None = None) -> Settled:
    """Let the observer choose, and the mode make qparams of it: where the two meet.

    ``kind`` is the elements' float type, where no sketch was gathered that knows it.

    Raises
    ------
    QvizError
        The observer refuses the target, or its range is not finite (the reason is named).
    """
    reason = refusal(observer, target)
    if reason:
        raise QvizError(f"{type(observer).__name__} cannot serve here: {reason}.")
    with np.errstate(all="ignore"):
        chosen = observer.range(seen, target)
        if isinstance(chosen, Quantizer):
            return Settled(None, chosen)
        chosen = _narrowed(chosen, seen, kind or seen[COARSE].kind)
        return Settled(chosen, target.mode.quantizer(chosen, target.spec))


def _narrowed(range: Range, seen: Seen, kind: str) -> Range:
    """The range in the type it is kept in: float32, or float64 for float64 input.

    A group without a finite element (a channel of NaN) gets [0, 0], unless all groups are so.
    """
    empty = seen[MinMax()].finite == 0
    if empty.all():
        raise QvizError(
            "There is no finite element to take a range from.",
            "The tensor is empty, or all of it is NaN or infinite.",
            "Look at where it comes from.",
        )
    lo, hi = (np.where(empty, 0.0, end) for end in (range.lo, range.hi))
    wide = kind == "float64"
    kept = Range(lo, hi, range.exact) if wide else Range(lo, hi, range.exact).as_float32()
    if not (np.isfinite(kept.lo) & np.isfinite(kept.hi)).all():
        raise QvizError(
            "The range is not finite.",
            "It overflows float64." if wide else "It overflows float32.",
            "Choose another observer.",
        )
    return kept


def judge(tile: Tile, seen: Seen, quantizer: Quantizer, *, exact: bool = False) -> Totals:
    """Totals of one tile under one quantizer; see ``judge_each``."""
    return judge_each(tile, seen, [quantizer], exact=exact)[0]


def judge_each(
    tile: Tile, seen: Seen, quantizers: Sequence[Quantizer], *, exact: bool = False
) -> list[Totals]:
    """Totals of one tile: from exact cells, else value by value, else from the sketch.

    Value by value below 1e6 elements, for several groups, for a grid that is not monotone,
    where float32 does not hold the elements, where values crowd inside the finest cells, and on
    request (``exact``).
    """
    spread = seen[MinMax()]
    frame = Frame(spread.lo, spread.hi)
    with np.errstate(all="ignore"):
        if seen[COARSE].exact:
            return [of_cells(seen[COARSE].cells, quantizer, frame) for quantizer in quantizers]
        every = exact or is_rough(seen)
        valued = [every or reads_values(tile, seen, quantizer) for quantizer in quantizers]
        chosen = [q for q, by_value in zip(quantizers, valued, strict=True) if by_value]
        exactly = iter(by_values(tile, chosen, frame))
        return [
            next(exactly) if by_value else _of_sketch(seen, quantizer, frame)
            for quantizer, by_value in zip(quantizers, valued, strict=True)
        ]


def by_values(tile: Tile, quantizers: Sequence[Quantizer], frame: Frame) -> list[Totals]:
    """The exact pass over a tile, one read for all quantizers."""
    if not quantizers:
        return []
    chunks = [
        (of_rows_each if isinstance(rows, np.ndarray) else on_device)(rows, quantizers, frame)
        for rows in tile.chunks()
    ]
    return [reduce(add, column) for column in zip(*chunks, strict=True)]


def _of_sketch(seen: Seen, quantizer: Quantizer, frame: Frame) -> Totals:
    recipe = FINE if too_coarse(seen, quantizer) else COARSE
    return of_sketch(seen[recipe].cells, quantizer, frame, seen[MinMax()].zero)


def reads_values(tile: Tile, seen: Seen, quantizer: Quantizer) -> bool:
    """Whether a tile is small enough, or its grid odd enough, for the exact pass unasked."""
    odd = not quantizer.monotone or bool((seen[MinMax()].amax > LARGEST).any())
    return tile.size < EXACT_BELOW or tile.groups > 1 or odd


def too_coarse(seen: Seen, quantizer: Quantizer) -> bool:
    """Whether the 16-bit sketch has cells wider than a step, or there are over 256 codes."""
    low, high = quantizer.ends
    if high - low > 255 or quantizer.step is None:
        return True
    reach = np.minimum(np.abs(covered(quantizer).hi), seen[MinMax()].hi)
    depth = np.minimum(np.abs(covered(quantizer).lo), -seen[MinMax()].lo)
    widest = np.maximum(reach, depth) * 2.0**-7
    return bool((widest > quantizer.step).any())
