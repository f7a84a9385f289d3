"""TensorFlow's modes beside one another on one range: what is asked for, and what each answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.members import DOCUMENTED, op_mode
from qviz.dialects.tensorflow.min_combined import MinCombinedQuantizer
from qviz.dialects.tensorflow.min_first import MinFirstQuantizer
from qviz.dialects.tensorflow.quantize_op import QuantizeOp
from qviz.dialects.tensorflow.ranges import LEAST_RANGE, adjusted
from qviz.dialects.tensorflow.scaled import ScaledQuantizer
from qviz.dialects.tensorflow.types import TYPES, QType
from qviz.dialects.tensorflow.wide import OpQuantizer
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Mode, Quantizer, Target, covered
from qviz.registry import Knob, knobs_of
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Range

MOST_BITS = 16  # of a choice of codes
SHARED = ("round_mode", "ensure_minimum_range")
Ends = tuple[float, float]


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


@dataclass(frozen=True, eq=False)
class Answer:
    """What one mode makes of a range.

    ``output`` is the range the op gives back (of an op that gives none: what its levels span),
    ``covered`` first and last level, ``zero`` what real 0 comes back as. ``refused`` says why
    there is none; all else is then empty.
    """

    name: str
    refused: str | None = None
    quantizer: Quantizer | None = None
    output: Ends = (0.0, 0.0)
    covered: Ends = (0.0, 0.0)
    step: float = 0.0
    zero: float = 0.0

    @property
    def title(self) -> str:
        """The mode's name, without that of its framework."""
        return QUANTIZERS.entry(self.name).title.removeprefix("TF ")

    @property
    def moves(self) -> float:
        """Steps by which real 0 moves; 0 on a grid without a step."""
        return self.zero / self.step if self.step > 0 else 0.0

    @property
    def documented(self) -> bool:
        """Whether this is a published formula, not a measured op."""
        return self.name.endswith(DOCUMENTED)


def mode_of(name: str, setting: Setting) -> Mode:
    """The member with the setting's rounding and least width, in the form that serves it.

    Forms are the other choices among options, such as the versions of one op.
    """
    kind = QUANTIZERS[name]
    knobs = {key: knob for key, (knob, _) in knobs_of(kind).items()}
    given = {key: getattr(setting, key) for key in SHARED if _takes(knobs.get(key), setting, key)}
    forms = {k: knob.options for k, knob in knobs.items() if knob.options and k not in SHARED}
    made: list[Mode] = [
        kind(**given, **dict(zip(forms, values, strict=True)))
        for values in product(*forms.values())
    ]
    serving = (mode for mode in made if mode.accepts(_target(mode, setting)) is None)
    return next(serving, made[0])


def _takes(knob: Knob | None, setting: Setting, key: str) -> bool:
    """Whether a member has this knob, and the setting's value is one of its own."""
    return knob is not None and (knob.options is None or getattr(setting, key) in knob.options)


def _target(mode: Mode, setting: Setting) -> Target:
    spec = setting.spec
    if setting.wide is not None:  # asked about all but the width
        spec = QuantSpec(MOST_BITS, TYPES[setting.wide].signed, narrow_range=spec.narrow_range)
    return Target(spec, setting.granularity, mode)


def refusal(name: str, setting: Setting) -> str | None:
    """Why the op, or the mode, cannot serve, in words; None where it can."""
    mode, type_name = op_mode(name), setting.type_name
    if mode is not None and type_name is not None:
        try:
            _op(mode, type_name, setting)
        except QvizError as error:
            return str(error)
    if setting.wide is not None and (mode is None or name.endswith(DOCUMENTED)):
        return f"{setting.wide} is a type of the op quantize alone"
    made = mode_of(name, setting)
    return made.accepts(_target(made, setting))


def _op(mode: str, type_name: str, setting: Setting) -> QuantizeOp:
    narrow, rounding = setting.spec.narrow_range, setting.round_mode
    return QuantizeOp(TYPES[type_name], mode, rounding, narrow, -1, setting.ensure_minimum_range)


def grid(name: str, lo: float, hi: float, setting: Setting) -> Quantizer:
    """Qparams of one mode on one range.

    Raises
    ------
    QvizError
        The mode refuses the setting, or the range.
    """
    reason = refusal(name, setting)
    if reason:
        raise InvalidArgument(reason)
    asked = _range(lo, hi)
    if setting.wide is not None:
        op = _op(str(op_mode(name)), setting.wide, setting)
        op(np.zeros(1, np.float32), asked.lo, asked.hi)  # what it raises, it raises here
        return OpQuantizer(op, asked.lo, asked.hi)
    return mode_of(name, setting).quantizer(asked, setting.spec)


def answer(name: str, lo: float, hi: float, setting: Setting) -> Answer:
    """What one mode makes of [lo, hi]; a refusal is an answer too."""
    try:
        made = grid(name, lo, hi, setting)
    except QvizError as error:
        return Answer(name, refused=str(error))
    zero = xp.host(made.fake_quantize(np.zeros((1, 1), np.float32)))
    spanned, step = covered(made), _first(made.step)
    ends = _ends(*_output(made)), _ends(spanned.lo, spanned.hi)
    return Answer(name, None, made, *ends, step, float(zero[0, 0]))


def _range(lo: float, hi: float) -> Range:
    return Range(np.array([lo]), np.array([hi])).as_float32()


def _first(values: Any) -> float:
    return float(np.ravel(values)[0])


def _ends(lo: Any, hi: Any) -> Ends:
    return _first(lo), _first(hi)


def _output(made: Quantizer) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(made, OpQuantizer):
        return made.output
    if isinstance(made, MinCombinedQuantizer | MinFirstQuantizer | ScaledQuantizer):
        return made.lo, made.hi
    whole = covered(made)
    return whole.lo, whole.hi


def adjustment(lo: float, hi: float, ensure_minimum_range: float = LEAST_RANGE) -> Ends:
    """The range in which the modes of quantize work, whatever the mode.

    Raises
    ------
    InvalidArgument
        ``hi`` is below ``lo``.
    """
    asked = _range(lo, hi)
    return _ends(*adjusted(asked.lo, asked.hi, ensure_minimum_range))
