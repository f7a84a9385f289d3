"""Integers that may be codes: scale and zero point typed by hand open the values behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.figures.code_bars import code_bars
from qviz.figures.numbers import integer
from qviz.sources.codes import LOOKED_AT, is_integer, may_be_codes, scaled, tally
from qviz.sources.dequantized import Dequantized
from qviz.ui import files
from qviz.ui.library import Item
from qviz.ui.notices import palette, plot
from qviz.ui.state import store
from qviz.ui.words import term

LARGEST = 1e280  # a scale whose levels are finite


def codes_panel(item: Item) -> None:
    """Bars of the codes, and the form where no file states their scale."""
    info = item.info
    if not (is_integer(info.dtype) and _looked(item, "few values", may_be_codes)):
        return
    if info.qparams is not None:
        whole = info.qparams.scale.ndim == 0
        scale = float(info.qparams.scale) if whole else None
        _bars(item, scale, float(info.qparams.zero_point) if whole else 0.0)
        return
    st.caption("Already quantized? Give the scale, and open the values that the codes stand for.")
    mark = info.fingerprint
    with st.container(horizontal=True, vertical_alignment="bottom"):
        scale = st.number_input(
            "Scale", value=1.0, format="%.9g", key=f"codes_scale-{mark}", help=term("scale")
        )
        zero = st.number_input(
            "Zero point", value=0, step=1, key=f"codes_zero-{mark}", help=term("zero_point")
        )
        st.button("Open as values", on_click=_open, args=(item,), key=f"codes_open-{mark}")
    _bars(item, scale if 0 < scale < LARGEST else None, zero)


def _bars(item: Item, scale: float | None, zero_point: float) -> None:
    """How often each code occurs, over the reals that it stands for."""
    counted = _looked(item, "tally", tally)
    if not counted:
        return
    first, counts = counted
    used = int((counts > 0).sum())
    figure = code_bars(first, counts, palette(), scale=scale, zero_point=zero_point)
    plot(figure, f"codes_bars-{item.info.fingerprint}", f"{used} codes in use")
    ends = f"{integer(first)} to {integer(first + counts.size - 1)}"
    cut = f", of the first {integer(LOOKED_AT)} elements" if item.info.size > LOOKED_AT else ""
    st.caption(f"{used} of the {counts.size} codes from {ends} in use; the others hollow{cut}.")


def _looked(item: Item, what: str, look: Callable[[Any], Any]) -> Any:
    """What a look at the elements gives, once for each content; False where they cannot be read."""
    key = (item.info.fingerprint, what)
    found = store().get(key)
    if found is None:
        try:
            found = look(item.array()) or False
        except QvizError:  # which the page itself tells
            found = False
        store().put(key, found)
    return found


def _open(item: Item) -> None:
    mark, info = item.info.fingerprint, item.info
    scale, zero = (st.session_state[f"codes_{name}-{mark}"] for name in ("scale", "zero"))
    try:
        q = scaled(scale, zero, info.shape, dtype=info.dtype)
    except QvizError as error:
        st.session_state["refused"] = error
        return
    made = Dequantized(info, item.array, q)
    files.keep(made.title, made)
