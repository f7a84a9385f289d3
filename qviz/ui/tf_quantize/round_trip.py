"""View Round trip: quantize_and_dequantize in its three versions."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from qviz.dialects.tensorflow.dialect import DIALECT
from qviz.dialects.tensorflow.round_trip import ROUND_MODES
from qviz.dialects.tensorflow.round_trip_op import MOST_BITS
from qviz.dialects.tensorflow.versions import Attributes, Version, versions
from qviz.errors import QvizError
from qviz.figures.numbers import NOTHING, integer, interval, number, percent
from qviz.figures.tf_round_trip import round_trip_figure
from qviz.figures.tf_words import versions_heading
from qviz.figures.theme import clean
from qviz.ui.choice import Choice
from qviz.ui.notices import palette, plain, plot
from qviz.ui.tf_quantize.asked import range_controls
from qviz.ui.tf_quantize.settings import typed_or_whole
from qviz.ui.tf_quantize.subject import SAMPLE, Subject
from qviz.ui.words import term

POINTS = 801
PICKS = (0.0, 0.25, 0.5, 0.75, 1.0)  # quantiles of the values shown in the table
Ends = tuple[float, float]


def draw(choice: Choice, head: Any, ends: Any) -> None:
    """Attributes, the curves, and the versions in one table."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        given = _attributes(choice)
    subject = typed_or_whole(choice)
    with ends:
        asked = range_controls(subject, from_data=given.range_given)
    bounds = asked.on(subject) if given.range_given else (asked.lo or 0.0, asked.hi or 0.0)
    values, extremes = subject.sample(), subject.extremes
    if not values.size:
        raise QvizError(f"{subject.words} has no finite value.", "", "Choose another tensor.")
    found = versions(values, bounds, extremes, given)
    heading = versions_heading(found)
    head.markdown(f"### {plain(heading)}")
    head.caption(plain(_caption(subject, bounds, given)))
    _picture(found, bounds, extremes, given, heading)
    _table(found, values, bounds)


def _attributes(choice: Choice) -> Attributes:
    signed = st.toggle("signed_input", True, key="tf_signed_input", bind="query-params",
                       help=term("signed_input"))  # fmt: skip
    bits = st.number_input(
        "num_bits", 1, MOST_BITS[signed], 8, key="tf_num_bits", bind="query-params", width=120,
        help=term("num_bits"),
    )  # fmt: skip
    rounding = st.selectbox("round_mode", list(ROUND_MODES), key="tf_trip_round", width=170,
                            bind="query-params", help=term("round_mode"))  # fmt: skip
    given = st.toggle("range_given", key="tf_given", bind="query-params", help=term("range_given"))
    narrow = st.toggle("narrow_range", key="tf_trip_narrow", bind="query-params",
                       help=term("narrow_range"))  # fmt: skip
    axis = st.toggle("axis", key="tf_trip_axis", bind="query-params", help=term("axis"))
    return Attributes(signed, int(bits or 8), given, rounding, narrow, axis)


def _caption(subject: Subject, bounds: Ends, given: Attributes) -> str:
    used = "the range given" if given.range_given else "the range of the data"
    passed = f"input_min and input_max are passed as {number(bounds[0])} and {number(bounds[1])}"
    what = f"{clean(subject.words)}. quantize_and_dequantize on {used}; {passed}."
    part = f" Gradients counted on {integer(SAMPLE)} of its elements at most."
    return f"{what}{part * (subject.finite > SAMPLE)} Measured: {DIALECT.configuration}."


def _picture(
    found: tuple[Version, ...], bounds: Ends, extremes: Ends, given: Attributes, heading: str
) -> None:
    served = [v for v in found if v.back is not None]
    if not served:
        return
    lo = min(extremes[0], bounds[0], served[0].used[0])
    hi = max(extremes[1], bounds[1], served[0].used[1])
    air = 0.08 * ((hi - lo) or 1.0)
    most = float(np.finfo(np.float32).max)
    x = np.linspace(max(lo - air, -most), min(hi + air, most), POINTS).astype(np.float32)
    curves = versions(x, bounds, extremes, given)
    plot(round_trip_figure(x, curves, bounds, palette()), "tf-trip", heading)


def _table(found: tuple[Version, ...], values: np.ndarray, bounds: Ends) -> None:
    """What differs between the versions: one column each."""
    order = np.argsort(values, kind="stable")
    picks = [int(order[at]) for at in _places(values[order])]
    names = ["takes these attributes", "range used", "factor before rounding", "factor after"]
    names += ["gradients that stop"]
    names += [f"{number(float(values[i]), 4)} comes back as" for i in picks]
    names += [f"gradient at {number(float(values[i]), 4)}" for i in picks]
    rows: dict[str, list[str]] = {"": names}
    for v in found:
        rows[v.name] = _column(v, picks)
    st.dataframe(
        rows, hide_index=True, width="stretch", row_height=31, key="tf-trip-table",
        height=31 * (len(names) + 1) + 8,
        alt="What each version of the op makes of the range and the values",
    )  # fmt: skip
    for v in found:
        if v.refused:
            st.caption(f"**{v.name}**: {plain(v.refused)}")


def _places(ascending: np.ndarray) -> list[int]:
    """Where the values of the table stand, each value once."""
    places = (round(q * (ascending.size - 1)) for q in PICKS)
    return list({float(ascending[at]): at for at in places}.values())


def _column(v: Version, picks: list[int]) -> list[str]:
    if v.back is None or v.gradient is None:
        return ["no"] + [NOTHING] * (4 + 2 * len(picks))
    head = ["yes", interval(*v.used, 4), number(v.scale, 4), number(v.inverse, 4)]
    head.append(percent(1 - float(v.gradient.mean())) if v.gradient.size else NOTHING)
    head += [number(float(v.back[i]), 4) for i in picks]
    return head + [number(float(v.gradient[i])) for i in picks]
