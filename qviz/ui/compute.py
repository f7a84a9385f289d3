"""The control that says where to count, and what is said where a device fails."""

from __future__ import annotations

import streamlit as st

from qviz.ui.device import HOST, Device, failed, hinted, load, offered
from qviz.ui.library import Item
from qviz.ui.notices import plain
from qviz.ui.words import term

FULL = "{} has too little free memory for this tensor: it is counted on the processor."
UNABLE = "{} could not do this ({}): it is counted on the processor."


def switch(item: Item) -> Device:
    """The device chosen for a tensor; a control only where there is a choice."""
    device = offered()
    if device is None:
        if hinted():
            st.button(
                "Use the GPU", icon=":material/memory:", width="stretch", help=term("compute"),
                on_click=_ask,
            )  # fmt: skip
        return HOST
    places = {place.key: place for place in (HOST, device)}
    chosen = st.segmented_control(
        "Counted on", list(places), default=HOST.key, key="compute", required=True,
        format_func=lambda key: places[key].title, help=term("compute"),
        persist_state="session", width="stretch",
    )  # fmt: skip
    if chosen == HOST.key:
        st.session_state.pop("on_device", None)
    elif item.info.fingerprint in failed():
        st.caption(plain(failed()[item.info.fingerprint]))
    return places[chosen]


def _ask() -> None:
    """Load torch, and say so where that brings nothing."""
    load()
    if offered() is None:
        st.toast("torch has no device that counts as the processor does.")


def gave_up(item: Item, device: Device, error: Exception) -> None:
    """Remember that the device failed on a tensor, and say so."""
    full = isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__
    words = FULL.format(device.title) if full else UNABLE.format(device.title, type(error).__name__)
    failed()[item.info.fingerprint] = words
    st.session_state.pop("on_device", None)
    st.warning(plain(words), icon=":material/memory:")
