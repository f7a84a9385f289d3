"""Parts of a tensor that were opened as tensors of their own: views, kept by the session."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import streamlit as st

from qviz.figures.theme import clean
from qviz.sources.base import TensorInfo, TensorSource

MOST = 8  # parts kept; the oldest goes first
KEY = "derived"


class ChannelView(TensorSource):
    """One channel of a tensor: a view of its parent, which is read when the view is."""

    skipped: Mapping[str, str] = MappingProxyType({})

    def __init__(self, parent: Any, axis: int, channel: int) -> None:
        self.parent, self.axis, self.channel = parent, axis, channel
        self.title = f"{parent.label}, channel {channel}"
        known, rank = parent.info, len(parent.info.shape)
        words = (known.fingerprint, axis, channel)
        mark = hashlib.blake2b(repr(words).encode(), digest_size=16).hexdigest()
        shape = known.shape[:axis] + known.shape[axis + 1 :]
        about = f"Channel {channel} along axis {axis} of {rank}."
        info = TensorInfo(self.title, shape, known.dtype, mark, known.role, None, about, self.title)
        self.infos = {self.title: info}

    def read(self, name: str) -> Any:
        """The channel's elements."""
        return self.parent.array()[(slice(None),) * self.axis + (self.channel,)]


def derived() -> dict[str, ChannelView]:
    """Parts of this session by the name they are listed under, newest first."""
    return st.session_state.get(KEY, {})


def open_channel(parent: Any, axis: int, channel: int) -> str:
    """Keep a channel as a tensor of its own; gives the id under which it can be chosen."""
    view = ChannelView(parent, axis, channel)
    shown = clean(view.title)
    others = {name: kept for name, kept in derived().items() if name != shown}
    kept = [(shown, view), *others.items()][:MOST]
    st.session_state[KEY] = dict(kept)
    return shown
