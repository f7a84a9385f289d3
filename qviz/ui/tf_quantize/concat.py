"""View Concat: two to four quantized inputs joined under one range."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from qviz.dialects.tensorflow.dialect import DIALECT
from qviz.dialects.tensorflow.joining import KINDS, Input, Joined, joined
from qviz.errors import QvizError
from qviz.figures.numbers import integer, number
from qviz.figures.tf_brackets import brackets
from qviz.figures.tf_concat import concat_brackets
from qviz.figures.tf_words import concat_heading
from qviz.figures.theme import clean
from qviz.ui.choice import Choice
from qviz.ui.notices import palette, plain, plot
from qviz.ui.tf_quantize.judged import ratio
from qviz.ui.tf_quantize.subject import Subject, numbers, whole
from qviz.ui.words import term

MOST = 4
PICKS = 3  # elements of each input in the table
TYPED = ("-1, -0.5, 0, 0.4, 1", "0, 0.1, 0.2", "-3, 0, 6", "0, 1")
PART = 16_384  # elements of an input that are looked at
Ends = tuple[float, float]


def draw(choice: Choice, head: Any) -> None:
    """Inputs, brackets, and codes before and after."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.segmented_control(
            "Inputs", list(range(2, MOST + 1)), default=3, key="tf_inputs", required=True,
            bind="query-params", help=term("tf_inputs"),
        )  # fmt: skip
        kind = st.segmented_control(
            "Type", KINDS, default=KINDS[0], key="tf_kind", required=True, bind="query-params",
            help=term("tf_kind"),
        )  # fmt: skip
    own = bool(st.session_state.get("tf_typed"))
    subject = whole(choice)
    parts = [] if own else _parts(subject, int(count or 2))
    values, ranges = _inputs(parts, int(count or 2), typed=own)
    found = joined(values, ranges, str(kind))
    ratios = [(_db(one, one.back), _db(one, one.back_after)) for one in found.inputs]
    heading = concat_heading(found, ratios)
    head.markdown(f"### {plain(heading)}")
    head.caption(plain(_caption(subject, str(kind), typed=own)))
    rows = concat_brackets(found, ratios, palette())
    plot(brackets(None, rows, found.range, palette()), "tf-concat", heading)
    _table(found)


def _db(one: Input, back: np.ndarray) -> float | None:
    return ratio(one.values, back - one.values)[0]


def _parts(subject: Subject, count: int) -> list[np.ndarray]:
    """The tensor cut into as many runs of neighbours; at most 16,384 elements of each."""
    x = subject.sample(PART * count)
    if x.size < count:
        what = f"{x.size} finite elements cannot be cut into {count} inputs."
        raise QvizError(what, "", "Choose a larger tensor, or type values.")
    return np.array_split(x, count)


def _inputs(
    parts: list[np.ndarray], count: int, *, typed: bool
) -> tuple[list[np.ndarray], list[Ends]]:
    """Values and range of each input, from its column of controls."""
    values, ranges = [], []
    for i, cell in enumerate(st.columns(count)):
        with cell:
            if typed:
                text = st.text_input(f"Values {i + 1}", TYPED[i], key=f"tf_concat_values_{i}",
                                     bind="query-params")  # fmt: skip
            x = numbers(text or "") if typed else parts[i]
            values.append(x)
            ranges.append(_range(i, x))
    return values, ranges


def _range(i: int, x: np.ndarray) -> Ends:
    extremes = float(x.min()), float(x.max())
    with st.container(horizontal=True):
        given = [
            st.number_input(
                f"{end} {i + 1}", value=None, format="%g", key=f"tf_concat_{end}_{i}",
                placeholder=number(extreme), bind="query-params", width=110, step=0.1,
            )
            for end, extreme in zip(("min", "max"), extremes, strict=True)
        ]  # fmt: skip
    lo, hi = (e if g is None else float(g) for g, e in zip(given, extremes, strict=True))
    return lo, hi


def _caption(subject: Subject, kind: str, *, typed: bool) -> str:
    what = "Typed values" if typed else f"{clean(subject.words)}, cut into runs of neighbours"
    how = "An input of the joint range is copied; every other goes through MIN_FIRST again."
    return f"{what}, each quantized to {kind} on its own range. {how} {DIALECT.configuration}."


def _table(found: Joined) -> None:
    """A few elements of each input: code and value before, code and value after."""
    rows = [
        {
            "input": str(i),
            "fate": "requantized" if one.requantized else "copied",
            "value": number(float(one.values[at]), 5),
            "code": integer(int(one.codes[at])),
            "code after": integer(int(one.codes_after[at])),
            "came back as": number(float(one.back[at]), 5),
            "comes back as": number(float(one.back_after[at]), 5),
        }
        for i, one in enumerate(found.inputs, 1)
        for at in np.linspace(0, one.values.size - 1, min(PICKS, one.values.size)).astype(int)
    ]
    st.dataframe(
        rows, hide_index=True, width="stretch", row_height=31, key="tf-concat-table",
        alt="Codes and values of some elements before and after they are joined",
    )  # fmt: skip
