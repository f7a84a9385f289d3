"""Tensors at the door: admitted, walked in blocks of rows, given back in their own kind."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.spec import PER_TENSOR, Granularity
from qviz.xp import Array

BLOCK = 2**16  # elements at a time: what is computed of them stays in the cache
DEVICE_BLOCK = 2**26  # on an accelerator each call costs more than its memory
FEW = 64  # groups below which a block is turned, so that a loop runs along its elements


def admitted(x: Any) -> Array:
    """An input as it came, NumPy or torch; numbers and lists as float32."""
    if not hasattr(x, "dtype"):
        return numbers(x)
    seen = xp.enter(x)
    return seen if xp.namespace(x) is np else xp.namespace(x).as_tensor(seen)


def numbers(value: Any, dtype: str = "float32") -> np.ndarray:
    """Bounds and the like on the host, shape kept."""
    with np.errstate(all="ignore"):
        return xp.host(xp.astype(xp.enter(value), dtype))


def integer(value: Any, name: str) -> int:
    """A whole number, or InvalidArgument with the argument's name."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise InvalidArgument(f"{name} is {value!r}.", "A whole number is needed.") from error


def beside(value: Any, x: Array, dtype: str = "float32") -> Array:
    """A result on the host as the kind of array that ``x`` is, on its device."""
    ns, value = xp.namespace(x), np.asarray(value, dtype)
    return value if ns is np else ns.from_numpy(value.copy()).to(x.device)


def kernel_axis(axis: int | None, rank: int) -> int:
    """The kernel's axis: None is -1, the whole tensor; a negative one counts from the end."""
    if axis is None:
        return -1
    axis = integer(axis, "axis")
    if axis < 0 and rank == 0:
        raise InvalidArgument(f"Axis {axis} does not exist in a single value.", "", "Use None.")
    return axis % rank if axis < 0 else axis


def granularity(axis: int) -> Granularity:
    """What shares a range: the whole tensor (axis below 0), or a slice of the axis."""
    return PER_TENSOR if axis < 0 else Granularity("per_channel", axis)


def mapped(rule: Callable[..., Array], x: Array, axis: int, dtype: str, *others: Array) -> Array:
    """``rule`` over the rows of ``x``, block by block, in the shape of ``x``; cast to ``dtype``.

    ``others`` have the shape of ``x`` and are handed to the rule beside it.
    """
    shared, ns = granularity(axis), xp.namespace(x)
    rows = [shared.rows(given) for given in (x, *others)]
    out = ns.empty_like(rows[0], dtype=getattr(ns, dtype))
    for cut in blocks(rows[0]):
        out[:, cut] = rule(*(along(each[:, cut]) for each in rows))
    return shared.restore(out, x)


def blocks(rows: Array) -> Iterator[slice]:
    """Blocks of columns."""
    groups, length = rows.shape
    width = max(1, (BLOCK if _on_host(rows) else DEVICE_BLOCK) // max(groups, 1))
    for start in range(0, length, width):
        yield slice(start, start + width)


def along(block: Array) -> Array:
    """A block whose elements lie side by side where its groups are few."""
    if not (_on_host(block) and 1 < block.shape[0] < FEW):
        return block
    return np.ascontiguousarray(block) if isinstance(block, np.ndarray) else block.contiguous()


def _on_host(rows: Array) -> bool:
    return isinstance(rows, np.ndarray) or rows.device.type == "cpu"
