"""What stands below the picture: table, bits curve, decision, batches, pinned rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from qviz.figures.batches import range_by_batch
from qviz.figures.bits import sqnr_against_bits
from qviz.figures.decision import why_this_range
from qviz.pipeline import Comparison, Row
from qviz.pipeline.comparing import needs_of
from qviz.spec import PER_TENSOR
from qviz.stats.base import PerBatch
from qviz.stats.minmax import MinMax
from qviz.ui import pins
from qviz.ui.choice import Choice
from qviz.ui.notices import palette, plain, plot
from qviz.ui.state import compared, gathered
from qviz.ui.table import table, whole
from qviz.ui.words import term

WIDTHS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
BATCHES = PerBatch(MinMax())
MOST_COUNTS = 16  # ranges of the batch curve: each needs a read of its own
PANELS = {
    "table": "Table",
    "bits": "SQNR against bits",
    "why": "Why this range?",
    "batches": "Batch by batch",
    "pins": "Pin A and B",
}


def upto_slider(choice: Choice) -> int | None:
    """How many batches are shown to the observers; None is all of them."""
    count = choice.batches
    if count < 2:
        return None
    upto = st.slider(
        "Batches seen", 1, count, count, key=f"upto-{choice.item.info.fingerprint}-{count}",
        help=term("upto"),
    )  # fmt: skip
    return None if upto == count else upto


def below(
    choice: Choice, comparison: Comparison, ordered: Sequence[Row], highlights: list[str]
) -> None:
    """A switch, and the panel it chose."""
    names = [name for name in PANELS if name != "batches" or choice.batches > 1]
    panel = st.segmented_control(
        "Below", names, default="table", format_func=PANELS.__getitem__, key="panel", required=True,
        bind="query-params", label_visibility="collapsed",
    )  # fmt: skip
    shown = [row for s in highlights for row in comparison.served if row.spelling == s]
    if panel == "bits":
        _bits(choice, shown)
    elif panel == "why":
        _why(choice, shown)
    elif panel == "batches":
        _batches(choice, shown)
    elif panel == "pins":
        pins.panel(choice, ordered, highlights)
    else:
        table(ordered)


def _bits(choice: Choice, shown: Sequence[Row]) -> None:
    if choice.target.spec.quant_min is not None:
        st.info("Custom codes stay the same at every width: take them off to see the curve.")
        return
    curves: dict[str, list[tuple[int, float | None]]] = {row.title: [] for row in shown}
    for bits in WIDTHS:
        spec = replace(choice.target.spec, bits=bits)
        there = replace(choice, target=replace(choice.target, spec=spec))
        for row in compared(there, [row.observer for row in shown]).rows:
            curves[row.title].append((bits, whole(row, "sqnr").value))
    figure = sqnr_against_bits(curves, palette(), now=choice.target.spec.bits)
    plot(figure, "bits-curve", "SQNR of the highlighted observers against bits")


def _why(choice: Choice, shown: Sequence[Row]) -> None:
    if len(choice.stream().tiles) > 1:
        st.info("Several groups in several reads: choose per tensor to see how a range was chosen.")
        return
    seen = gathered(choice, needs_of([row.observer for row in shown], choice.target))
    if seen[MinMax()].n.size > 1:
        st.caption("Shown for the first of several ranges.")
    drawn = False
    for row in shown:
        decision = row.observer.decision(seen, choice.target)
        if decision is not None:
            figure = why_this_range(decision, palette(), row.title)
            plot(figure, f"why-{row.spelling}", f"How {row.title} chose its range")
            st.caption(plain(decision.words))
            drawn = True
    if not drawn:
        st.info("These observers weigh nothing: their range follows from the data at once.")


def _batches(choice: Choice, shown: Sequence[Row]) -> None:
    """The range of the first highlight after each batch."""
    row = shown[0] if shown else None
    if row is None:
        st.info("Highlight an observer to see its range batch by batch.")
        return
    if choice.target.granularity != PER_TENSOR:
        st.info("There are several ranges: choose per tensor to follow one from batch to batch.")
        return
    every = replace(choice, upto=None)
    lows: list[float | None] = [None] * choice.batches
    highs = list(lows)
    for count in counts(choice.batches, choice.upto or choice.batches):
        there = compared(replace(every, upto=count), [row.observer]).rows[0]
        bound = there.range or there.covered
        if bound is not None:
            lows[count - 1], highs[count - 1] = float(bound.lo[0]), float(bound.hi[0])
    states = gathered(every, (BATCHES,))[BATCHES]
    figure = range_by_batch(
        lows,
        highs,
        [float(s.lo[0]) for s in states],
        [float(s.hi[0]) for s in states],
        palette(),
        upto=choice.upto or choice.batches,
    )
    st.caption(plain(f"{row.title}, as it sees batch after batch."))
    plot(figure, "batch-curve", f"Range of {row.title} after each batch")


def counts(batches: int, upto: int) -> list[int]:
    """Numbers of batches to take a range at: all, or about 16 evenly spaced, ``upto`` among them.

    >>> counts(4, 2)
    [1, 2, 3, 4]
    """
    even = np.linspace(1, batches, min(batches, MOST_COUNTS)).round().astype(int)
    return sorted({*even.tolist(), upto})
