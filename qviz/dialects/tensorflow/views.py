"""TensorFlow's modes beside one another on one range: what is asked for, and what each answers."""

from __future__ import annotations

from dataclasses import dataclass
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
from qviz.dialects.tensorflow.setting import Setting, form, mode_of, target_of
from qviz.dialects.tensorflow.types import TYPES
from qviz.dialects.tensorflow.wide import OpQuantizer
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Quantizer, covered
from qviz.spec import Range

Ends = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Answer:
    """What one mode makes of a range.

    ``output`` is the range the op gives back (of an op that gives none: what its levels span),
    ``covered`` first and last level, ``zero`` what real 0 comes back as. ``form`` names the one of
    several ops that serves, as ``op=vars``. ``refused`` says why there is no answer; all else but
    ``form`` is then empty.
    """

    name: str
    refused: str | None = None
    quantizer: Quantizer | None = None
    output: Ends = (0.0, 0.0)
    covered: Ends = (0.0, 0.0)
    step: float = 0.0
    zero: float = 0.0
    form: str = ""

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
    if mode is not None and type_name is None:
        return f"TensorFlow has {mode} for 8 and 16 bits, and for qint32"
    made = mode_of(name, setting)
    return made.accepts(target_of(made, setting))


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
        return Answer(name, refused=str(error), form=form(name, setting))
    zero = xp.host(made.fake_quantize(np.zeros((1, 1), np.float32)))
    spanned, step = covered(made), _first(made.step)
    ends = _ends(*_output(made)), _ends(spanned.lo, spanned.hi)
    return Answer(name, None, made, *ends, step, float(zero[0, 0]), form(name, setting))


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
