"""Fake quantization that changes: from batch to batch, or from gradient step to gradient step.

Members are registered beside the rules they stand for, and found by whoever shows them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from qviz.quantizers.base import Quantizer
from qviz.registry import Registry
from qviz.spec import QuantSpec
from qviz.xp import Array

STATEFUL = Registry("stateful fake quantization", "qviz.dialects")
LEARNERS = Registry("learning rule", "qviz.dialects", "qviz.pipeline")


@dataclass(frozen=True)
class Export:
    """Qparams for deployment."""

    scale: float
    zero_point: int


@dataclass(frozen=True, eq=False)
class After:
    """One object after one batch.

    ``lo`` and ``hi`` are the range it holds, None before any data; ``quantizer`` is what the
    batch was quantized with, None where it was handed through; ``export`` what it would deploy,
    None where it refuses, and then ``refused`` says why.
    """

    lo: float | None
    hi: float | None
    quantizer: Quantizer | None
    export: Export | None
    refused: str = ""


class Machine(ABC):
    """A fresh object of a framework, one range for the tensor."""

    @abstractmethod
    def train(self, training: bool) -> None:
        """Whether batches move the range from now on."""

    @abstractmethod
    def step(self, batch: Array) -> After:
        """Show it a batch."""

    @abstractmethod
    def reset(self) -> str:
        """Ask it to forget; what comes of it, in a sentence."""


class Stateful(ABC):
    """A module with its options; a frozen dataclass whose fields are knobs."""

    def accepts(self, spec: QuantSpec) -> str | None:
        """Why it has no such codes, or None."""
        return None

    @abstractmethod
    def machine(self, spec: QuantSpec) -> Machine:
        """A fresh object for these codes."""

    @abstractmethod
    def start_share(self, batches: int) -> float | None:
        """Share that the start still has in the range after so many batches, 0 to 1.

        The start is the initial range, or the first batch where that is copied. None for a rule
        that does not average.
        """


@dataclass(frozen=True)
class Spread:
    """What a rule may start from: of all elements, in input units."""

    count: int
    mean: float
    mean_abs: float
    std: float
    largest: float


class Learner(ABC):
    """A rule that learns one positive parameter of a grid symmetric about 0.

    A frozen dataclass whose fields are knobs. ``parameter`` is its name among the gradients.
    """

    parameter: ClassVar[str]

    def accepts(self, spec: QuantSpec) -> str | None:
        """Why it has no such codes, or None."""
        return None

    @abstractmethod
    def quantizer(self, value: float, spec: QuantSpec) -> Quantizer:
        """The grid at one value of the parameter; its ``backward`` has the parameter's terms."""

    @abstractmethod
    def largest(self, spec: QuantSpec) -> int:
        """Parameter times this is the clip: the largest code where the parameter is a scale."""

    def start(self, spread: Spread, spec: QuantSpec) -> float:
        """Where the rule starts of its own accord; the clip of MinMax unless it says otherwise."""
        return spread.largest / self.largest(spec)

    def factor(self, count: int, spec: QuantSpec) -> tuple[float, str]:
        """What multiplies the gradient of ``count`` elements, and that in words; none for 1."""
        return 1.0, ""

    def raised(self, value: float) -> float:
        """The parameter as the rule keeps it after a step."""
        return value
