"""What is asked of all rules: the range of the tensor, a typed one, or typed qparams."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.figures.rosetta_words import span
from qviz.rosetta.answers import Answer, answers
from qviz.rosetta.comparison import MOST, Comparison, compared
from qviz.rosetta.extent import sampled
from qviz.rosetta.probe import inside, probe
from qviz.rosetta.ruleset import rules
from qviz.spec import PER_TENSOR
from qviz.stats.minmax import MinMax
from qviz.ui.choice import Choice
from qviz.ui.rosetta.typed import scale_words, typed_range
from qviz.ui.state import gathered, store
from qviz.ui.words import term

BY = {"tensor": "This tensor", "range": "Typed range", "qparams": "Typed scale"}
KINDS = {
    "framework": "Frameworks",
    "documentation": "Documentation",
    "channel": "Per channel",
    "neutral": "Neutral",
}
LABELS = {
    "rosetta_a": "First rule", "rosetta_b": "Second rule", "rosetta_maker": "Made by",
}  # fmt: skip
A, B = "torch.affine uint8", "tf.fake_quant uint8"


@dataclass(frozen=True, eq=False)
class Subject:
    """The range asked for, what is compared on, and all answers.

    ``x`` are float32 elements; ``exact`` says whether these are all. ``about`` tells what they
    are; ``key`` stands for them in caches. ``note`` is what is to be said of it in every view.
    """

    choice: Choice
    lo: float
    hi: float
    x: np.ndarray
    exact: bool
    about: str
    answers: tuple[Answer, ...]
    key: tuple[Hashable, ...]
    note: str = ""

    @property
    def typed(self) -> bool:
        """Whether the range is typed, and what is compared on are code boundaries."""
        return self.key[0] == "typed"

    def compared(self, reference: str) -> Comparison:
        """All rules beside one of them; remembered."""
        key = (*self.key, "rosetta", reference)
        found = store().get(key)
        if found is None:
            found = compared(self.answers, self.x, reference, exact=self.exact)
            store().put(key, found)
        return found

    def answer(self, name: str) -> Answer:
        """The answer of the rule of that name; the first one's where it is not shown."""
        return next((one for one in self.answers if one.rule.name == name), self.answers[0])


def source() -> str:
    """Where the range comes from."""
    return st.segmented_control(
        "Range of", list(BY), default="tensor", format_func=BY.__getitem__, key="rosetta_by",
        help=term("rosetta_by"), bind="query-params", required=True,
        label_visibility="collapsed",
    )  # fmt: skip


def kinds() -> None:
    """Whose rules are shown."""
    st.pills(
        "Rules of", list(KINDS), default=["framework"], format_func=KINDS.__getitem__,
        key="rosetta_kinds", selection_mode="multi", help=term("rosetta_kinds"),
        bind="query-params",
    )  # fmt: skip


def subject(choice: Choice) -> Subject:
    """What the controls ask for.

    Raises
    ------
    QvizError
        No finite element in the tensor, ends out of order, or qparams that are none.
    """
    kinds = st.session_state.get("rosetta_kinds") or ["framework"]
    chosen = tuple(rule for rule in rules() if rule.kind in kinds)
    by = st.session_state.get("rosetta_by") or "tensor"
    if by == "tensor":
        whole = replace(choice, target=replace(choice.target, granularity=PER_TENSOR))
        lo, hi = _extremes(whole)
        x, exact = _elements(whole), choice.item.info.size <= MOST
        about, key = choice.about, (*whole.key, tuple(kinds))
    else:
        lo, hi = typed_range(by)
        x, exact, about = None, True, "values next to every code boundary"
        key = ("typed", by, repr((lo, hi)), tuple(kinds))
    made = answers(chosen, lo, hi)
    x = inside(probe(made), lo, hi) if x is None else x
    note = scale_words(made) if by == "qparams" else ""
    return Subject(choice, lo, hi, x, exact, about, made, key, note)


def _extremes(choice: Choice) -> tuple[float, float]:
    """Ends of the finite elements in float32, of all batches together."""
    facts = gathered(choice, (MinMax(),))[MinMax()]
    if not facts.finite[0]:
        raise QvizError(
            "There is no finite element to take a range from.",
            "The tensor is empty, or all of it is NaN or infinite.",
            "Type a range instead.",
        )
    with np.errstate(over="ignore"):
        return float(np.float32(facts.lo[0])), float(np.float32(facts.hi[0]))


def _elements(choice: Choice) -> np.ndarray:
    key = (*choice.key, "rosetta elements")
    found = store().get(key)
    if found is None:
        found = sampled(choice.item.array())
        store().put(key, found)
    return found


def pick(subject: Subject, key: str, start: str) -> str:
    """A box to choose one of the rules shown; gives its name."""
    names = [answer.rule.name for answer in subject.answers]
    titles = {answer.rule.name: answer.rule.title for answer in subject.answers}
    if st.session_state.get(key) not in (None, *names):
        st.session_state[key] = start if start in names else names[0]
    at = names.index(start) if start in names else 0
    return st.selectbox(
        LABELS[key], names, at, format_func=titles.__getitem__, key=key, bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip


def measured_on(subject: Subject) -> str:
    """``two-peaked, 1,000 × 1,000, 1,000,000 values, range [-1, 1]``."""
    size = subject.x.size
    count = f"{size:,} value{'s' * (size != 1)}" if subject.exact else f"{size:,} of its values"
    return f"{subject.about}, {count}, range {span(subject.lo, subject.hi)}"


def range_words(subject: Subject) -> str:
    """The range and whose it is: ``Range [-1, 1] of two-peaked, 1,000 × 1,000``."""
    whose = "as typed" if subject.typed else f"of {subject.about}"
    return f"Range {span(subject.lo, subject.hi)} {whose}."
