"""Second view: the modules that keep a range, batch by batch, in training and evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures import training_batches_words as say
from qviz.figures.fake_quant_words import frameworks
from qviz.figures.numbers import integer
from qviz.figures.training_batches import by_batch, shared_view
from qviz.pipeline.training_batches import BATCHES, Ride, alike, extremes, ride, sliced
from qviz.quantizers.stateful import STATEFUL, Stateful
from qviz.registry import knobs_of
from qviz.stats.minmax import MinMaxState
from qviz.ui.choice import Choice
from qviz.ui.fake_quant import modes, tensor
from qviz.ui.fake_quant.tables import objects_table
from qviz.ui.notices import palette, plain, plot
from qviz.ui.state import gathered, store
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

ACROSS = 3
SLICES = 8
SWITCH = {"train": "Training", "eval": "Evaluation"}


@dataclass(frozen=True, eq=False)
class Shown:
    """One object on screen."""

    name: str
    title: str
    member: Stateful
    ride: Ride
    alike: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Its title, and how many more do the same."""
        more = len(self.alike) - 1
        return self.title if more < 1 else f"{self.title} + {more} alike"


def view(choice: Choice) -> tuple[str, str]:
    """Controls, a small multiple per object, sentences and exports; gives heading and caption."""
    columns = st.columns([3.4, 2.4, 1.6, 1.4, 1.4], vertical_alignment="bottom")
    with columns[0]:
        names = _names()
    switch = columns[1].segmented_control(
        "Mode", list(SWITCH), default="train", format_func=SWITCH.__getitem__, required=True,
        key="fake_quant_switch", help=term("fake_quant_switch"), bind="query-params",
    )  # fmt: skip
    states, how = _states(choice, columns[3])
    ends = _checked(states)
    first = columns[2].number_input(
        "after training on", 0, len(states), 0, key=f"fake_quant_first-{len(states)}",
        help=term("fake_quant_first"), disabled=switch == "train",
    )  # fmt: skip
    with columns[4], st.popover("Settings", icon=":material/tune:"):
        members = [_member(name) for name in names]
    trained = len(states) if switch == "train" else int(first)
    shown = _ridden(choice, list(zip(names, members, strict=True)), states, trained)
    told = _told_apart(shown)
    _pictures(told, ends, trained)
    lines = [
        say.sentence(say.together(one.alike), one.member, one.ride, trained, ends) for one in told
    ]
    if lines:
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))
        objects_table([(one.title, one.member, one.ride) for one in shown], trained)
    st.caption(
        plain(frameworks(modes.configurations([STATEFUL.presets[n][0] for n in names], STATEFUL)))
    )
    rides = [(one.title, one.ride) for one in shown]
    caption = f"{choice.about}: {how}. Grey ticks: each batch’s own extremes. Blue: the range held"
    caption += " after it. Orange: the grid it went through. Codes: " + choice.scheme + "."
    return say.heading(rides, trained, len(states)), caption


def _names() -> Sequence[str]:
    titles = {name: str(STATEFUL.title_of(STATEFUL.make(name))) for name in STATEFUL.presets}
    picked = st.multiselect(
        "Objects", list(titles), format_func=titles.__getitem__, key="fake_quant_objects",
        help=term("fake_quant_objects"), bind="query-params", placeholder="All; choose some",
    )  # fmt: skip
    return picked or list(titles)


def _member(name: str) -> Stateful:
    """The object with the settings on screen."""
    made = STATEFUL.make(name)
    if not knobs_of(made):
        return made
    st.caption(plain(str(STATEFUL.title_of(made))))
    return knob_widgets(made, f"fake_quant-{name}")


def _states(choice: Choice, column: Any) -> tuple[Sequence[MinMaxState], str]:
    """Extremes of each batch: of the batch axis, else of equal slices along axis 0."""
    if choice.batches > 1 or choice.batch_axis is not None:
        states = gathered(tensor.whole(choice), (BATCHES,))[BATCHES]
        return states, f"{integer(len(states))} batches along axis {choice.batch_axis}"
    with column:
        count = st.number_input(
            "Slices", 1, 64, SLICES, key="fake_quant_slices", help=term("fake_quant_slices"),
            bind="query-params",
        )  # fmt: skip
    key = (tensor.whole(choice).key, "slices", int(count))
    states = store().get(key)
    if states is None:
        states = extremes(sliced(choice.stream().batches[0], int(count)))
        store().put(key, states)
    many = f"cut into {integer(len(states))} equal slices along axis 0, as batches"
    return states, many if len(states) > 1 else "one batch"


def _ridden(
    choice: Choice,
    members: Sequence[tuple[str, Stateful]],
    states: Sequence[MinMaxState],
    trained: int,
) -> list[Shown]:
    """Those that serve; the others say why not."""
    found, reasons = [], {}
    for name, member in members:
        title = str(STATEFUL.title_of(STATEFUL.make(name)))
        reason = member.accepts(choice.target.spec)
        if reason is None:
            try:
                run = ride(member, choice.target.spec, states, trained)
                found.append(Shown(name, title, member, run))
            except QvizError as error:
                reason = str(error).rstrip(".")
        if reason is not None:
            reasons.setdefault(reason, []).append(title)
    for reason, titles in reasons.items():
        st.markdown(f":gray[{plain(', '.join(titles))}: {plain(reason)}.]")
    return found


def _told_apart(shown: Sequence[Shown]) -> list[Shown]:
    """One for all that do the same, with all their titles."""
    groups: list[list[Shown]] = []
    for one in shown:
        same = next((g for g in groups if alike(g[0].ride, one.ride)), None)
        if same is None:
            groups.append([one])
        else:
            same.append(one)
    return [replace(g[0], alike=tuple(one.title for one in g)) for g in groups]


def _checked(states: Sequence[MinMaxState]) -> np.ndarray:
    """Extremes of the batches that have elements, (batches, 2); NaN where none is finite."""
    there = [state for state in states if state.n[0]]
    if not any(state.finite[0] for state in there):
        raise QvizError("There is no range to follow.", "No value is finite.", "Choose another.")
    ends = [(s.lo[0], s.hi[0]) if s.finite[0] else (np.nan, np.nan) for s in there]
    found = np.array(ends, np.float64)
    tensor.held_by_float32(float(np.nanmin(found)), float(np.nanmax(found)))
    return found


def _pictures(shown: Sequence[Shown], ends: np.ndarray, trained: int) -> None:
    view = shared_view([one.ride for one in shown], ends)
    for start in range(0, len(shown), ACROSS):
        for column, one in zip(st.columns(ACROSS), shown[start : start + ACROSS], strict=False):
            with column:
                figure = by_batch(one.ride, one.heading, ends, palette(), view, trained)
                plot(figure, f"fake-quant-batches-{one.name}", f"{one.heading}, batch by batch")
