"""Checks of bounds and axes that several ops share."""

from __future__ import annotations

import numpy as np

from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.xp import Array

Bounds = tuple[np.ndarray, np.ndarray]


def slices(x: Array, axis: int) -> int:
    """Size of the axis whose slices have ranges of their own.

    Raises
    ------
    InvalidArgument
        There is no such axis.
    """
    if not 0 <= axis < len(x.shape):
        raise InvalidArgument(
            f"Axis {axis} does not exist in a tensor of shape {tuple(x.shape)}.",
            f"It has {len(x.shape)} axes, counted from 0.",
        )
    return x.shape[axis]


def flat(bounds: Bounds) -> Bounds:
    """Bounds as (groups,)."""
    return bounds[0].reshape(-1), bounds[1].reshape(-1)


def counted(bounds: Bounds, count: int) -> None:
    """Refuse bounds of another number of elements; their rank is free."""
    if any(bound.size != count for bound in bounds):
        raise _wrong(bounds, f"{count} of each, in any shape")


def scalar(bounds: Bounds) -> None:
    """Refuse bounds that are not 0-d."""
    if any(bound.ndim for bound in bounds):
        raise _wrong(bounds, "single values, 0-d")


def one_per_slice(bounds: Bounds, count: int) -> None:
    """Refuse bounds that are not 1-D with one element per slice."""
    if any(bound.shape != (count,) for bound in bounds):
        raise _wrong(bounds, f"1-D with {count} elements, one for each slice of the axis")


def ordered(bounds: Bounds) -> None:
    """Refuse bounds unless min <= max; NaN is not."""
    if not (bounds[0] <= bounds[1]).all():
        raise InvalidArgument(
            f"The range {bounds[0].min():g} to {bounds[1].max():g} is no range.",
            "Its start must not lie above its end, and neither may be NaN.",
        )


def same_shape(a: Array, b: Array) -> None:
    """Refuse gradients that are not of the input's shape."""
    if tuple(a.shape) != tuple(b.shape):
        what = f"Gradients of shape {tuple(a.shape)} for an input of shape {tuple(b.shape)}."
        raise InvalidArgument(what, "They must be equal.")


def _wrong(bounds: Bounds, needed: str) -> InvalidArgument:
    what = f"The bounds have shapes {bounds[0].shape} and {bounds[1].shape}."
    return InvalidArgument(what, f"They must be {needed}.")
