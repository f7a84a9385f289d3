"""Transforms of the tensor, each with what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.granularity import rows_of_decibels
from qviz.figures.numbers import NOTHING
from qviz.registry import knobs_of
from qviz.spec import PER_TENSOR, Role
from qviz.transforms import TRANSFORMS, Operand, Transform, Trial, Unchanged, trial
from qviz.transforms.base import NEXT, OPERAND
from qviz.ui import linking
from qviz.ui.channels.look import Look
from qviz.ui.channels.written import written
from qviz.ui.choice import Choice, shape_words
from qviz.ui.library import Item, items
from qviz.ui.notices import palette, plain, plot
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

NONE = ""
AS_IT_IS = "As it is"


@dataclass(frozen=True, eq=False)
class Outcome:
    """One row: a trial, or the reason why there is none."""

    title: str
    undone: str
    trial: Trial | None
    refused: str = ""


def panel(choice: Choice, look: Look) -> None:
    """Choose the other tensor, turn the knobs, and see the gain of each transform."""
    if len(choice.item.info.shape) < 2:
        st.info("Transforms move factors between channels; this tensor has none.")
        return
    rules = _rules(choice)
    others = {kind: _other(choice, look, kind) for kind in _kinds(rules)}
    made = {n: _knobs(choice, n) if knobs_of(rule) else rule for n, rule in rules.items()}
    try:
        outcomes = _outcomes(choice, look, made, others)
    except QvizError as error:
        st.info(plain(str(error)), icon=":material/block:")
        return
    _show(outcomes, choice)


def _rules(choice: Choice) -> dict[str, Transform]:
    role = Role(choice.role) if choice.role in tuple(Role) else Role.UNKNOWN
    every = {name: TRANSFORMS[name]() for name in TRANSFORMS}
    return {name: rule for name, rule in every.items() if role in rule.roles}


def _kinds(rules: dict[str, Transform]) -> list[str]:
    return [kind for kind in (OPERAND, NEXT) if any(r.other == kind for r in rules.values())]


def _knobs(choice: Choice, name: str) -> Transform:
    """A transform with the knobs on screen; the address holds its spelling."""
    key, there = f"channels_transform-{name}", f"channels_{name}"
    first = f"{key}-{next(iter(knobs_of(TRANSFORMS[name])))}"
    start = linking.start(choice, there, first, _spelling(name), name)
    with st.container(width=320):
        made = knob_widgets(TRANSFORMS.make(start), key)
    linking.tell(choice, there, TRANSFORMS.spell(made), name)
    return made


def _spelling(name: str) -> Callable[[str], str | None]:
    """A reader of spellings of this transform alone."""
    return lambda text: (
        TRANSFORMS.spell(TRANSFORMS.make(text)) if text.partition(":")[0] == name else None
    )


def _axis_of(choice: Choice, look: Look, kind: str) -> int:
    """Channels that are added up lie last; those that the next layer takes are the page's."""
    return look.axis if kind == NEXT else len(choice.item.info.shape) - 1


def _other(choice: Choice, look: Look, kind: str) -> tuple[Item, int] | None:
    """The other tensor that was chosen, and its axis that meets ours."""
    shape = choice.item.info.shape
    axis = _axis_of(choice, look, kind)
    found = _matching(choice, shape[axis], kind)
    label = "Multiplied with" if kind == OPERAND else "The next layer's weight"
    key = f"channels_{kind}-{choice.item.info.fingerprint}-{axis}"
    known, there = [NONE, *found], f"channels_{kind}"
    start = linking.start(choice, there, key, linking.one_of(*known), NONE)
    st.selectbox(
        label, known, known.index(start), key=key, width=420, help=term(there),
        format_func=lambda i: "nothing yet" if i == NONE else found[i][0],
    )  # fmt: skip
    if not found:
        st.caption(plain(f"No open tensor has an axis of {shape[axis]:,} to go with this one."))
    chosen = st.session_state.get(key) or NONE
    private = chosen not in found or found[chosen][1].private
    linking.tell(choice, there, None if private else chosen)
    return None if chosen not in found else found[chosen][1:]


def _matching(choice: Choice, extent: int, kind: str) -> dict[str, tuple[str, Item, int]]:
    """Tensors of two axes, one of them as long: (words, item, axis) by a key."""
    out: dict[str, tuple[str, Item, int]] = {}
    for id, item in items().items():
        shape = item.info.shape
        if len(shape) != 2 or id == choice.item.id or item.info.role == Role.ACTIVATION:
            continue
        for axis in (0, 1):
            if shape[axis] == extent:
                words = f"{item.label}, {shape_words(shape)}, along axis {axis}"
                out[f"{id}|{axis}"] = (words, item, axis)
    return out


def _outcomes(
    choice: Choice,
    look: Look,
    rules: dict[str, Transform],
    others: dict[str, tuple[Item, int] | None],
) -> list[Outcome]:
    out = [_outcome(choice, look, AS_IT_IS, Unchanged(), others.get(OPERAND))]
    for name, rule in rules.items():
        kind = rule.other or OPERAND
        out.append(_outcome(choice, look, TRANSFORMS.entry(name).title, rule, others.get(kind)))
    return out


def _outcome(
    choice: Choice, look: Look, title: str, rule: Transform, other: tuple[Item, int] | None
) -> Outcome:
    target = replace(choice.target, granularity=PER_TENSOR)
    x = Operand(choice.item.array(), _axis_of(choice, look, rule.other))
    try:
        operand = None if other is None else Operand(other[0].array(), other[1])
        return Outcome(title, rule.undone, trial(x, rule, look.observer, target, operand))
    except QvizError as error:
        return Outcome(title, rule.undone, None, str(error))


def _show(outcomes: list[Outcome], choice: Choice) -> None:
    base = outcomes[0].trial
    by_output = base is not None and base.output is not None
    values = [(o.title, _decisive(o, by_output), True) for o in outcomes]
    what = "SQNR of the product in dB" if by_output else "SQNR of the tensor in dB"
    plot(rows_of_decibels(values, palette(), what), "channels-transforms", what)
    number = st.column_config.NumberColumn
    st.dataframe(
        written(pd.DataFrame([_row(o, base) for o in outcomes])), hide_index=True, width="stretch",
        row_height=31, key="channels-changed", placeholder=NOTHING,
        alt="What each transform is worth",
        column_config={"Product dB": number(help=term("output_sqnr"))},
    )  # fmt: skip
    bits = choice.target.spec.bits
    st.caption(
        f"Exact. The product's other operand has one symmetric {bits}-bit step for each output "
        "channel. The product decides: it is what the next layer sees."
    )
    for outcome in outcomes:
        if outcome.refused:
            st.caption(plain(f"{outcome.title}: {outcome.refused}"))


def _decisive(outcome: Outcome, by_output: bool) -> float | None:
    if outcome.trial is None:
        return None
    return outcome.trial.output if by_output else outcome.trial.sqnr


def _row(outcome: Outcome, base: Trial | None) -> dict[str, Any]:
    done = outcome.trial
    if done is None:
        return {"Transform": outcome.title, "Undone": outcome.undone}
    worst = done.channels[np.isfinite(done.channels)]
    gain = None if base is None else done.sqnr - base.sqnr
    return {
        "Transform": outcome.title,
        "Tensor dB": _finite(done.sqnr),
        "Gain dB": _finite(gain),
        "Worst channel dB": float(worst.min()) if worst.size else None,
        "Other tensor dB": _finite(done.other),
        "Product dB": _finite(done.output),
        "Undone": outcome.undone,
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None
