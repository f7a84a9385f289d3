"""One vocabulary over NumPy arrays and torch tensors.

``namespace(x)`` gives NumPy or torch; both know ``amin amax sum where floor abs stack`` and the
like with ``axis=`` and ``keepdims=``. What differs between them goes through the functions here.
torch is never imported: if an array is a tensor, somebody has imported it already.
"""

from __future__ import annotations

import sys
from math import prod
from typing import Any

import numpy as np

from qviz.errors import QvizError

Array = Any  # numpy.ndarray or torch.Tensor
HOST = "cpu"  # the kind of device whose tensors NumPy can view
_FLOATS = {"float16", "float32", "float64"}
_SMALL_INTEGERS = {"bool", "int8", "uint8", "int16", "uint16"}  # exact in float32
_WIDE_INTEGERS = {"int32", "int64", "uint32", "uint64"}


def namespace(x: Array) -> Any:
    """The module that computes with ``x``: numpy or torch."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else np


def dtype_name(x: Array) -> str:
    """The element type's name, the same word for both kinds: ``float32``, ``bfloat16`` ..."""
    return x.dtype.name if isinstance(x, np.ndarray) else str(x.dtype).removeprefix("torch.")


def size(x: Array) -> int:
    """Number of elements."""
    return x.size if isinstance(x, np.ndarray) else x.numel()


def astype(x: Array, name: str) -> Array:
    """``x`` in another element type; the same object where it has it already."""
    xp = namespace(x)
    return x.astype(name, copy=False) if xp is np else x.to(getattr(xp, name))


def host(x: Array) -> np.ndarray:
    """``x`` as a NumPy array; a CPU tensor is viewed, a device sends its values."""
    return x if isinstance(x, np.ndarray) else x.detach().cpu().numpy()


def like(values: Any, rows: Array, dtype: str) -> Array:
    """Per-group ``values`` as a column beside ``rows``: shape (groups, 1), same kind and device."""
    column = np.atleast_1d(np.asarray(values)).astype(dtype).reshape(-1, 1)
    xp = namespace(rows)
    return column if xp is np else xp.from_numpy(column).to(rows.device)


def div(a: Array, b: Array) -> Array:
    """True division with arrays on both sides.

    torch turns ``number / tensor`` into reciprocal times number, which rounds twice.
    """
    xp = namespace(b if isinstance(a, int | float) else a)
    if isinstance(a, int | float):
        a = xp.full_like(b, a)
    elif isinstance(b, int | float):
        b = xp.full_like(a, b)
    return xp.divide(a, b)


def cut(x: Array, groups: int, tile: slice = slice(None)) -> Array:
    """The last axes of ``x`` folded into (groups, elements), or a tile of these groups.

    A view where the layout allows; else a copy of little more than the tile.
    """
    width, (start, stop, _) = size(x) // max(groups, 1), tile.indices(groups)
    if not (width and 0 < stop - start < groups):
        return x.reshape(groups, width)[tile]
    while len(x.shape) > 1 and (tall := prod(x.shape[1:]) // width):
        first, last = start // tall, (stop - 1) // tall  # indices of the first axis
        start, stop = start - first * tall, stop - first * tall
        if first < last:
            return x[first : last + 1].reshape(-1, width)[start:stop]
        x = x[first]
    if len(x.shape) > 1:  # one group is left, and it is all of x
        return x.reshape(1, width)
    return x[start * width : stop * width].reshape(-1, width)


def rint(x: Array) -> Array:
    """Round half to even."""
    return np.rint(x) if namespace(x) is np else x.round()


def round_away(x: Array) -> Array:
    """Round half away from zero, exact also just below one half."""
    xp = namespace(x)
    whole = xp.trunc(x)
    return whole + astype(xp.abs(x - whole) >= 0.5, dtype_name(x)) * xp.sign(x)


def clip(x: Array, low: Array, high: Array) -> Array:
    """``x`` moved into [low, high], two numbers or two arrays; NaN stays NaN."""
    return np.clip(x, low, high) if namespace(x) is np else x.clamp(low, high)


def enter(x: Any) -> Array:
    """Admit an array at a public door: real numbers, detached, dense, native byte order.

    CPU tensors become NumPy views where NumPy has the dtype; bfloat16, float8 and tensors of
    other devices stay torch.

    Raises
    ------
    QvizError
        Complex, text, object or structured elements; sparse or meta tensors.
    """
    xp = namespace(x)
    if xp is np:
        return _enter_numpy(x)
    name = dtype_name(x)
    known = _FLOATS | _SMALL_INTEGERS | _WIDE_INTEGERS | {"bfloat16"}
    dense = x.layout == xp.strided and x.device.type != "meta" and not x.is_nested
    if not dense or not (name in known or name.startswith("float8")):
        raise QvizError(
            f"A {x.dtype} tensor of layout {x.layout} on {x.device} cannot be read.",
            "Dense tensors of real numbers are needed.",
            "Call to_dense(), dequantize() or torch.view_as_real() first.",
        )
    x = x.detach().resolve_neg()
    numpy_has_it = name in known and name != "bfloat16"
    return x.numpy() if x.device.type == HOST and numpy_has_it else x


def _enter_numpy(x: Any) -> np.ndarray:
    try:
        x = np.asarray(x)
    except ValueError as error:
        why = "Its parts differ in length, or are no numbers."
        raise QvizError("This is no array.", why, "Give one array, or a list of them.") from error
    if x.dtype.kind not in "fiub" or x.dtype.itemsize > 8:
        raise QvizError(
            f"Elements of type {x.dtype} cannot be quantized.",
            "Real numbers are needed: float16 to float64, integers or bool.",
            "Convert the array first.",
        )
    return x


def working_name(x: Array) -> str:
    """The float type in which elements of ``x`` are counted.

    float16, float32, float64 stay; bfloat16, float8, bool and integers up to 16 bits become
    float32, which holds them exactly; wider integers become float64.
    """
    name = dtype_name(x)
    return name if name in _FLOATS else "float64" if name in _WIDE_INTEGERS else "float32"


def working(chunk: Array) -> Array:
    """A piece of an entered array in the float type it is counted in, native byte order.

    Rows that lie apart in memory are brought together: reductions along them are many times
    faster than the copy.
    """
    if isinstance(chunk, np.ndarray):
        return np.ascontiguousarray(chunk, dtype=working_name(chunk))
    chunk = astype(chunk, working_name(chunk))
    return chunk.numpy() if chunk.device.type == HOST else chunk
