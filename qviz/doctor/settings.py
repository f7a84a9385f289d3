"""Settings that a finding may offer, and how they are spelled."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from qviz.doctor.case import Case
from qviz.observers.base import OBSERVERS, Observer
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec
from qviz.transforms.base import TRANSFORMS, Transform


@dataclass(frozen=True)
class Setting:
    """An observer, a target, and a change of the tensor ahead of both."""

    observer: Observer
    target: Target
    transform: Transform | None = None

    @property
    def plain(self) -> bool:
        """Whether the tensor stays as it is and has one step."""
        return self.transform is None and self.target.granularity == PER_TENSOR


def present(case: Case) -> Setting:
    """What the case has now."""
    return Setting(case.used, case.target)


def changed(
    case: Case,
    *,
    observer: str | Observer | None = None,
    mode: str | None = None,
    granularity: str | None = None,
    transform: str | None = None,
    **codes: Any,
) -> Setting:
    """The present setting with some parts replaced; ``codes`` are fields of the codes."""
    now = case.target
    spec: QuantSpec = replace(now.spec, **codes) if codes else now.spec
    made = OBSERVERS.make(observer) if isinstance(observer, str) else observer or case.used
    rule = QUANTIZERS.make(mode) if mode else now.mode
    shared = Granularity.parse(granularity) if granularity else now.granularity
    change = TRANSFORMS.make(transform) if transform else None
    return Setting(made, Target(spec, shared, rule), change)


def how(case: Case, setting: Setting) -> dict[str, Any]:
    """What a setting changes, each part as it is spelled."""
    now, then = present(case), setting
    out: dict[str, Any] = {}
    if then.observer != case.used:
        out["observer"] = OBSERVERS.spell(then.observer)
    if then.target.mode != now.target.mode:
        out["mode"] = QUANTIZERS.spell(then.target.mode)
    if then.target.granularity != now.target.granularity:
        out["granularity"] = str(then.target.granularity)
    if then.transform is not None:
        out["transform"] = TRANSFORMS.spell(then.transform)
    for field in fields(QuantSpec):
        value = getattr(then.target.spec, field.name)
        if value != getattr(now.target.spec, field.name):
            out[field.name] = value
    return out
