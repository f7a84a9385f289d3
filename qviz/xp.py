"""One vocabulary over NumPy arrays and torch tensors.

``namespace(x)`` gives NumPy or torch; both know ``amin amax sum where floor abs stack`` and the
like with ``axis=`` and ``keepdims=``. What differs between them goes through the functions here.
torch is never imported: if an array is a tensor, somebody has imported it already.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from qviz.errors import QvizError

Array = Any  # numpy.ndarray or torch.Tensor
_FLOATS = {"float16", "float32", "float64"}
_SMALL_INTEGERS = {"bool", "int8", "uint8", "int16", "uint16"}  # exact in float32


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


def rint(x: Array) -> Array:
    """Round half to even."""
    return np.rint(x) if namespace(x) is np else x.round()


def round_away(x: Array) -> Array:
    """Round half away from zero, exact also just below one half."""
    xp = namespace(x)
    whole = xp.trunc(x)
    return whole + astype(xp.abs(x - whole) >= 0.5, dtype_name(x)) * xp.sign(x)


def clip(x: Array, low: Array, high: Array) -> Array:
    """``max(min(x, high), low)`` for numbers and arrays alike; NaN stays NaN."""
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
        x = np.asarray(x)
        if x.dtype.kind not in "fiub" or x.dtype.itemsize > 8:
            raise QvizError(
                f"Elements of type {x.dtype} cannot be quantized.",
                "Real numbers are needed: float16 to float64, integers or bool.",
                "Convert the array first.",
            )
        return x
    if x.layout != xp.strided or x.device.type == "meta" or x.is_complex() or x.is_quantized:
        raise QvizError(
            f"A {x.dtype} tensor of layout {x.layout} on {x.device} cannot be read.",
            "Dense tensors of real numbers are needed.",
            "Call to_dense(), dequantize() or torch.view_as_real() first.",
        )
    x = x.detach()
    numpy_has_it = dtype_name(x) in _FLOATS | _SMALL_INTEGERS | {"int32", "int64"}
    return x.numpy() if x.device.type == "cpu" and numpy_has_it else x


def working(chunk: Array) -> Array:
    """A piece of an entered array in the float type it is counted in.

    float16, float32, float64 stay; bfloat16, float8, bool and integers up to 16 bits become
    float32, which holds them exactly; wider integers become float64.
    """
    name = dtype_name(chunk)
    if name in _FLOATS:
        native = isinstance(chunk, np.ndarray) and not chunk.dtype.isnative
        return chunk.astype(name) if native else chunk
    wide = name in {"int32", "int64", "uint32", "uint64"}
    chunk = astype(chunk, "float64" if wide else "float32")
    xp = namespace(chunk)
    return chunk.numpy() if xp is not np and chunk.device.type == "cpu" else chunk
