"""From the choice to a case, and what the rules found of it; kept under the content."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import streamlit as st

from qviz import xp
from qviz.doctor import Case, Examined, examined
from qviz.errors import QvizError
from qviz.figures.doctor_facts import Facts, facts_of
from qviz.models.facts import graph_axis
from qviz.spec import PER_TENSOR
from qviz.stats.base import NOTHING, Seen
from qviz.stats.stream import Stream
from qviz.ui.choice import Choice
from qviz.ui.doctor.asked import Asked
from qviz.ui.doctor.running import run_of, within
from qviz.ui.layers.tried import remember, setting
from qviz.ui.state import gathered, store

SLOW = 1_000_000  # elements from which the wait is told


@dataclass(frozen=True, eq=False)
class Seeing:
    """What the rules found, and what their pictures show.

    ``note`` is to be told of the gains; ``refused`` says why the range or the qparams cannot serve.
    """

    found: Examined
    facts: Facts
    note: str = ""
    refused: str = ""

    @property
    def faulty(self) -> bool:
        """Whether anything was found that is not as expected."""
        return self.found.faulty


def seeing(choice: Choice, asked: Asked) -> Seeing:
    """All rules on the current choice."""
    with st.spinner("Asking every rule", show_time=choice.item.info.size > SLOW):
        found = look(choice, asked)
    if (ran := run_of(choice)) is not None and asked.output:
        rule = None if asked.given is not None else asked.observer
        words = setting(rule, choice.scheme, choice.target.mode)
        remember(ran[0], choice.item.info.name, words, found.facts.now)
    return found


def look(choice: Choice, asked: Asked) -> Seeing:
    """The same, without a word."""
    key = key_of(choice, asked)
    found = store().get(key)
    if found is None:
        case, place = case_of(choice, asked), within(choice) if asked.output else None
        found = _seen(case) if place is None else _noted(*place.look(case, _seen))
        store().put(key, found)
    return found


def _seen(case: Case) -> Seeing:
    return Seeing(examined(case), facts_of(case), refused=_refused(case))


def _refused(case: Case) -> str:
    if case.stream is None or not case.stream.size:
        return ""
    try:
        return case.row.refused or ""
    except QvizError as error:
        return str(error)


def _noted(found: Seeing, note: str) -> Seeing:
    return replace(found, note=note)


def key_of(choice: Choice, asked: Asked) -> Hashable:
    """Stands for the case in the store."""
    return "doctor", choice.key, choice.target, choice.role, asked.key


def case_of(choice: Choice, asked: Asked) -> Case:
    """The case: the chosen tensor under the chosen codes, with what else is known."""
    if asked.coded:
        x = xp.host(xp.enter(choice.item.array()))
        return Case(None, choice.target, asked.observer, choice.role, given=asked.given, codes=x)
    whole = replace(choice, target=replace(choice.target, granularity=PER_TENSOR))
    made = Case(
        stream=Stream.of(list(whole.stream().batches)),
        target=choice.target,
        observer=asked.observer,
        role=choice.role,
        name=choice.item.id,
        axis=_axis(choice),
        given=asked.given,
        bias=asked.bias,
        operand=asked.operand,
        importance=asked.importance,
        symmetric_only=asked.symmetric_only,
        stored_as=asked.stored_as,
    )
    return replace(made, have=_statistics(whole, made))


def _axis(choice: Choice) -> int | None:
    """Where the channels of the tensor lie as its graph says; None where that is not known."""
    if choice.batch_axis is not None:
        return None
    return graph_axis(choice.item.source, choice.item.info.name)


def _statistics(whole: Choice, case: Case) -> Seen:
    """What the rules need, read once and kept; nothing where there is nothing to read."""
    try:
        return gathered(whole, case.needs) if whole.item.info.size else NOTHING
    except QvizError:
        return NOTHING  # each rule then says for itself why it cannot look
