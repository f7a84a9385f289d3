"""First view: any set of modes on one range, forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures import fake_quant_words as say
from qviz.figures.fake_quant import small_multiple
from qviz.figures.fake_quant_frame import Frame, framed
from qviz.pipeline.training_gradients import Picked, Portrait, Sums, apart, picked, portrait
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, covered
from qviz.spec import Range
from qviz.ui.choice import Choice
from qviz.ui.fake_quant import modes, tensor
from qviz.ui.fake_quant.tables import element_sentences, sums_table
from qviz.ui.notices import palette, plain, plot
from qviz.ui.words import term

ACROSS = 3  # small multiples in a row
FINE = 64  # levels above which a staircase looks like a line
ABOVE = 0.15  # of the range: where the picked value lies unless another is


@dataclass(frozen=True, eq=False)
class Cell:
    """One mode on screen: what it does, or the reason why it cannot."""

    spelling: str
    title: str
    mode: Mode
    quantizer: Quantizer | None = None
    refused: str = ""
    shown: Portrait | None = None
    sums: Sums | None = None
    picked: Picked | None = None


def view(choice: Choice) -> tuple[str, str]:
    """Controls, small multiples, words and sums; gives heading and caption."""
    row = st.columns([5, 1.3, 1.3, 2.2], vertical_alignment="bottom")
    with row[0]:
        asked_for = _chosen(choice)
    values = tensor.values(choice)
    asked = _range(values, row[1], row[2])
    with row[3], st.container(horizontal=True, horizontal_alignment="right"):
        minus, exact = _options(choice, values)
    pictures = st.container()
    at = tensor.element(choice, asked[1] + ABOVE * ((asked[1] - asked[0]) or 1.0))
    settled = [_settled(spelling, choice, asked) for spelling in asked_for]
    reached = [_reach(c.quantizer) for c in settled if c.quantizer is not None]
    frame = framed(asked, reached, values.span)
    cells = [_filled(cell, choice, frame, values, at, exact) for cell in settled]
    with pictures:
        _pictures(cells, frame, minus)
    served = [cell for cell in cells if cell.shown is not None]
    element_sentences([(c.title, c.picked) for c in served if c.picked is not None])
    sums_table([(c.title, c.shown, c.sums) for c in served])
    st.caption(plain(say.frameworks(modes.configurations([c.spelling for c in cells]))))
    sampled = None if exact or values.exact else values.values.size
    words = say.caption(choice.about, asked, sampled) + values.words
    if minus and served:
        words += f" Upper panels: the difference to {served[0].title}."
    if any(cell.shown is not None and cell.shown.levels > FINE for cell in served):
        words += " Steps are too fine to see: choose 4 bits or fewer."
    return say.heading([c.shown for c in served if c.shown is not None]), words


def _chosen(choice: Choice) -> Sequence[str]:
    """The modes to show: those picked, else the usual ones."""
    titles = modes.offered()
    picked_modes = st.multiselect(
        "Modes", list(titles), format_func=lambda s: titles.get(s, s), key="fake_quant_modes",
        help=term("fake_quant_modes"), bind="query-params", max_selections=12,
        placeholder="Six that differ most; choose any",
    )  # fmt: skip
    return picked_modes or modes.usual(choice.target)


def _range(values: tensor.Values, left: Any, right: Any) -> tuple[float, float]:
    """The range asked for: typed, else that of the tensor."""
    ends = []
    for name, column, end in (("lo", left, values.lo), ("hi", right, values.hi)):
        typed = column.number_input(
            name, value=None, format="%g", placeholder=f"{end:.4g}", key=f"fake_quant_{name}",
            help=term("fake_quant_range"), bind="query-params",
        )  # fmt: skip
        ends.append(end if typed is None else float(typed))
    if ends[0] > ends[1]:
        raise QvizError(f"The range runs from {ends[0]:g} down to {ends[1]:g}.", "", "Swap them.")
    return ends[0], ends[1]


def _options(choice: Choice, values: tensor.Values) -> tuple[bool, bool]:
    with st.popover("Options", icon=":material/tune:"):
        minus = st.toggle(
            "Difference to the first", key="fake_quant_minus", help=term("fake_quant_minus"),
            bind="query-params",
        )  # fmt: skip
        exact = st.toggle(
            "Sum every element", key="fake_quant_exact", help=term("fake_quant_exact"),
            disabled=values.exact,
        )  # fmt: skip
        st.button(
            "Use symmetric codes", on_click=_symmetric, key="fake_quant_symmetric",
            help=term("fake_quant_symmetric"), icon=":material/align_horizontal_center:",
        )  # fmt: skip
        reasons: dict[str, list[str]] = {}
        for name in QUANTIZERS:
            reason = modes.refusal(QUANTIZERS[name](), choice.target)
            if reason is not None:
                reasons.setdefault(reason, []).append(QUANTIZERS.entry(name).title)
        st.caption(f"{sum(map(len, reasons.values()))} modes do not fit these codes")
        for reason, titles in reasons.items():
            st.markdown(f":gray[{plain(', '.join(titles))}: {plain(reason)}]")
    return minus, exact and not values.exact


def _symmetric() -> None:
    """The codes that learned scales need: signed, symmetric, without the lowest."""
    for key in ("signed", "symmetric", "narrow_range"):
        st.session_state[key] = True


def _settled(spelling: str, choice: Choice, asked: tuple[float, float]) -> Cell:
    mode = QUANTIZERS.make(spelling)
    title = str(QUANTIZERS.title_of(mode))
    refused = modes.refusal(mode, choice.target)
    if refused is not None:
        return Cell(spelling, title, mode, refused=refused)
    try:
        with np.errstate(all="ignore"):
            made = mode.quantizer(_as_range(asked), choice.target.spec)
    except QvizError as error:
        return Cell(spelling, title, mode, refused=str(error))
    return Cell(spelling, title, mode, made)


def _as_range(ends: tuple[float, float]) -> Range:
    lo, hi = (np.full(1, end) for end in ends)
    return Range(lo, hi).as_float32()


def _reach(quantizer: Quantizer) -> tuple[float, float]:
    reach = covered(quantizer)
    return float(reach.lo[0]), float(reach.hi[0])


def _filled(
    cell: Cell, choice: Choice, frame: Frame, values: tensor.Values, at: float, exact: bool
) -> Cell:
    made = cell.quantizer
    if made is None:
        return cell
    with np.errstate(all="ignore"):
        shown = portrait(made, *frame.view)
        sums = tensor.sums(choice, cell.mode, made, values, (frame.lo, frame.hi), exact)
        return Cell(cell.spelling, cell.title, cell.mode, made, "", shown, sums, picked(made, at))


def _pictures(cells: Sequence[Cell], frame: Frame, minus: bool) -> None:
    """One figure per mode, three per row, with what the mode says of itself below."""
    lines = [c.shown.stairs for c in cells if c.shown is not None]
    apart_by = [apart(line, lines[0]) for line in lines] if minus else []
    most = max((float(np.abs(line[1]).max()) for line in apart_by), default=0.0)
    others = iter(apart_by)
    for start in range(0, len(cells), ACROSS):
        for column, cell in zip(st.columns(ACROSS), cells[start : start + ACROSS], strict=False):
            with column:
                if cell.shown is None:
                    st.markdown(f"**{plain(cell.title)}**")
                    st.info(plain(f"Not here: {cell.refused.rstrip('.')}."))
                    continue
                difference = (next(others), most) if minus else None
                figure = small_multiple(
                    cell.shown, cell.title, frame, palette(), cell.picked, difference
                )
                plot(figure, f"fake-quant-{cell.spelling}", _alt(cell))
                st.caption(plain(_truth(cell, frame)), help=plain(say.first_sentence(cell.mode)))


def _alt(cell: Cell) -> str:
    return f"{cell.title}: staircase, and its gradients"


def _truth(cell: Cell, frame: Frame) -> str:
    """What befalls this tensor, and what the mode says of its gradient, or else of itself."""
    if cell.shown is None or cell.quantizer is None:
        return ""
    special = say.one_value(cell.sums, cell.shown) if cell.sums is not None else ""
    moved = say.shifted((frame.lo, frame.hi), cell.shown)
    own = say.gradient_sentence(cell.quantizer)
    return " ".join(filter(None, (special, moved, own or say.first_sentence(cell.mode))))
