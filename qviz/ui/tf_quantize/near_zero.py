"""The error near zero: one small figure per mode."""

from __future__ import annotations

import numpy as np
import streamlit as st

from qviz.dialects.tensorflow.views import Answer
from qviz.errors import QvizError
from qviz.figures.tf_near_zero import HALF, MOST, NearZero, near_zero, reach, verdict
from qviz.pipeline.corners import corners
from qviz.ui.notices import palette, plain, plot
from qviz.ui.state import store
from qviz.ui.tf_quantize.shared import color_of, per_row


def draw(answers: list[Answer]) -> None:
    """Each mode in steps of its own; one whose zero is far off gets a line instead."""
    found = [(a, saw) for a in answers if (saw := near(a)) is not None]
    drawn = [(a, saw) for a, saw in found if _near(saw)]
    if not drawn:
        return
    st.markdown("**The error near zero**")
    for a, saw in found:
        if (a, saw) not in drawn:
            st.caption(plain(f"{a.title}: {verdict(saw.zero)}, too far to be drawn."))
    height = reach([saw.error for _, saw in drawn])
    wide = per_row(len(drawn))
    for start in range(0, len(drawn), wide):
        for (a, saw), cell in zip(drawn[start : start + wide], st.columns(wide), strict=False):
            with cell:
                words = f"Error of {a.title} near zero: {verdict(saw.zero)}"
                plot(near_zero(saw, palette(), height), f"tf-zero-{a.name}", words)


def _near(saw: NearZero) -> bool:
    return min(abs(saw.zero), float(np.abs(saw.error).min())) <= MOST


def near(a: Answer) -> NearZero | None:
    """The saw-tooth in the mode's own steps; None without a step, or where it is too fine."""
    if a.quantizer is None or a.step <= 0:
        return None
    key = ("tf near zero", a.quantizer.__class__.__name__, a.covered, a.step, a.output)
    kept = store().get(key)
    if kept is None:
        try:
            x, y = corners(a.quantizer, -HALF * a.step, HALF * a.step)
        except QvizError:
            return None
        kept = (x / a.step, (y - x) / a.step)
        store().put(key, kept)
    value, error = kept
    return NearZero(a.title, color_of(a.name, palette()), value, error, a.moves)
