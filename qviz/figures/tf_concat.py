"""quantized_concat: the inputs' ranges as brackets, the joint range below them."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.dialects.tensorflow.joining import Joined
from qviz.figures.numbers import decibels, interval
from qviz.figures.tf_brackets import Bracket
from qviz.figures.theme import Palette

Ratios = Sequence[tuple[float | None, float | None]]


def concat_brackets(joined: Joined, ratios: Ratios, palette: Palette) -> list[Bracket]:
    """One row per input, orange where it is requantized, and the output's row in ink.

    ``ratios`` are SQNR in dB under the own range and under the joint one; None is lossless.
    """
    rows = []
    for i, (one, (before, after)) in enumerate(zip(joined.inputs, ratios, strict=True), 1):
        color = palette.band_words if one.requantized else palette.edge
        detail = "copied"
        if one.requantized:
            detail = f"{_db(before)} → {_db(after)}"
        fate = "requantized" if one.requantized else "copied, code by code"
        hover = f"input {i}: {interval(*one.range)}<br>{fate}"
        rows.append(Bracket(f"Input {i}", *one.range, color, detail, hover, one.requantized))
    hover = f"output range {interval(*joined.range)}"
    return [*rows, Bracket("Output", *joined.range, palette.ink, "joint range", hover)]


def _db(ratio: float | None) -> str:
    """Nothing is lost where there is no ratio."""
    return "lossless" if ratio is None else decibels(ratio)
