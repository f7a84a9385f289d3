"""Attributes of TensorFlow's ops as a page sets them, and the form of a mode that serves them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from qviz.dialects.tensorflow.ranges import LEAST_RANGE
from qviz.dialects.tensorflow.types import TYPES, QType
from qviz.quantizers.base import QUANTIZERS, Mode, Target
from qviz.registry import Knob, knobs_of
from qviz.spec import PER_TENSOR, Granularity, QuantSpec

MOST_BITS = 16  # of a choice of codes
SHARED = ("round_mode", "ensure_minimum_range")


@dataclass(frozen=True)
class Setting:
    """Attributes of the ops: ``wide`` is a type of more than 16 bits, in place of ``spec``."""

    spec: QuantSpec = field(default_factory=QuantSpec)
    granularity: Granularity = PER_TENSOR
    round_mode: str = "HALF_AWAY_FROM_ZERO"
    ensure_minimum_range: float = LEAST_RANGE
    wide: str | None = None

    @property
    def type_name(self) -> str | None:
        """qint8 and the like; None where no type of TensorFlow has these codes."""
        if self.wide is not None:
            return self.wide
        kind = QType(self.spec.bits, self.spec.signed)
        return next((name for name, known in TYPES.items() if known == kind), None)


def mode_of(name: str, setting: Setting) -> Mode:
    """The member with the setting's rounding and least width, in the form that serves it.

    Forms are the other choices among options, such as the versions of one op; the member's own
    comes first. Where none serves, the form that would with other codes.
    """
    made = list(_forms(name, setting))
    for asked in (setting, replace(setting, spec=QuantSpec(), wide=None)):
        for mode in made:
            if mode.accepts(target_of(mode, asked)) is None:
                return mode
    return made[0]


def _forms(name: str, setting: Setting) -> Iterator[Mode]:
    kind = QUANTIZERS[name]
    knobs = {key: knob for key, (knob, _) in knobs_of(kind).items()}
    given = {key: getattr(setting, key) for key in SHARED if _takes(knobs.get(key), setting, key)}
    own = kind()
    forms = {k: (getattr(own, k), *(knobs[k].options or ())) for k in _choices(name)}
    for values in product(*(dict.fromkeys(options) for options in forms.values())):
        yield kind(**given, **dict(zip(forms, values, strict=True)))


def _choices(name: str) -> list[str]:
    """Knobs that tell the forms of a member apart."""
    knobs = knobs_of(QUANTIZERS[name])
    return [key for key, (knob, _) in knobs.items() if knob.options and key not in SHARED]


def _takes(knob: Knob | None, setting: Setting, key: str) -> bool:
    """Whether a member has this knob, and the setting's value is one of its own."""
    return knob is not None and (knob.options is None or getattr(setting, key) in knob.options)


def form(name: str, setting: Setting) -> str:
    """Which form of a member serves: ``op=vars``; empty where there is only one."""
    mode = mode_of(name, setting)
    return ", ".join(f"{key}={getattr(mode, key)}" for key in _choices(name))


def target_of(mode: Mode, setting: Setting) -> Target:
    """The setting as a mode is asked about it; of a wide type, all but the width."""
    spec = setting.spec
    if setting.wide is not None:
        spec = QuantSpec(MOST_BITS, TYPES[setting.wide].signed, narrow_range=spec.narrow_range)
    return Target(spec, setting.granularity, mode)
