"""A case whose tensor belongs to a model: gains are those at the model's output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from qviz.doctor.case import Case
from qviz.doctor.gains import outcome_of
from qviz.doctor.settings import present
from qviz.errors import QvizError
from qviz.models.asking import Asking
from qviz.models.feeds import Feeds
from qviz.models.following import following
from qviz.models.limits import Limits
from qviz.models.model import read_model
from qviz.sources.base import TensorSource
from qviz.transforms.base import Operand

T = TypeVar("T")
ASIDE = "Gains are not those at the model's output."


@dataclass(frozen=True, eq=False)
class Within:
    """The tensor ``name`` of a model's file, whose constants are in ``source``.

    The model runs on ``feeds``, in a child under ``limits`` that works in ``folder``.
    """

    model: Path
    source: TensorSource
    name: str
    feeds: Feeds
    folder: Path
    limits: Limits = field(default_factory=Limits)
    shown: str = ""

    def look(self, case: Case, look: Callable[[Case], T]) -> tuple[T, str]:
        """What ``look`` makes of the case while the model stands by, and what else is to be said.

        That is nothing but why labels could not be used. Where the model fails or takes too long,
        or what reaches its output has no number, what it makes of the case alone, and the reason.
        """
        try:
            weight = self._following()
            with Asking(
                self.model, self.feeds, self.name, self.folder, self.limits, self.shown
            ) as model:
                there = replace(case, runs=model.outcome, following=weight, known={})
                why = _without_number(there) or model.failed or ""
                if not why:
                    made, why = look(there), model.failed or ""
                    if not why:
                        return made, model.unjudged
        except QvizError as error:
            why = str(error)
        return look(case), f"{ASIDE} {why}"

    def _following(self) -> Operand | None:
        model = read_model(self.model, self.shown or self.model.name)
        found = following(model, self.source, self.name)
        return None if found is None else Operand(*found)


def _without_number(case: Case) -> str:
    """Why what reaches the output now has no number; empty where it has one, or was refused."""
    now = outcome_of(case, present(case))
    return "" if now is None else now.note
