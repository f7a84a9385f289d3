"""Words on the field: which error dominates where, and what its lines stand for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qviz.figures.landscape_contours import LINES, lost
from qviz.figures.landscape_marks import TALL, Frame
from qviz.figures.landscape_placer import Box, Point
from qviz.figures.numbers import number
from qviz.figures.theme import SIZE, Figure, Palette, words
from qviz.pipeline.landscape_views import Field

INSET, WIDE = 14, 128  # pixels: from the frame to the words, of the words
STEP, DEEPEST = 26.0, 0.7  # pixels from one place to the next; share of the frame that is tried
Placed = tuple[Box, Figure]


def side_words(field: Field, dots: Sequence[Point], frame: Frame, palette: Palette) -> list[Placed]:
    """``rounding dominates`` down the left edge, ``clipping dominates`` up the right one.

    Each where it is true and covers none of the ``dots`` (pixels), as near its corner as can be;
    left out where there is no such place.
    """
    found = []
    for what, left in (("rounding", True), ("clipping", False)):
        for box in _places(frame, left):
            if (_balance_at(field, box, frame) < 0) == left and not _covers(box, dots):
                found.append((box, _side(what, box, frame, palette)))
                break
    return found


def _places(frame: Frame, left: bool) -> list[Box]:
    """Boxes along an edge, from its corner inwards."""
    x = INSET + WIDE / 2 if left else frame.width - INSET - WIDE / 2
    away = np.arange(INSET + TALL / 2, DEEPEST * frame.height, STEP)
    return [Box(x, float(y if left else frame.height - y), WIDE, TALL) for y in away]


def _covers(box: Box, dots: Sequence[Point]) -> bool:
    return any(box.covers(*dot) for dot in dots)


def _balance_at(field: Field, box: Box, frame: Frame) -> float:
    """Clipping over rounding at a box, in dB."""
    rows, columns = field.balance.shape
    row = round((1 - box.y / frame.height) * (rows - 1))
    return float(field.balance[row, round((1 - box.x / frame.width) * (columns - 1))])


def _side(what: str, box: Box, frame: Frame, palette: Palette) -> Figure:
    left = what == "rounding"
    return words(
        f"<b>{what}</b> dominates", palette.ink if left else palette.band_words,
        x=0 if left else 1, y=1 - box.y / frame.height, xanchor="left" if left else "right",
        yanchor="middle", xshift=INSET if left else -INSET,
        bgcolor=palette.background, borderpad=2, opacity=0.9,
    )  # fmt: skip


def line_words(field: Field, frame: Frame, palette: Palette) -> list[Placed]:
    """What the lines stand for, where they are crossed straight above the best point."""
    z = lost(field)
    row, column = np.unravel_index(int(field.sqnr.argmax()), z.shape)
    x, found = math.log10(field.lower[column]), []
    for level, _ in LINES:
        beyond = np.flatnonzero(z[row:, column] >= 100 * level)
        if not beyond.size:
            continue
        y = math.log10(field.upper[row + int(beyond[0])])
        if frame.pixel(x, y)[1] < TALL:
            continue
        text = f"{number(level)} dB"
        note = words(
            text, palette.muted, x=x, y=y, xref="x", yref="y",
            bgcolor=palette.background, borderpad=0, opacity=0.75,
        )  # fmt: skip
        note["font"] = {"size": SIZE - 1, "color": palette.muted}
        found.append((Box(*frame.pixel(x, y), 6.0 * len(text), TALL), note))
    return found
