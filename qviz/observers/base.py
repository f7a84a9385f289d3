"""What an observer is: a pure rule from statistics to a clipping range."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from qviz.quantizers.base import Quantizer, Target
from qviz.registry import Registry
from qviz.spec import Range
from qviz.stats.base import PerBatch, Running, Seen, Statistic

Needs = tuple[Statistic | Running | PerBatch, ...]
OBSERVERS = Registry("observer", "qviz.observers", "qviz.dialects")


@dataclass(frozen=True, eq=False)
class Decision:
    """What an observer weighed, for the picture that says why this range.

    ``curves`` are lines over ``x`` (name -> values of the same length); ``chosen`` are the
    places on ``x`` that won; ``marks`` are further named places, such as a threshold. ``words``
    say in one sentence how the choice was made. ``x_title``, ``y_title`` carry units.
    """

    x_title: str
    y_title: str
    x: np.ndarray
    curves: Mapping[str, np.ndarray]
    chosen: tuple[float, ...]
    words: str
    marks: Mapping[str, float] = field(default_factory=dict)
    log_x: bool = False
    log_y: bool = False


class Observer(ABC):
    """Rule from statistics to a clipping range; a frozen dataclass whose fields are knobs."""

    @property
    def needs(self) -> Needs:
        """All recipes that ``range`` and ``decision`` look up."""
        return ()

    def accepts(self, target: Target) -> str | None:
        """The reason why this observer cannot serve the target, or None."""
        return None

    @abstractmethod
    def range(self, seen: Seen, target: Target) -> Range | Quantizer:
        """The clipping range, (groups,); qparams where no range reproduces them."""

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        """What was weighed, of the first group; None where there is nothing to show."""
        return None
