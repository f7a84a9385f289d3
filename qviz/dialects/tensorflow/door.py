"""TensorFlow's own names: quantize, dequantize, quantize_and_dequantize.

Arguments, defaults and errors are TensorFlow's; ``name`` is accepted and ignored. Inputs are NumPy
arrays or torch tensors, and so are results; quantized codes are plain integers.
"""

from __future__ import annotations

from typing import Any

from qviz.dialects.tensorflow import round_trip_op
from qviz.dialects.tensorflow.dequantize_op import DequantizeOp
from qviz.dialects.tensorflow.quantize_op import QuantizeOp
from qviz.dialects.tensorflow.round_trip_op import RoundTripOp, RoundTripV3Op
from qviz.dialects.tensorflow.tensors import admitted, kernel_axis
from qviz.dialects.tensorflow.types import last_name, qtype
from qviz.xp import Array


def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> tuple[Array, Array, Array]:
    """Codes, and the range they really stand for: output, output_min, output_max.

    T is qint8, quint8, qint16, quint16 or qint32; the rules of the modes are those of
    ``tf.min_combined``, ``tf.min_first`` and ``tf.scaled``. With ``axis`` the bounds are 1-D, one
    for each slice, and so is the output range.

    Raises
    ------
    InvalidArgument, Unimplemented
        See QuantizeOp.
    """
    axis = kernel_axis(axis, len(admitted(input).shape))
    kind = qtype(T)
    op = QuantizeOp(kind, mode, round_mode, bool(narrow_range), axis, ensure_minimum_range)
    return op(input, min_range, max_range)


def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = "float32",
) -> Array:
    """The floats that codes stand for; the type of the codes is that of ``input``.

    ``dtype`` float32, or bfloat16 with MIN_COMBINED: a torch tensor of that type, in NumPy its bit
    patterns as uint16.

    Raises
    ------
    InvalidArgument, Unimplemented
        See DequantizeOp.
    """
    axis = kernel_axis(axis, len(admitted(input).shape))
    op = DequantizeOp(mode, bool(narrow_range), axis, last_name(dtype))
    return op(input, min_range, max_range)


def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Array:
    """What comes back of a grid symmetric about 0 (the op V2), float32 or float64.

    Without ``range_given`` the extremes of the tensor, or of each slice of ``axis``, are the
    range. A given range with ``axis`` is refused, as TensorFlow does.

    Raises
    ------
    InvalidArgument, NotFound
        See RoundTripOp.
    """
    axis = kernel_axis(axis, len(admitted(input).shape))
    op = RoundTripOp(signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return op(input, input_min, input_max)


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Array:
    """The same values as ``quantize_and_dequantize``; the op V4, whose gradient stops outside."""
    axis = kernel_axis(axis, len(admitted(input).shape))
    op = RoundTripOp(signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return op(input, input_min, input_max)


def quantize_and_dequantize_v3(
    input: Any,
    input_min: Any,
    input_max: Any,
    num_bits: Any,
    signed_input: bool = True,
    range_given: bool = True,
    narrow_range: bool = False,
    axis: int = -1,
    name: str | None = None,
) -> Array:
    """The op V3: ``num_bits`` is an input; with ``axis`` bounds are 1-D, one for each slice.

    ``axis`` -1 is the whole tensor; there are no other negative ones.
    """
    op = RoundTripV3Op(signed_input, range_given, narrow_range, axis)
    return op(input, input_min, input_max, num_bits)


def quantize_and_dequantize_v4_grad(
    gradients: Any,
    input: Any,
    input_min: Any,
    input_max: Any,
    axis: int = -1,
    name: str | None = None,
) -> tuple[Array, Array, Array]:
    """Gradients of the op V4: to the input, masked by the bounds as given, and zeros for these.

    ``axis`` -1 is the whole tensor; there are no other negative ones.
    """
    return round_trip_op.v4_gradient(gradients, input, input_min, input_max, axis)
