"""The numbers above the picture, each marked exact or approximate."""

from __future__ import annotations

import streamlit as st

from qviz.figures.grid_words import GridFacts, codes_said
from qviz.figures.numbers import NOTHING, count, decibels, number, percent
from qviz.metrics.base import Totals
from qviz.metrics.reading import EXACT, LOSSLESS, Reading, read
from qviz.quantizers.base import Quantizer
from qviz.ui.words import term

WIDTH = 154  # six of them and their gaps fill the column
LONG = 12  # characters that a card holds
Card = tuple[str, str, str, str]  # label, value, line below, term


def cards(found: GridFacts) -> None:
    """One row of cards; they wrap into pairs on a phone."""
    with st.container(horizontal=True, gap="xsmall"):
        for label, value, below, name in card_texts(found):
            st.metric(
                label, value, below, delta_color="off", delta_arrow="off", border=True,
                width=WIDTH, help=term(name),
            )  # fmt: skip


def card_texts(found: GridFacts) -> list[Card]:
    """What the cards say."""
    t, quantizer = found.totals, found.settled.quantizer
    share = found.clipping
    used, unused = codes_said(t)
    if len(used) > LONG:
        used, _, whole = used.partition(" ")
        unused = f"{whole} codes"
    return [
        ("SQNR", _sqnr(t), "exact" if t.made == EXACT else "read off the sketch", "sqnr"),
        ("Step", _step(quantizer), _zero(quantizer), "scale"),
        ("Clipped", _marked(t, "clipped_share"), _clipped(t), "clipped_share"),
        (
            "Error by clipping",
            NOTHING if share is None else percent(share),
            _rounding(share),
            "clip_share",
        ),
        ("Codes used", _about(t, used), unused, "codes_used"),
        ("Largest error", _marked(t, "max_abs_error"), _in_steps(t, quantizer), "max_abs_error"),
    ]


def _rounding(share: float | None) -> str:
    if share is None:
        return "no error"
    return "rounding the rest" if 0.9995 <= share < 1 else f"rounding {percent(1 - share)}"


def _sqnr(t: Totals) -> str:
    reading = read("sqnr", t)[0]
    if reading.reason == LOSSLESS:
        return "lossless"
    return _about(t, decibels(reading.value, 2))


def _about(t: Totals, text: str) -> str:
    return text if t.made == EXACT or text == NOTHING else f"≈ {text}"


def _marked(t: Totals, name: str) -> str:
    reading = read(name, t)[0]
    shown = percent if name.endswith("_share") else number
    return _about(t, shown(reading.value))


def _clipped(t: Totals) -> str:
    reading: Reading = read("clipped", t)[0]
    return f"{count(None if reading.value is None else int(reading.value))} values"


def _step(quantizer: Quantizer) -> str:
    return "uneven" if quantizer.step is None else number(float(quantizer.step[0]), 4)


def _zero(quantizer: Quantizer) -> str:
    zero = quantizer.qparams()["zero_point"]
    return "no zero point" if zero is None else f"zero point {number(float(zero[0]))}"


def _in_steps(t: Totals, quantizer: Quantizer) -> str:
    worst = read("max_abs_error", t)[0].value
    if worst is None or quantizer.step is None or not quantizer.step[0] > 0:
        return NOTHING
    return f"{number(worst / float(quantizer.step[0]))} steps"
