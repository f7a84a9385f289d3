"""What a lesson is: one idea, at most two controls, one picture, one graded question."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from qviz.figures.numbers import number
from qviz.figures.theme import Figure, Palette
from qviz.registry import Registry, Source

LESSONS = Registry("lesson", "qviz.ui.lessons")
SOURCE = Source("qviz", "lessons", "1")
State = Mapping[str, Any]
AFFINE = {"bits": "8", "signed": "false", "symmetric": "false"}
SYMMETRIC = {"bits": "8", "signed": "true", "symmetric": "true"}


@dataclass(frozen=True)
class Control:
    """One control. With ``options`` a choice, with ``step`` a slider, ``typed`` a box, or a switch.

    ``start`` is where it stands, and is held, until a guess is given.
    """

    name: str
    label: str
    start: Any
    options: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 1.0
    step: float | None = None
    typed: bool = False
    words: Callable[[Any], str] = str


@dataclass(frozen=True)
class Known:
    """An answer that people give, and what it reveals. ``accepted`` ones count as right."""

    value: float
    says: str
    tolerance: float = 0.0
    accepted: bool = False


@dataclass(frozen=True)
class Question:
    """A question with its computed answer.

    ``value`` within ``tolerance`` is right. ``known`` are other answers in the order in which
    they are matched; ``working`` shows how the answer comes about. With ``choices`` the answer is
    the index of one of them.
    """

    text: str
    value: float
    tolerance: float
    working: str
    known: tuple[Known, ...] = ()
    unit: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What a given answer is worth, in words."""

    right: bool
    says: str


def grade(question: Question, given: float) -> Verdict:
    """Right within the tolerance, or accepted, or the sentence of the nearest known answer.

    An answer that nobody foresaw is met with the working.
    """
    met = [k for k in question.known if _near(given, k.value, k.tolerance)]
    closest = min(met, key=lambda known: abs(known.value - given), default=None)
    if closest is not None and closest.accepted:
        return Verdict(True, closest.says)
    if math.isfinite(given) and _near(given, question.value, question.tolerance):
        return Verdict(True, f"Right: {written(question)}. {question.working}")
    return Verdict(False, question.working if closest is None else closest.says)


def written(question: Question) -> str:
    """The answer in words."""
    if question.choices:
        return question.choices[int(question.value)]
    return f"{number(question.value, 4)} {question.unit}".strip()


def _near(given: float, value: float, tolerance: float) -> bool:
    """Within the tolerance, and a little for the last digit that a float64 lacks."""
    return abs(given - value) <= tolerance + 1e-9 * max(1.0, abs(value))


@dataclass(frozen=True)
class Picture:
    """One figure of a lesson and its words for those who cannot see it; ``share`` of the width."""

    figure: Figure
    alt: str
    share: int = 1


@dataclass(frozen=True)
class Link:
    """Where a lesson's settings can be tried on a tensor of one's own.

    ``settings`` are parameters of the address, as the page's controls write them.
    """

    page: str
    label: str
    settings: Mapping[str, str] = field(default_factory=dict)


class Lesson(ABC):
    """A lesson, without state: everything on screen is a function of the controls.

    ``before`` is the heading until a guess is given, ``idea`` three short sentences, ``attempt``
    what to try afterwards, ``say`` what a teacher may say.
    """

    number: ClassVar[int]
    title: ClassVar[str]
    before: ClassVar[str]
    idea: ClassVar[str]
    attempt: ClassVar[str]
    say: ClassVar[str]
    controls: ClassVar[tuple[Control, ...]]
    link: ClassVar[Link]

    @abstractmethod
    def question(self, variant: bool = False) -> Question:
        """The question, or its variant with other numbers; the answer is computed here."""

    @abstractmethod
    def heading(self, state: State) -> str:
        """What the present state shows, in a sentence."""

    @abstractmethod
    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        """The picture of the present state; what gives the answer away only once ``shown``."""

    @property
    def start(self) -> dict[str, Any]:
        """Where the controls stand before the first guess."""
        return {control.name: control.start for control in self.controls}


def in_order() -> tuple[tuple[str, Lesson], ...]:
    """Every lesson with its name, by number."""
    made = [(name, LESSONS[name]()) for name in LESSONS]
    return tuple(sorted(made, key=lambda pair: pair[1].number))
