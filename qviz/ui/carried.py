"""The choice in the address: bits, signs, granularity, codes and mode, in words that stay.

Parameters that Streamlit binds to widgets belong to one page and are dropped on the way to the
next, or back. These are read and written here instead: an address that a person changed, opened
or went back to sets the choice; else the choice, which the session carries from page to page,
writes the address.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS

GRANULARITIES = ("per_tensor", "per_channel", "per_token", "group_32", "group_64", "group_128")
WIDEST = 65_536
WRITTEN, PAGE = "choice_written", "page_shown"


@dataclass(frozen=True)
class Field:
    """One part of the choice: its default, and how an address writes it."""

    default: Any
    read: Callable[[str], Any]

    def of(self, text: str | None) -> Any:
        """The value of a text; the default where it is none."""
        try:
            return self.default if text is None else self.read(text)
        except (ValueError, QvizError):
            return self.default


def _one_of(*allowed: Any) -> Callable[[str], Any]:
    words = {str(value).lower(): value for value in allowed}

    def read(text: str) -> Any:
        if text.lower() not in words:
            raise ValueError(text)
        return words[text.lower()]

    return read


def _code(text: str) -> int:
    if not -WIDEST <= int(text) <= WIDEST:
        raise ValueError(text)
    return int(text)


def _spelled(text: str) -> str:
    return QUANTIZERS.spell(QUANTIZERS.make(text))


FLAG = Field(False, _one_of(True, False))
FIELDS = {
    "bits": Field(8, _one_of(*range(1, 17))),
    "signed": FLAG,
    "symmetric": FLAG,
    "granularity": Field("per_tensor", _one_of(*GRANULARITIES)),
    "axis": Field(None, int),
    "narrow_range": FLAG,
    "reduce_range": FLAG,
    "custom": FLAG,
    "quant_min": Field(0, _code),
    "quant_max": Field(255, _code),
    "mode_spelling": Field("affine", _spelled),
}
NAMES = {"mode_spelling": "mode"}  # of parameters that are not called as in the session


def read_address(page: str) -> None:
    """Set the choice from the address where it is not the one that was written last.

    Call it before the widgets are made. On another page an address without any of these
    parameters is a link that carries the choice on.
    """
    state, written = st.session_state, st.session_state.get(WRITTEN, {})
    given = {key: st.query_params.get(NAMES.get(key, key)) for key in FIELDS}
    carried = state.get(PAGE, page) != page and not any(given.values())
    state[PAGE] = page
    if "tensor" in state:
        state["tensor"] = state["tensor"]
    for key, field in FIELDS.items():
        if key not in state or (not carried and given[key] != written.get(key)):
            _put(key, field.of(given[key]))
        else:
            state[key] = state[key]  # a widget of another page takes it over


def _put(key: str, value: Any) -> None:
    if value is not None:
        st.session_state[key] = value
    if key == "mode_spelling":
        st.session_state["mode"] = QUANTIZERS.name_of(QUANTIZERS.make(str(value)))


def write_address() -> dict[str, str]:
    """Write the choice where it is not the default; call it after the widgets are made.

    Gives the parameters, the tensor's among them, for links to other pages: an address that is
    complete at once is one step of the browser's history.
    """
    state = st.session_state
    texts = {
        key: str(state[key]).lower() if isinstance(state[key], bool) else str(state[key])
        for key, field in FIELDS.items()
        if key in state and state[key] not in (None, field.default) and _shown(key)
    }
    params = {NAMES.get(key, key): text for key, text in texts.items()}
    names = [NAMES.get(key, key) for key in FIELDS]
    now = {name: st.query_params[name] for name in names if name in st.query_params}
    if any(now.get(name) != text for name, text in params.items()):
        st.query_params.update(params)  # at once: each write is a step of the browser's history
    for name in now:
        if name not in params:
            del st.query_params[name]
    state[WRITTEN] = texts
    tensor = st.query_params.get("tensor")
    return params if tensor is None else {"tensor": tensor} | params


def _shown(key: str) -> bool:
    """Whether a part counts now: ends of codes only where they are custom, an axis per channel."""
    state = st.session_state
    if key in ("quant_min", "quant_max"):
        return bool(state.get("custom"))
    return key != "axis" or state.get("granularity") == "per_channel"
