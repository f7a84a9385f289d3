"""The row of controls: axis, order, and in a popover the rule, the threshold and the filter."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.numbers import integer, number
from qviz.observers.base import OBSERVERS, Observer
from qviz.pipeline.channel_facts import ChannelMap, median_of
from qviz.pipeline.channel_rows import MOST_ROWS, ChannelRows, in_rows, ranked
from qviz.pipeline.granularities import SIZES
from qviz.spec import Role
from qviz.stats.stream import Stream
from qviz.ui.channels import results
from qviz.ui.channels.filtering import chosen_indices
from qviz.ui.channels.look import Look
from qviz.ui.choice import Choice, channel_axis, shape_words
from qviz.ui.notices import plain
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

SORTS = ("error", "range", "index")
GROUPS = (4, 8, 16, *SIZES)  # sizes of a group where there is one axis
MOST_SIZES = 4  # buttons that fit
FITTING = "fitting"  # the rule that goes with the codes
MORE = 1.5  # times the spread of the chosen axis, from which another one is worth a hint
FEW_AXES = 2  # buttons that fit
LEAST = 2.0  # and this much in itself


def row(choice: Choice) -> Look | str:
    """Draw the controls; gives what they say, or why there is nothing to look at."""
    shape = choice.item.info.shape
    if not shape:
        return "A single value has no channels. Choose a tensor with axes."
    if 0 in shape:
        return f"There is no element: the shape is {shape_words(shape)}."
    columns = st.columns([3, 3, 1.5, 4.5], vertical_alignment="bottom")
    axis, group, stream = _channels(choice, columns[0])
    sort = columns[1].segmented_control(
        "Sort by", SORTS, default="error", key="channels_sort", bind="query-params",
        required=True, width="stretch", help=term("channels_sort"),
    )  # fmt: skip
    with columns[2].popover("More", icon=":material/tune:", width="stretch"):
        observer, threshold, only = _more(choice)
    gains = columns[3].empty()
    if isinstance(stream, str):
        return stream
    key = f"{choice.item.info.fingerprint}-{axis}-{group}"
    active = choice.role == Role.ACTIVATION
    return Look(stream, axis, group, active, observer, sort, threshold, only, key, gains)


def _channels(choice: Choice, column: Any) -> tuple[int, str, Stream | str]:
    """The axis, or for one axis the size of a group; and the stream to look at."""
    info = choice.item.info
    if len(info.shape) == 1:
        return _groups(choice, column)
    usual = channel_axis(len(info.shape), choice.role) or 0
    few = len(info.shape) <= FEW_AXES
    settings: dict[str, Any] = {"required": True, "width": "stretch", "default": usual}
    pick = column.segmented_control if few else column.selectbox
    axis = pick(
        "Channel axis", range(len(info.shape)), help=plain(_axis_help(choice)),
        key=f"channels_axis-{info.fingerprint}-{usual}",
        format_func=lambda a: f"{a} ({info.shape[a]:,})",
        **(settings if few else {"index": usual}),
    )  # fmt: skip
    return int(axis), "channel", Stream.of(choice.item.array())


def _groups(choice: Choice, column: Any) -> tuple[int, str, Stream | str]:
    info = choice.item.info
    sizes = [size for size in GROUPS if info.size % size == 0 and info.size > size][-MOST_SIZES:]
    if not sizes:
        why = f"This tensor has no channels, and no group size divides {info.size:,} elements."
        return 0, "group", f"{why} Sizes are {', '.join(map(str, GROUPS))}."
    usual = min(sizes, key=lambda size: abs(size - SIZES[0]))
    size = column.segmented_control(
        "Group size", sizes, default=usual, key=f"channels_size-{info.fingerprint}",
        required=True, width="stretch", help=term("channels_size"),
    )  # fmt: skip
    return 0, "group", Stream.of(choice.item.array().reshape(-1, size))


def _axis_help(choice: Choice) -> str:
    """The shape, and how far the largest index of each axis stands out."""
    parts = [
        f"axis {axis}: largest {number(ratio, 2)} times the median"
        for axis, ratio in enumerate(_ratios(choice))
    ]
    return f"Shape {shape_words(choice.item.info.shape)}. {'; '.join(parts)}."


def _ratios(choice: Choice) -> list[float]:
    spread = results.spread(choice)
    return [float(s.max(initial=0.0)) / (median_of(s) or 1.0) for s in spread]


def hints(choice: Choice, look: Look) -> None:
    """Another axis that spreads more; a 1-D tensor seen in groups."""
    if look.group == "group":
        st.caption("This tensor has no channels: neighbours are taken as groups instead.")
        return
    ratios = _ratios(choice)
    other = int(np.argmax(ratios))
    if ratios[other] > max(MORE * ratios[look.axis], LEAST):
        st.caption(
            plain(
                f"Axis {other} spreads more: its largest index is {number(ratios[other], 2)} times "
                f"the median one, along axis {look.axis} it is {number(ratios[look.axis], 2)}."
            ),
        )


def _more(choice: Choice) -> tuple[Observer, float, str]:
    fitting = "absmax" if choice.target.spec.symmetric else "minmax"
    names = [FITTING, *OBSERVERS]
    title = OBSERVERS.entry(fitting).title
    name = st.selectbox(
        "Rule for every range", names, key="channels_rule", bind="query-params",
        format_func=lambda n: f"{title} (fits the codes)" if n == FITTING
        else OBSERVERS.entry(n).title, help=term("channels_rule"),
    )  # fmt: skip
    made = OBSERVERS[fitting]() if name == FITTING else OBSERVERS[name]()
    if name != FITTING:
        made = knob_widgets(made, f"channels_knob-{name}")
    threshold = st.slider(
        "Threshold, dB", 0, 60, 20, key="channels_threshold", bind="query-params",
        help=term("channels_threshold"),
    )  # fmt: skip
    only = st.text_input(
        "Channels, such as 0-31, 45", key="channels_only", help=term("channels_only")
    )
    st.toggle(
        "Only below the threshold", key="channels_low", bind="query-params",
        help=term("channels_threshold"),
    )  # fmt: skip
    return made, float(threshold), only


def rows(look: Look, found: ChannelMap) -> ChannelRows | None:
    """Channels after the filter, in order, the part that is zoomed to; None where none is left."""
    order = ranked(found, look.sort)
    if look.only.strip():
        try:
            order = order[np.isin(order, chosen_indices(look.only, found.channels))]
        except QvizError as error:
            st.warning(plain(str(error)), icon=":material/filter_alt:")
    if st.session_state.get("channels_low"):
        order = order[found.shared.sqnr[order] < look.threshold]
    if not len(order):
        return None
    if len(order) > MOST_ROWS:
        order = order[_zoom(look, len(order))]
    return in_rows(order, group=look.group)


def _zoom(look: Look, count: int) -> slice:
    """Ranks to show: a row stands for several channels until at most 128 are left."""
    first, last = st.slider(
        f"Zoom: {integer(count)} {look.group}s in {MOST_ROWS} rows", 1, count, (1, count),
        key=f"channels_zoom-{look.key}-{count}", help=term("channels_zoom"),
    )  # fmt: skip
    return slice(first - 1, max(last, first))
