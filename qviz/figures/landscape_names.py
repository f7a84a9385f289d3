"""Words on the hill: its limits at their upper ends, the highlighted rows beside their dots."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from qviz.figures.labels import CHARACTER, GAP
from qviz.figures.landscape_marks import TALL, WORN, Dot, Frame, Name, names
from qviz.figures.landscape_placer import Box, placed
from qviz.figures.landscape_traces import high, limits, place
from qviz.figures.rows import rank_of
from qviz.figures.theme import SIZE, Figure, Palette, words
from qviz.pipeline.landscape_views import Hill, raised

TAG = re.compile("<[^>]*>")
LIMITS = ("if only clipping hurt", "if only rounding hurt")
EDGE = 0.2  # of the panel's width: words that start nearer to a side are turned inwards
LOOKED_AT = 36  # points of a curve that names stay off
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


def name_off(
    picture: Figure, at: tuple[float, float], text: str, frame: Frame
) -> tuple[float, float]:
    """Pixels to the right and upwards from ``at`` to where one more name covers no other.

    ``at`` is in axis coordinates of a panel whose axes are logarithmic.
    """
    taken = [box for note in picture["layout"]["annotations"] if (box := _taken(note, frame))]
    dots = [trace for trace in picture["data"] if trace.get("mode") == "markers"]
    points = [
        frame.pixel(math.log10(x), math.log10(y))
        for trace in dots
        for x, y in zip(trace["x"], trace["y"], strict=True)
    ]
    box = Box(*frame.pixel(*at), CHARACTER * len(text) + SIZE / 2, TALL)
    (spot,) = placed([box], points, (frame.width, frame.height), taken)
    return round(spot.x - box.x), round(box.y - spot.y)


def _taken(note: Figure, frame: Frame) -> Box | None:
    """Where words lie; None of those at the panel's edges, which are in paper coordinates."""
    if note["xref"] != "x":
        return None
    x, y = frame.pixel(note["x"], note["y"])
    wide = CHARACTER * len(TAG.sub("", note["text"])) + SIZE / 2
    return Box(x + note.get("ax", 0), y + note.get("ay", 0), wide, TALL)


def _lines(hill: Hill) -> list[tuple[float, float]]:
    """Points of the curve and of the limits, in axis coordinates."""
    p = hill.parts
    every = max(len(hill.clip) // LOOKED_AT, 1)
    heights = raised(p.sqnr), p.only_clipping, p.only_rounding
    return [
        (float(x), float(y))
        for height in heights
        for x, y in zip(np.log10(hill.clip[::every]), height[::every], strict=True)
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
