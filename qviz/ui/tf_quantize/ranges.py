"""View Ranges: what was asked for, what each mode answers, and the error near zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from qviz.dialects.tensorflow.members import members
from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.views import Answer, adjustment
from qviz.errors import QvizError
from qviz.figures.bins import Bins, linear_bins
from qviz.figures.numbers import decibels, integer, interval, number
from qviz.figures.tf_brackets import Bracket, brackets, view
from qviz.figures.tf_near_zero import verdict
from qviz.figures.tf_words import moved_note, ranges_heading, wrap_note
from qviz.figures.theme import Palette
from qviz.ui.notices import palette, plain, plot
from qviz.ui.tf_quantize import near_zero
from qviz.ui.tf_quantize.documentation import documentation
from qviz.ui.tf_quantize.judged import Judged, judged
from qviz.ui.tf_quantize.refusals import refusals
from qviz.ui.tf_quantize.shared import color_of, told
from qviz.ui.tf_quantize.subject import Subject

Ends = tuple[float, float]


def draw(subject: Subject, asked: Ends, setting: Setting, head: Any, *, documented: bool) -> None:
    """Heading, brackets, the error near zero, the table, the documentation beside the ops."""
    adjusted = adjustment(*asked, setting.ensure_minimum_range)
    found = judged(subject, members(documented), asked, setting)
    served = [one for one in found if one.answer.quantizer is not None]
    used = {one.answer.name: one.used for one in served}
    heading = ranges_heading(asked, adjusted, [one.answer for one in found], used)
    head.markdown(f"### {plain(heading)}")
    head.caption(plain(f"{told(subject, setting)} {_how(served)}"))
    rows = [*_given(asked, adjusted), *(_bracket(one) for one in found)]
    bins = _bins(subject, rows, asked)
    plot(brackets(bins, rows, asked, palette()), "tf-brackets", heading)
    refusals([one.answer for one in found], setting)
    for one in served:
        _note(one.answer, asked, subject.extremes)
    near_zero.draw([one.answer for one in served])
    _table(served)
    documentation(subject, asked, setting)


def _how(served: list[Judged]) -> str:
    made = {one.made for one in served}
    if "sample" in made:
        return "Codes and errors are those of at most 65,536 elements."
    if "sketch" in made:
        return "Numbers are approximate, read off the sketch."
    return "Numbers are exact." * bool(served)


def _given(asked: Ends, adjusted: Ends) -> list[Bracket]:
    """What was asked for, and the range after the adjustment, orange where it changed."""
    shades: Palette = palette()
    changed = list(np.array(asked, np.float32)) != list(np.array(adjusted, np.float32))
    color = shades.band_words if changed else shades.ink
    words = "0 is inside" if asked[0] > 0 or asked[1] < 0 else "least width"
    return [
        Bracket("You asked for", *asked, shades.edge, hover=interval(*asked), bold=False),
        Bracket(
            "Adjusted", *adjusted, color, words if changed else "", interval(*adjusted), changed
        ),
    ]


def _bracket(one: Judged) -> Bracket:
    a, color = one.answer, color_of(one.answer.name, palette())
    if a.quantizer is None:
        return Bracket(a.title, 0.0, 0.0, color, refused=a.refused)
    lines = [
        " ".join(filter(None, [f"<b>{a.title}</b>", a.form])),
        f"output range {interval(*a.output)}",
        f"levels from {number(a.covered[0])} to {number(a.covered[1])}",
        f"step {number(a.step, 4)}",
        verdict(a.moves),
    ]
    return Bracket(
        a.title, *a.output, color, _detail(one), "<br>".join(lines), not a.documented, a.documented
    )


def _detail(one: Judged) -> str:
    if not one.used:
        return f"step {number(one.answer.step)}"
    codes = f"{integer(one.used)} code{'' if one.used == 1 else 's'}"
    return f"{codes}, {'lossless' if one.lossless else decibels(one.sqnr)}"


def _bins(subject: Subject, rows: list[Bracket], asked: Ends) -> Bins | None:
    if not subject.finite:
        return None
    count = int(np.clip(2 * np.sqrt(subject.finite), 64, 256))
    try:
        return linear_bins(subject.cells, *view(rows, asked), count)
    except QvizError:  # a view of no width in float64
        return None


def _note(one: Answer, asked: Ends, reach: Ends) -> None:
    """A box for a range that was moved away, or a top value that wraps round."""
    if one.quantizer is None:
        return
    for note in (moved_note(one, asked, reach), wrap_note(one, min(reach[1], one.output[1]))):
        if note:
            st.info(plain(note), icon=":material/info:")


def _table(served: list[Judged]) -> None:
    if not served:
        return
    rows = [_row(one) for one in served]
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        row_height=31,
        column_config={
            "SQNR dB": st.column_config.NumberColumn(format="%.1f"),
            "step": st.column_config.NumberColumn(format="%.4g"),
            "mode": st.column_config.TextColumn(pinned=True),
        },
        alt="Output range, levels, step, codes and error of each mode",
        key="tf-table",
    )


def _row(one: Judged) -> dict[str, object]:
    a = one.answer
    first, last = a.quantizer.ends if a.quantizer is not None else (0, 0)
    return {
        "mode": a.title,
        "form": a.form,
        "output range": interval(*a.output, 4),
        "levels": interval(*a.covered, 4),
        "codes": f"{integer(first)} to {integer(last)}",
        "used": one.used,
        "step": a.step,
        "0 comes back as": number(a.zero, 4),
        "SQNR dB": one.sqnr,
    }
