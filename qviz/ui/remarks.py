"""What a reader must know before trusting the numbers: odd values, ranges that cannot be used."""

from __future__ import annotations

import streamlit as st

from qviz.figures.numbers import integer
from qviz.pipeline import Comparison
from qviz.sources.limits import caveats
from qviz.spec import Role
from qviz.stats.locate import first_non_finite
from qviz.ui.choice import Choice
from qviz.ui.state import store

ANALYSIS = ("per_channel", "per_group")


def remarks(choice: Choice, comparison: Comparison) -> None:
    """One box for each remark that applies."""
    facts = comparison.facts
    if facts.finite.sum() < facts.n.sum():
        at = first_non_finite_of(choice)
        where = "" if at is None else f" The first lies at flat index {integer(at)}."
        st.warning(
            f"NaN and infinities are left out of every number here.{where}",
            icon=":material/warning:",
        )
    for words in caveats(choice.item.info.dtype, float(facts.amax.max(initial=0.0))):
        st.warning(words, icon=":material/warning:")
    if choice.role == Role.ACTIVATION and choice.target.granularity.kind in ANALYSIS:
        st.info(
            "One range per channel of an activation is for analysis: a matrix product adds up "
            "channels, so it cannot undo their scales. Per tensor and per token can be deployed.",
            icon=":material/info:",
        )


def first_non_finite_of(choice: Choice) -> int | None:
    """Flat index of the first NaN or infinity of the chosen tensor, looked up once."""
    key = (choice.item.info.fingerprint, choice.batch_axis, choice.upto, "first non-finite")
    found = store().get(key)
    if found is None:
        at = first_non_finite(choice.stream().batches)
        found = (at,)
        store().put(key, found)
    return found[0]
