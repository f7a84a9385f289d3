"""Looks at many tensors in a few seconds; those that matter once more with their model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from qviz.doctor import Examined
from qviz.doctor.examining import OF_VECTORS, rank, stays_wide
from qviz.errors import QvizError
from qviz.figures.doctor_facts import Facts
from qviz.observers.base import OBSERVERS
from qviz.sources.base import TensorInfo
from qviz.spec import Role
from qviz.ui.choice import Choice, chosen_batch_axis, chosen_target
from qviz.ui.doctor.asked import CODES, Asked, stored
from qviz.ui.doctor.subject import Seeing, look
from qviz.ui.library import Item

SECONDS = 8.0  # of one run; what is left is looked at when a person says so


@dataclass(frozen=True, eq=False)
class Looked:
    """What was found of each tensor, worst first, and how many looks are left for another run."""

    ranked: tuple[Seeing, ...]
    left: int


def looked(members: Sequence[Item], question: Asked) -> Looked:
    """Each tensor alone; then, worst first, with the model where more than expected was found."""
    model = any(len(i.info.shape) > 1 and i.info.role == Role.WEIGHT for i in members)
    made: dict[str, Seeing] = {}
    bar, end = st.progress(0.0), time.monotonic() + SECONDS
    for item in _in_time(members, end, bar, "Asking every rule"):
        made[item.id] = _kept(_seen(item, replace(question, output=False)), item.info, model)
    left = len(members) - len(made)
    if question.output:
        by_id = {item.id: item for item in members}
        again = [by_id[one.found.name] for one in worst_first(made.values()) if one.faulty]
        done = 0
        for item in _in_time(again, end, bar, "Running the model"):
            made[item.id] = _kept(_seen(item, question), item.info, model)
            done += 1
        left += len(again) - done
    bar.empty()
    return Looked(worst_first(made.values()), left)


def _in_time(members: Sequence[Item], end: float, bar: Any, words: str) -> Iterator[Item]:
    for at, item in enumerate(members):
        if time.monotonic() > end:
            return
        bar.progress(at / len(members), f"{words}: {at} of {len(members)}")
        yield item


def worst_first(made: Iterable[Seeing]) -> tuple[Seeing, ...]:
    """Most severe first; of these what loses most at the model's output, then what gains most."""
    return tuple(sorted(made, key=lambda one: rank(one.found)))


def _seen(item: Item, question: Asked) -> Seeing:
    """One tensor under the page's codes and rule, without what is known of the chosen one."""
    try:
        made = look(*_asked(item, question))
    except QvizError as error:
        return Seeing(Examined(item.id, (), {"": str(error)}, 0), Facts())
    return replace(made, found=replace(made.found, name=item.id))


def _asked(item: Item, question: Asked) -> tuple[Choice, Asked]:
    info = item.info
    coded = info.dtype in CODES
    known = Asked(
        question.observer, stored(info) if coded else None, coded, stored_as=question.stored_as,
        symmetric_only=question.symmetric_only, output=question.output,
    )  # fmt: skip
    key = (OBSERVERS.spell(known.observer), coded, known.stored_as, known.symmetric_only)
    choice = Choice(item, chosen_target(info), chosen_batch_axis(info), info.role)
    return choice, replace(known, key=(*key, known.output))


def _kept(one: Seeing, info: TensorInfo, model: bool) -> Seeing:
    """Of a vector in a model only what matters where it is not quantized."""
    if not model or not stays_wide(info.shape, info.role):
        return one
    few = tuple(f for f in one.found.findings if f.rule in OF_VECTORS)
    return replace(one, found=replace(one.found, findings=few))
