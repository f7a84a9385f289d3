"""PyTorch's types and schemes by name, and arrays in the kind they came in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz import xp
from qviz.xp import Array


@dataclass(frozen=True)
class Storage:
    """A quantized type: its bits and own limits, and its family's default codes.

    ``reduced`` are the default codes under ``reduce_range``.
    """

    bits: int
    limits: tuple[int, int]
    codes: tuple[int, int]
    reduced: tuple[int, int]


def _of(bits: int, signed: bool, codes: tuple[int, int], reduced: tuple[int, int]) -> Storage:
    low = -(2 ** (bits - 1)) if signed else 0
    return Storage(bits, (low, low + 2**bits - 1), codes, reduced)


_INT8 = _of(8, True, (-128, 127), (-64, 63))
_UINT8 = _of(8, False, (0, 255), (0, 127))
_INT32 = _of(32, True, (-(2**31), 2**31 - 1), (-(2**31), 2**31 - 1))
_FLOAT8 = Storage(0, (0, 0), (0, 15), (0, 15))  # no integers: PyTorch gives them 4-bit codes

STORAGE = {
    "qint8": _INT8,
    "int8": _INT8,
    "quint8": _UINT8,
    "uint8": _UINT8,
    "quint4x2": _of(8, False, (0, 15), (0, 15)),
    "qint32": _INT32,
    "int32": _INT32,
    "int16": _of(16, True, (-(2**15), 2**15 - 1), (-(2**15), 2**15 - 1)),
    "uint16": _of(16, False, (0, 2**16 - 1), (0, 2**16 - 1)),
    "float8_e5m2": _FLOAT8,
    "float8_e4m3fn": _FLOAT8,
}
PER_TENSOR = ("per_tensor_affine", "per_tensor_symmetric")
FLOAT_QPARAMS = "per_channel_affine_float_qparams"
PER_CHANNEL = ("per_channel_affine", "per_channel_symmetric", FLOAT_QPARAMS)


def name_of(value: Any) -> str:
    """The last word of a name: ``quint8`` of torch.quint8, of ``"torch.quint8"``, of a class.

    >>> name_of("torch.per_tensor_affine"), name_of(np.int8), name_of(np.dtype("uint8"))
    ('per_tensor_affine', 'int8', 'uint8')
    """
    text = value.__name__ if isinstance(value, type) else str(value)
    return text.rpartition(".")[2]


def alike(values: np.ndarray, x: Array) -> Array:
    """A copy of ``values`` as the kind of ``x``: NumPy, or a tensor on its device."""
    return handed(np.array(values), x)


def handed(values: Array, x: Array) -> Array:
    """``values`` themselves as the kind of ``x``; nothing else may hold them."""
    ns = xp.namespace(x)
    if ns is np or not isinstance(values, np.ndarray):
        return values
    return ns.from_numpy(values).to(x.device)
