"""What stands below the small multiples: one element in words, sums, qparams."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from qviz.figures import fake_quant_words as say
from qviz.figures import training_batches_words as batch
from qviz.figures.numbers import interval, percent
from qviz.figures.training_batches import scale_text
from qviz.pipeline.training_batches import Ride
from qviz.pipeline.training_gradients import Picked, Portrait, Sums
from qviz.quantizers.stateful import Export, Stateful
from qviz.ui.notices import plain
from qviz.ui.words import term


def element_sentences(found: Sequence[tuple[str, Picked]]) -> None:
    """A line per mode on the element that is followed."""
    if not found:
        return
    st.markdown("\n".join(f"- {plain(say.element(title, one))}" for title, one in found))


def sums_table(rows: Sequence[tuple[str, Portrait | None, Sums | None]]) -> None:
    """Gradients of all elements together, for an upstream gradient of 1 each."""
    there = [(t, p, s) for t, p, s in rows if p is not None and s is not None]
    if not there:
        return
    columns = {
        "Mode": [title for title, _, _ in there],
        "Covered range": [interval(shown.lo, shown.hi, 4) for _, shown, _ in there],
        "Levels": [shown.levels for _, shown, _ in there],
        "Gradient to x": [say.share_text(sums.passes, sums) for _, _, sums in there],
        "Clipped below": [say.share_text(sums.below, sums) for _, _, sums in there],
        "Clipped above": [say.share_text(sums.above, sums) for _, _, sums in there],
        "Sum to parameters": [say.sums_text(sums) for _, _, sums in there],
    }
    st.dataframe(
        pd.DataFrame(columns), hide_index=True, width="stretch",
        column_config={
            "Mode": st.column_config.Column(pinned=True, width=150),
            "Covered range": st.column_config.Column(width=140),
            "Levels": st.column_config.Column(width=60),
            "Gradient to x": st.column_config.Column(width=90, help=term("fake_quant_passes")),
            "Clipped below": st.column_config.Column(width=90),
            "Clipped above": st.column_config.Column(width=90),
            "Sum to parameters": st.column_config.Column(width=260, help=term("fake_quant_sums")),
        },
    )  # fmt: skip


def objects_table(shown: Sequence[tuple[str, Stateful, Ride]], trained: int) -> None:
    """Range, qparams in use and exported of each object, and what it says when asked to forget."""
    last = [ride.after[-1] if ride.after else None for _, _, ride in shown]
    shares = [member.start_share(trained) for _, member, _ in shown]
    columns = {
        "Object": [title for title, _, _ in shown],
        "Range held": ["–" if a is None or a.lo is None else interval(a.lo, a.hi, 4) for a in last],
        "Quantizes with": [_text(a and batch.qparams(a.quantizer)) for a in last],
        "Exports": ["–" if a is None else a.refused or _text(a.export) for a in last],
        "Start weighs": ["–" if share is None else percent(share) for share in shares],
    }
    st.dataframe(pd.DataFrame(columns), hide_index=True, width="stretch")
    with st.expander("Asked to forget what they saw"):
        said = [f"{title}: {ride.reset}" for title, _, ride in shown]
        st.markdown("\n".join(f"- {plain(line)}" for line in said))


def _text(found: Export | None) -> str:
    return scale_text(None, None) if found is None else scale_text(found.scale, found.zero_point)
