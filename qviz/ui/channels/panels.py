"""What stands below the pictures: lists, granularities, where it clips, transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from qviz.figures.channel_clipping import clipped_along, words_along
from qviz.figures.granularity import rows_of_decibels
from qviz.figures.numbers import NOTHING, integer, percent
from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.channel_rows import ChannelRows, ranked
from qviz.pipeline.granularities import Gain
from qviz.ui.channels import changing, picked, results
from qviz.ui.channels.look import Look
from qviz.ui.channels.written import written
from qviz.ui.choice import Choice
from qviz.ui.notices import palette, plain, plot
from qviz.ui.words import term

PANELS = {
    "lists": "Channels",
    "granularity": "Granularity",
    "clipping": "Where it clips",
    "transforms": "Transforms",
}
LISTED = 512  # rows of the table
MOST_AXES = 4
ANALYSIS = (
    "One step for each channel of an activation is for analysis: channels are added up inside the "
    "product, which cannot undo their steps. What can be deployed: a step per token, a factor "
    "moved into the weight, or more bits."
)


def below(choice: Choice, look: Look, found: ChannelMap, rows: ChannelRows) -> None:
    """A switch, and the panel it chose."""
    panel = st.segmented_control(
        "Below", list(PANELS), default="lists", format_func=PANELS.__getitem__,
        key="channels_panel", required=True, bind="query-params", label_visibility="collapsed",
    )  # fmt: skip
    if panel == "granularity":
        _granularity(choice, look, found)
    elif panel == "clipping":
        _clipping(choice, look)
    elif panel == "transforms":
        changing.panel(choice, look)
    else:
        _lists(look, found, rows)


def _lists(look: Look, found: ChannelMap, rows: ChannelRows) -> None:
    lines = [f"**{plain(n)}** {plain(text)}" for n, text in picked.lists(found, look.group)]
    st.markdown("  \n".join(lines))
    order = rows.order if rows.count else ranked(found, look.sort)
    frame = pd.DataFrame(_columns(look, found, order[::-1][:LISTED]))
    number = st.column_config.NumberColumn
    st.dataframe(
        written(frame), hide_index=True, width="stretch", row_height=31, key="channels-table",
        placeholder=NOTHING,
        height=min(31 * (len(frame) + 1) + 8, 360),
        alt="Channels with their range, SQNR and codes, as filtered and sorted",
        column_config={
            "Shared dB": number(help=term("channels_shared")),
            "Own dB": number(help=term("channels_own")),
            "Codes used": number(help=term("codes_used")),
        },
    )  # fmt: skip
    if len(order) > LISTED:
        st.caption(f"The last {LISTED} of {integer(len(order))} in this order.")


def _columns(look: Look, found: ChannelMap, order: np.ndarray) -> dict[str, Any]:
    shared, own = found.shared.sqnr[order], found.own.sqnr[order]
    notes = np.where(np.isinf(found.shared.sqnr), "exact", found.told)
    there = found.facts.finite[order] > 0
    codes = pd.array(found.codes[order], dtype="Int64")
    return {
        look.group.capitalize(): order,
        "Min": np.where(there, found.facts.lo[order], np.nan),
        "Max": np.where(there, found.facts.hi[order], np.nan),
        "Shared dB": _finite(shared), "Own dB": _finite(own),
        "Gain dB": _finite(_finite(own) - _finite(shared)),
        "Codes used": pd.Series(codes).mask(found.codes[order] < 0),
        "Note": notes[order],
    }  # fmt: skip


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)


def _granularity(choice: Choice, look: Look, found: ChannelMap) -> None:
    every = results.known_gains(choice, look)
    if every is None:
        st.info(f"{plain(look.title)} has to weigh every group of this large tensor.")
        if not st.button("Measure all granularities", key="channels-measure"):
            return
        with st.spinner("Measuring"):
            every = results.all_gains(choice, look)
    if look.activation:
        st.info(ANALYSIS, icon=":material/info:")
    rows = [(_title(g, look), None if g.refused else g.sqnr, _may_win(g, look)) for g in every]
    figure = rows_of_decibels(rows, palette(), "SQNR of the whole tensor in dB")
    plot(figure, "channels-granularity", "SQNR under each granularity")
    st.dataframe(
        written(pd.DataFrame([_costs(g, every[0], look) for g in every])), hide_index=True,
        width="stretch", row_height=31, key="channels-costs", placeholder=NOTHING,
        alt="Gain, parameters and bytes of each granularity", column_config=_formats(),
    )  # fmt: skip
    for gain in every:
        if gain.refused:
            st.caption(plain(f"{results.name_of(gain.granularity)}: {gain.refused}"))


def _may_win(gain: Gain, look: Look) -> bool:
    kind = gain.granularity.kind
    return not gain.refused and not (look.activation and kind in ("per_channel", "per_group"))


def _title(gain: Gain, look: Look) -> str:
    name = results.name_of(gain.granularity)
    return name if _may_win(gain, look) or gain.refused else f"{name} (analysis)"


def _costs(gain: Gain, base: Gain, look: Look) -> dict[str, Any]:
    there = not gain.refused and np.isfinite(gain.sqnr)
    worst = gain.worst if there and np.isfinite(gain.worst) else None
    return {
        "Granularity": _title(gain, look),
        "SQNR dB": gain.sqnr if there else None,
        "Gain dB": gain.over(base),
        "Worst group dB": worst,
        "Ranges": None if gain.refused else gain.parameters,
        "Bytes": None if gain.refused else gain.bytes,
        "of the codes": "–" if gain.refused else percent(gain.share),
        "Deployed": "no: analysis" if not (gain.refused or _may_win(gain, look)) else "",
    }


def _formats() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "SQNR dB": number(help=term("sqnr")),
        "Gain dB": number(help=term("channels_gain")),
        "Ranges": number(help=term("channels_ranges")),
        "Bytes": number(help=term("channels_bytes")),
    }


def _clipping(choice: Choice, look: Look) -> None:
    found = results.clipping(choice, look)
    if not found.count:
        st.info("Nothing is clipped under one step for the tensor: choose a rule that cuts.")
        return
    share = found.energy / found.signal if found.signal > 0 else None
    st.markdown(
        plain(
            f"{integer(found.count)} elements are clipped, {percent(found.count / found.of)} of "
            f"all; with them goes {percent(share)} of the energy."
        )
    )
    axes = sorted(found.axes, key=lambda a: -float(a.energies.max(initial=0.0)))[:MOST_AXES]
    columns = st.columns(min(len(axes), 2))
    for at, along in enumerate(axes):
        with columns[at % len(columns)]:
            st.caption(plain(words_along(along)))
            key = f"channels-clipping-{along.axis}"
            plot(clipped_along(along, palette()), key, words_along(along))
