"""quantized_concat: codes of several ranges joined under one range."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects import OPS
from qviz.dialects.tensorflow.arithmetic import flushed, larger, smaller
from qviz.dialects.tensorflow.bounds import counted
from qviz.dialects.tensorflow.dialect import CONCAT
from qviz.dialects.tensorflow.errors import InvalidArgument, NotFound
from qviz.dialects.tensorflow.min_first import MinFirstQuantizer
from qviz.dialects.tensorflow.tensors import admitted, beside, integer, mapped, numbers
from qviz.dialects.tensorflow.types import QType, qtype
from qviz.xp import Array

KERNELS = ("uint8", "int32")
FLT_MAX = np.finfo(np.float32).max


@OPS.register("tf.quantized_concat", title="TF concat", source=CONCAT, golden="quantized_concat")
@np.errstate(all="ignore")
def quantized_concat(
    concat_dim: int,
    values: Sequence[Any],
    input_mins: Sequence[Any],
    input_maxes: Sequence[Any],
    name: str | None = None,
) -> tuple[Array, Array, Array]:
    """Codes joined along an axis, output_min, output_max (0-d).

    The joint range is [min of 0 and the mins, max of the maxes], with qint32 made symmetric. An
    input of that very range is copied; any other goes through MIN_FIRST, back and forth, in
    float32. An empty input counts for the range, and then leaves its range behind: the k-th input
    that is not empty is read with the k-th range of the list.

    Raises
    ------
    InvalidArgument
        Fewer than two inputs, or shapes, ranks, types or axes that do not fit.
    NotFound
        A type other than quint8 and qint32.
    """
    tensors = [admitted(value) for value in values]
    kind, axis = _checked(tensors, integer(concat_dim, "concat_dim"))
    ranges = _ranges(input_mins, input_maxes, len(tensors))
    joint = _joint(ranges, kind)
    kept = [x for x in tensors if xp.size(x)] or tensors
    parts = [_moved(x, own, joint, kind) for x, own in zip(kept, ranges, strict=False)]
    output = xp.namespace(parts[0]).concatenate(parts, axis)
    lo, hi = (beside(end, output) for end in joint)
    return output, lo, hi


def _checked(tensors: list[Array], axis: int) -> tuple[QType, int]:
    if len(tensors) < 2:
        raise InvalidArgument(f"{len(tensors)} inputs cannot be joined.", "Two are needed.")
    names = {xp.dtype_name(x) for x in tensors}
    if len(names) > 1:
        raise InvalidArgument(f"Inputs of types {', '.join(sorted(names))}.", "One is needed.")
    if not names <= set(KERNELS):
        raise NotFound(f"quantized_concat has no kernel for {names.pop()}.", "quint8 and qint32.")
    shapes = [tuple(x.shape) for x in tensors]
    rank = len(shapes[0])
    if not 0 <= axis < rank:
        raise InvalidArgument(f"Axis {axis} does not exist.", f"The inputs have {rank} axes.")
    others = {(len(shape), *shape[:axis], *shape[axis + 1 :]) for shape in shapes}
    if len(others) > 1:
        raise InvalidArgument(f"Inputs of shapes {shapes}.", f"Only axis {axis} may differ.")
    return qtype(names.pop()), axis


def _ranges(mins: Sequence[Any], maxes: Sequence[Any], count: int) -> list[np.ndarray]:
    """(min, max) of each input, float32."""
    lows, highs = ([flushed(numbers(v)) for v in values] for values in (mins, maxes))
    if (len(lows), len(highs)) != (count, count):
        raise InvalidArgument(f"{len(lows)} mins and {len(highs)} maxes.", f"{count} are needed.")
    for pair in zip(lows, highs, strict=True):
        counted(pair, 1)
    return [
        np.stack([low.reshape(()), high.reshape(())]) for low, high in zip(lows, highs, strict=True)
    ]


def _joint(ranges: list[np.ndarray], kind: QType) -> np.ndarray:
    """The range of all, NaN ignored; the high end is not raised to 0."""
    lo = reduce(smaller, [r[0] for r in ranges], FLT_MAX)
    lo = smaller(np.float32(0), lo)
    hi = reduce(larger, [r[1] for r in ranges], -FLT_MAX)
    if kind.bits == 32:
        hi = larger(np.abs(lo), np.abs(hi))
        lo = -hi
    return np.stack([lo, hi])


def _moved(x: Array, own: np.ndarray, joint: np.ndarray, kind: QType) -> Array:
    """Codes under the joint range; copied where it is their own."""
    if (own == joint).all():
        return x
    old, new = (MinFirstQuantizer(r[:1], r[1:], kind.bits, kind.signed) for r in (own, joint))
    return mapped(lambda codes: new.quantize(old.dequantize(codes)), x, -1, kind.storage)
