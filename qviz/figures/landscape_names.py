"""Words on the hill: its limits at their upper ends, the highlighted rows beside their dots."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qviz.figures.labels import GAP
from qviz.figures.landscape_marks import TALL, WORN, Dot, Frame, Name, names
from qviz.figures.landscape_placer import Box
from qviz.figures.landscape_traces import high, limits, place
from qviz.figures.rows import rank_of
from qviz.figures.theme import Figure, Palette, words
from qviz.pipeline.landscape_views import Hill, raised

LIMITS = ("if only clipping hurt", "if only rounding hurt")
EDGE = 0.2  # of the panel's width: words that start nearer to a side are turned inwards
SHIFT = 8  # pixels from a limit to its words


def hill_words(
    hill: Hill, shown: Sequence[Dot], highlights: Sequence[str], frame: Frame, palette: Palette
) -> list[Figure]:
    """All words on the hill; names stay off the limits' words, off the curves and the dots."""
    named = [
        Name(dot.bar.title, palette.mark(rank), math.log10(place(hill, dot)), high(hill, dot), True)
        for dot in shown
        if (rank := rank_of(dot.bar, highlights)) is not None
    ]
    roofs = _roofs(hill, frame, palette)
    taken = [box for box, _ in roofs]
    return [*(note for _, note in roofs), *names(named, frame, _lines(hill), palette, taken)]


def _lines(hill: Hill) -> list[tuple[float, float]]:
    """Points of the curve and of the limits, in axis coordinates."""
    p = hill.parts
    heights = raised(p.sqnr), p.only_clipping, p.only_rounding
    return [
        (float(x), float(y))
        for height in heights
        for x, y in zip(np.log10(hill.clip[::5]), height[::5], strict=True)
        if np.isfinite(y)
    ]


def _roofs(hill: Hill, frame: Frame, palette: Palette) -> list[tuple[Box, Figure]]:
    """Words at the limits' upper ends, outside the two; one line lower where they would touch."""
    found: list[tuple[Box, Figure]] = []
    for (limit, color, _), text, end in zip(limits(hill, palette), LIMITS, (-1, 0), strict=True):
        low = np.flatnonzero(limit <= frame.y[1])
        if not low.size:
            continue
        x = frame.pixel(math.log10(hill.clip[low[end]]), frame.y[1])[0]
        across = x / frame.width
        right = across > 1 - EDGE or (end == -1 and across > EDGE)
        wide = WORN * len(text)
        box = Box(x + (SHIFT + wide / 2) * (-1 if right else 1), TALL / 2, wide, TALL)
        line = int(any(box.overlap(other) for other, _ in found))
        note = words(
            text, color, x=across, y=1.0, xanchor="right" if right else "left", yanchor="top",
            xshift=-SHIFT if right else SHIFT, yshift=-2 - line * GAP,
            bgcolor=palette.background, borderpad=1,
        )  # fmt: skip
        found.append((Box(box.x, box.y + line * GAP, wide, TALL), note))
    return found
