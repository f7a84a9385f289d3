"""Arrays on their way in and out of the door: NumPy arrays and tensors of any device."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.dialects.mindspore.errors import MindSporeTypeError, MindSporeValueError
from qviz.dialects.mindspore.settings import Settings
from qviz.xp import Array

FLOATS = ("float16", "bfloat16", "float32", "float64")


def given(x: Array) -> Array:
    """``x`` admitted: a NumPy array, or the tensor itself without its graph.

    Raises
    ------
    QvizError
        No array of real numbers; MindSporeTypeError where they are not floating point.
    """
    entered = xp.enter(x)
    x = entered if xp.namespace(x) is np else x.detach()
    if xp.dtype_name(x) not in FLOATS:
        raise MindSporeTypeError(
            f"The input holds {xp.dtype_name(x)}.",
            "MindSpore's fake quantization takes floating point only.",
            "Convert the array first.",
        )
    return x


def rows_of(x: Array, settings: Settings) -> Array:
    """(groups, elements) in the working type; under ``gpu`` dimension 0 holds the groups.

    Raises
    ------
    MindSporeValueError
        channel_axis does not exist, has not num_channels indices, or (gpu) dimension 0 has more.
    """
    if settings.per_channel:
        check_shape(tuple(x.shape), settings)
    with np.errstate(all="ignore"):
        return xp.astype(settings.granularity.rows(x), settings.kind)


def check_shape(shape: tuple[int, ...], settings: Settings) -> None:
    """Refuse a shape that does not fit num_channels."""
    axis, channels = settings.channel_axis, settings.num_channels
    if axis >= len(shape) or shape[axis] != channels:
        raise MindSporeValueError(
            f"A tensor of shape {shape} has not {channels} channels on axis {axis}.",
            "num_channels and channel_axis must fit the input.",
            "Construct the observer for this shape.",
        )
    if shape[settings.reading.axis(axis)] > channels:
        raise MindSporeValueError(
            f"A tensor of shape {shape} has {shape[0]} indices along dimension 0.",
            f"The CUDA kernels take it for the channels and read past the {channels} ranges.",
            "Use channel_axis=0, or smaller batches.",
        )


def returned(rows: Array, x: Array, settings: Settings) -> Array:
    """``rows`` in the shape of ``x``, and in its type unless evaluated in float64 for study."""
    kind = "float64" if settings.kind == "float64" else xp.dtype_name(x)
    with np.errstate(all="ignore"):
        return settings.granularity.restore(xp.astype(rows, kind), x)


def copied(rows: Array) -> Array:
    """Values of their own."""
    return rows.copy() if xp.namespace(rows) is np else rows.clone()


def summed(terms: Array) -> np.ndarray:
    """Sum of each row, added in float64 and rounded to the type of the terms, on the host."""
    total = xp.host(xp.astype(terms, "float64").sum(1))
    with np.errstate(all="ignore"):
        return total.astype(xp.dtype_name(terms))


def beside(values: np.ndarray, x: Array) -> Array:
    """Host values as the kind of array that ``x`` is, on its device."""
    ns = xp.namespace(x)
    return values if ns is np else ns.from_numpy(values).to(x.device)
