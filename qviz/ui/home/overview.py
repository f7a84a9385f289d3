"""Home for any tensor: its histogram, six facts, three questions that lead on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import streamlit as st

from qviz.figures.numbers import number
from qviz.figures.overview import Overview
from qviz.figures.overview import overview as picture
from qviz.metrics.base import overall
from qviz.metrics.reading import read
from qviz.observers.minmax import MinMaxObserver
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR
from qviz.stats.minmax import MinMax
from qviz.stats.moments import Moments
from qviz.stats.sketch import Sketch
from qviz.ui.choice import Choice
from qviz.ui.notices import palette, plain, plot
from qviz.ui.remarks import first_non_finite_of
from qviz.ui.state import compared, gathered
from qviz.ui.words import term

RECIPES = (MinMax(), Sketch(16), Moments())
QUESTIONS = (
    ("Which range should I keep?", "pages/1_Observers.py", ":material/straighten:"),
    ("Why do two frameworks disagree?", "pages/5_Rosetta.py", ":material/translate:"),
    ("Which channels suffer?", "pages/6_Channels.py", ":material/view_week:"),
)
LABELS = {
    "values": "Values",
    "mean": "Mean",
    "std": "Std",
    "largest_typical": "Largest / typical",
    "codes_used_minmax": "8-bit codes used",
    "not_finite": "NaN, Inf",
}
CARD = 149  # pixels; six of them and their gaps fill the column


def show(choice: Choice, head: Any) -> None:
    """Heading, histogram, cards, questions."""
    whole = replace(choice, target=Target.of())
    seen = gathered(whole, RECIPES)
    facts = seen[MinMax()]
    odd = int(facts.finite.sum()) < int(facts.n.sum())
    found = Overview.of(facts, seen[Sketch(16)].cells, first_non_finite_of(choice) if odd else None)
    head.markdown(f"### {plain(found.heading)}")
    info = choice.item.info
    head.caption(plain(f"{choice.about}, {info.dtype}, {_bytes(info.size, info.dtype)}"))
    if found.middle is not None:
        plot(picture(found, palette()), "overview", found.heading)
    _cards(whole, found, seen[Moments()])
    columns = st.columns(len(QUESTIONS))
    for column, (question, page, icon) in zip(columns, QUESTIONS, strict=True):
        column.page_link(page, label=question, icon=icon, width="stretch")


def _cards(choice: Choice, found: Overview, moments: Any) -> None:
    mean, std = (float(v[0]) if found.middle else None for v in (moments.mean, moments.std))
    texts = dict(found.cards) | {
        "mean": number(mean),
        "std": number(std),
        "codes_used_minmax": _codes_used(choice) if found.middle else number(None),
    }
    with st.container(horizontal=True, gap="small"):
        for key, name in LABELS.items():
            st.metric(name, texts[key], border=True, width=CARD, help=term(key))


def _codes_used(choice: Choice) -> str:
    """``152 of 256`` under 8-bit min-max; with ≈ where it is read off a sketch."""
    target = Target.of(granularity=PER_TENSOR)
    row = compared(replace(choice, target=target), [MinMaxObserver()]).rows[0]
    if row.totals is None:
        return number(None)
    reading = read("codes_used", overall(row.totals))[0]
    mark = "" if reading.mark == "exact" else "≈ "
    return f"{mark}{number(reading.value)} of 256"


def _bytes(size: int, dtype: str) -> str:
    """Size in memory; a dtype's name holds its bits (``bool`` is kept in eight)."""
    bits = re.search(r"\d+", dtype)
    total = size * (int(bits[0]) if bits else 8) / 8
    for unit in ("bytes", "kB", "MB"):
        if total < 1000:
            return f"{number(total)} {unit}"
        total /= 1000
    return f"{number(total)} GB"
