"""Picture of the lesson on memory: the upper end after each batch, one line for each rule."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from qviz.figures.labels import End, ink_of, log_ticks, named_ends, width_of
from qviz.figures.lesson import HEIGHT, HIDDEN, canvas, dots, line
from qviz.figures.numbers import number
from qviz.figures.theme import DASHES, Figure, Palette, words

TOP, BOTTOM = 24, 44


def upper_ends(
    rules: Mapping[str, np.ndarray],
    largest: np.ndarray,
    upto: int,
    palette: Palette,
    shown: bool,
) -> Figure:
    """Upper end of the range after batch 1, 2 ..., by rule; dots are each batch's largest value.

    Each array (batches,); drawn up to batch ``upto``. Without ``shown`` only the dots.
    """
    names = {name: f"{name} {number(ends[upto - 1], 4)}" for name, ends in rules.items()}
    right = width_of(list(names.values()), most=150) + 8
    made = canvas(palette, "batch", "upper end", top=TOP, bottom=BOTTOM, right=right)
    view = (-0.3, 2.2)
    made["xaxis"] |= {"range": [0.7, largest.size + 0.1], "dtick": 1}
    made["yaxis"] |= {"type": "log", "range": list(view)} | log_ticks(view)
    at = np.arange(1, largest.size + 1)
    data = [dots(at, largest, palette.edge, 10, "largest of the batch")]
    made["annotations"] = [
        words("dots: batch maxima", palette.muted, x=1, y=1, xanchor="right",
              yanchor="bottom")
    ]  # fmt: skip
    if not shown:
        made["annotations"].append(words(HIDDEN, palette.muted, x=0.5, y=0.6))
        return {"data": data, "layout": made}
    ends = []
    for rank, (name, values) in enumerate(rules.items()):
        color, dash = palette.mark(rank), DASHES[rank % len(DASHES)]
        data.insert(rank, line(at[:upto], values[:upto], color, dash, name))
        y = math.log10(max(float(values[upto - 1]), 1e-9))
        ends.append(End(names[name], ink_of(palette, rank), float(at[upto - 1]), y))
    made["annotations"] += named_ends(ends, view, HEIGHT - TOP - BOTTOM)
    return {"data": data, "layout": made}
