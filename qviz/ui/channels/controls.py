"""The row of controls: axis, order, and in a popover the rule, the threshold and the filter."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.numbers import integer, number
from qviz.observers.base import Observer
from qviz.pipeline.channel_facts import ChannelMap, median_of
from qviz.pipeline.channel_rows import MOST_ROWS, ChannelRows, in_rows, ranked
from qviz.pipeline.granularities import SIZES
from qviz.spec import Role
from qviz.stats.stream import Stream
from qviz.ui import linking
from qviz.ui.channels import results
from qviz.ui.channels.filtering import chosen_indices
from qviz.ui.channels.look import Look
from qviz.ui.channels.rule import chosen_rule
from qviz.ui.choice import Choice, channel_axis, shape_words
from qviz.ui.notices import plain
from qviz.ui.words import term

SORTS = ("error", "range", "index")
GROUPS = (4, 8, 16, *SIZES)  # sizes of a group where there is one axis
MOST_SIZES = 4  # buttons that fit
MORE = 1.5  # times the spread of the chosen axis, from which another one is worth a hint
FEW_AXES = 2  # buttons that fit
LEAST = 2.0  # and this much in itself
ONLY, LOW = "channels_only", "channels_low"  # keys of the two filters


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
    label, icon = ("Filtered", "filter_alt") if _filtered() else ("More", "tune")
    with columns[2].popover(label, icon=f":material/{icon}:", width="stretch"):
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
    few, key = len(info.shape) <= FEW_AXES, f"channels_axis-{info.fingerprint}-{usual}"
    known = range(len(info.shape))
    start = linking.start(choice, "channels_axis", key, linking.one_of(*known), usual)
    settings: dict[str, Any] = {"required": True, "width": "stretch", "default": start}
    pick = column.segmented_control if few else column.selectbox
    axis = pick(
        "Channel axis", known, help=plain(_axis_help(choice)), key=key,
        format_func=lambda a: f"{a} ({info.shape[a]:,})",
        **(settings if few else {"index": start}),
    )  # fmt: skip
    linking.tell(choice, "channels_axis", int(axis), usual)
    return int(axis), "channel", Stream.of(choice.item.array())


def _groups(choice: Choice, column: Any) -> tuple[int, str, Stream | str]:
    info = choice.item.info
    sizes = [size for size in GROUPS if info.size % size == 0 and info.size > size][-MOST_SIZES:]
    if not sizes:
        why = f"This tensor has no channels, and no group size divides {info.size:,} elements."
        return 0, "group", f"{why} Sizes are {', '.join(map(str, GROUPS))}."
    usual = min(sizes, key=lambda size: abs(size - SIZES[0]))
    key = f"channels_size-{info.fingerprint}"
    start = linking.start(choice, "channels_size", key, linking.one_of(*sizes), usual)
    size = column.segmented_control(
        "Group size", sizes, default=start, key=key, required=True, width="stretch",
        help=term("channels_size"),
    )  # fmt: skip
    linking.tell(choice, "channels_size", size, usual)
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
    made = chosen_rule(choice)
    threshold = st.slider(
        "Threshold, dB", 0, 60, 20, key="channels_threshold", bind="query-params",
        help=term("channels_threshold"),
    )  # fmt: skip
    only = st.text_input(
        "Channels, such as 0-31, 45", key=ONLY, help=term("channels_only"), bind="query-params"
    )
    st.toggle("Only below the threshold", key=LOW, bind="query-params", help=term("channels_low"))
    return made, float(threshold), only


def _filtered() -> bool:
    """Whether channels are left out; before the widgets of the first run the address knows."""
    state, given = st.session_state, st.query_params
    low = state[LOW] if LOW in state else given.get(LOW) == "true"
    only = state[ONLY] if ONLY in state else given.get(ONLY, "")
    return bool(low or only.strip())


def rows(choice: Choice, look: Look, found: ChannelMap) -> ChannelRows:
    """Channels after the filter, in order, the part that is zoomed to; none may be left."""
    order = ranked(found, look.sort)
    if look.only.strip():
        try:
            order = order[np.isin(order, chosen_indices(look.only, found.channels))]
        except QvizError as error:
            _undo(f"{error} It is left aside.", ONLY)
    if st.session_state.get(LOW):  # those without a number are no better
        order = order[~(found.shared.sqnr[order] >= look.threshold)]
    if not len(order):
        few = f"No {look.group} lies below {number(look.threshold)} dB."
        _undo(f"{few} Below are all of them.", LOW)
    if len(order) > MOST_ROWS:
        order = order[_zoom(choice, look, len(order))]
    return in_rows(order, group=look.group)


def _undo(reason: str, key: str) -> None:
    """What became of the filter, and a button that takes it off."""
    words, side = st.columns([9, 3], vertical_alignment="center")
    words.info(plain(reason), icon=":material/filter_alt:")
    side.button(
        "Take off the filter", key=f"{key}-undo", icon=":material/filter_alt_off:",
        on_click=_unfiltered, width="stretch",
    )  # fmt: skip


def _unfiltered() -> None:
    st.session_state[ONLY], st.session_state[LOW] = "", False


def _zoom(choice: Choice, look: Look, count: int) -> slice:
    """Ranks to show: a row stands for several channels until at most 128 are left."""
    key = f"channels_zoom-{look.key}-{count}"
    start = linking.start(choice, "channels_zoom", key, linking.span(count), (1, count))
    first, last = st.slider(
        f"Zoom: {integer(count)} {look.group}s in {MOST_ROWS} rows", 1, count, start,
        key=key, help=term("channels_zoom"),
    )  # fmt: skip
    linking.tell(choice, "channels_zoom", f"{first}-{last}", f"1-{count}")
    return slice(first - 1, max(last, first))
