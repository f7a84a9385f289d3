"""Tensors that are quantized already: integer codes, and the reals they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz import xp
from qviz.errors import QvizError

CHUNK = 2**20  # elements dequantized at a time
MOST = 256  # distinct integers up to which a tensor may be codes
LOOKED_AT = 2**24  # elements looked at to find that out
VALUES = " (dequantized)"  # what the reals of codes are called, after the codes' name
_ENDS = {"int2": (-2, 1), "uint2": (0, 3), "int4": (-8, 7), "uint4": (0, 15)}


@dataclass(frozen=True, eq=False)
class Scaled:
    """How stored codes stand for reals: real = scale · (code − zero_point).

    ``scale`` (float64) and ``zero_point`` (float64, whole) have shape () for the whole tensor,
    (n,) along ``axis``, or, with ``block`` > 0, the tensor's rank: one for so many neighbours
    along ``axis``. ``ends`` are the smallest and the largest code.
    """

    scale: np.ndarray
    zero_point: np.ndarray
    axis: int | None = None
    block: int = 0
    ends: tuple[int, int] | None = None

    @property
    def words(self) -> str:
        """``scale 0.03, zero point 0``; the extremes where there are several."""
        where = f" along axis {self.axis}" if self.scale.ndim else ""
        blocks = f" in blocks of {self.block}" if self.block else ""
        scale, zero = _between(self.scale), _between(self.zero_point)
        return f"scale {scale}, zero point {zero}{where}{blocks}"

    def spread(self, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Scale and zero point as views, or copies by block, that broadcast to ``shape``."""
        return self._spread(self.scale, shape), self._spread(self.zero_point, shape)

    def _spread(self, value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        if self.axis is None or not value.ndim:
            return np.broadcast_to(value, shape)
        if self.block:
            value = np.repeat(value, self.block, self.axis)
            return value[(slice(None),) * self.axis + (slice(shape[self.axis]),)]
        column = [1] * len(shape)
        column[self.axis] = shape[self.axis]
        return np.broadcast_to(value.reshape(column), shape)


def scaled(
    scale: Any,
    zero_point: Any,
    shape: tuple[int, ...],
    axis: int | None = None,
    block: int = 0,
    dtype: str = "",
) -> Scaled:
    """Checked parameters of codes of this shape and element type.

    Raises
    ------
    QvizError
        A scale that is no positive finite number, a zero point that is not whole, or more or
        fewer of them than the shape has places for.
    """
    s = _numbers(scale, "scale")
    z = _numbers(0 if zero_point is None else zero_point, "zero point")
    if not (np.isfinite(s).all() and (s > 0).all()):
        raise QvizError("A scale is not a positive number.", "", "Give one above 0.")
    if not (np.isfinite(z).all() and (z == np.rint(z)).all()):
        raise QvizError("A zero point is not a whole number.", "It is a code.", "Round it.")
    if s.size == 1 and s.ndim < 2:
        s, axis = s.reshape(()), None
    z = np.broadcast_to(z.reshape(()), s.shape) if z.size == 1 else z
    if s.ndim:
        axis = _axis(s, shape, axis, block)
    if z.shape != s.shape:
        why = f"There are {s.size} scales and {z.size} zero points."
        raise QvizError("Scale and zero point do not go together.", why, "Give as many of each.")
    return Scaled(s, z, axis, block if s.ndim > 1 else 0, _ends(dtype))


def dequantize(codes: Any, q: Scaled) -> np.ndarray:
    """float32(code − zero_point) · float32(scale): float32 values of the shape of ``codes``.

    The product is the only step that rounds for codes of up to 24 bits. Source: ONNX operators,
    DequantizeLinear (24).
    """
    shape = tuple(codes.shape)
    out = np.empty(shape or (1,), np.float32)
    scale, zero = (v.reshape(out.shape) if not shape else v for v in q.spread(shape))
    codes = codes.reshape(out.shape)
    tall = max(1, CHUNK // max(1, out[0].size)) if len(out) else 1
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start in range(0, len(out), tall):
            cut = slice(start, start + tall)
            near = (_float64(codes[cut]) - zero[cut]).astype(np.float32)
            out[cut] = near * scale[cut].astype(np.float32)
    return out.reshape(shape)


def is_integer(dtype: str) -> bool:
    """Whether elements of that type are whole numbers: ``int8``, ``uint16`` ... but not bool."""
    return dtype.startswith(("int", "uint"))


def may_be_codes(array: Any) -> bool:
    """Whether integers have at most 256 distinct values among the first 2^24."""
    if not is_integer(xp.dtype_name(array)):
        return False
    flat, known = array.reshape(-1)[:LOOKED_AT], np.empty(0)
    if flat.dtype.itemsize == 1:
        return bool(flat.size)
    for start in range(0, len(flat), CHUNK):
        known = np.union1d(known, flat[start : start + CHUNK])
        if len(known) > MOST:
            return False
    return bool(flat.size)


def tally(array: Any) -> tuple[int, np.ndarray] | None:
    """The smallest of the first 2^24 integers, and how often it and each one after it occurs.

    None where they are no integers, there is none, or they span more than 256 codes.
    """
    flat = array.reshape(-1)[:LOOKED_AT]
    if not (is_integer(xp.dtype_name(array)) and len(flat)):
        return None
    first, last = int(flat.min()), int(flat.max())
    if last - first >= MOST:
        return None
    counts = np.zeros(last - first + 1, np.int64)
    for start in range(0, len(flat), CHUNK):
        near = xp.host(flat[start : start + CHUNK]).astype(np.int64) - first
        counts += np.bincount(near, minlength=counts.size)
    return first, counts


def _numbers(value: Any, what: str) -> np.ndarray:
    try:
        made = np.array(value, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        why = "A number, or a list of numbers, is needed."
        raise QvizError(f"The {what} is no number.", why, "Write it again.") from error
    return made


def _axis(scale: np.ndarray, shape: tuple[int, ...], axis: int | None, block: int) -> int:
    axis = 0 if axis is None else axis
    if not -len(shape) <= axis < len(shape):
        why = f"The tensor has {len(shape)} axes."
        raise QvizError(f"The scale's axis {axis} does not exist.", why, "Choose one of them.")
    axis %= len(shape)
    want: tuple[int, ...] = (shape[axis],)
    if scale.ndim > 1:
        want = (*shape[:axis], -(-shape[axis] // max(block, 1)), *shape[axis + 1 :])
    if scale.shape != want:
        why = f"It has shape {scale.shape}; along axis {axis} shape {want} is needed."
        raise QvizError("The scale does not fit its tensor.", why, "Give one scale for each slice.")
    return axis


def _ends(dtype: str) -> tuple[int, int] | None:
    if dtype in _ENDS:
        return _ENDS[dtype]
    if not is_integer(dtype):
        return None
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def _float64(x: Any) -> np.ndarray:
    return x.astype(np.float64) if isinstance(x, np.ndarray) else x.double().numpy()


def _between(values: np.ndarray) -> str:
    if not values.size:
        return "none"
    lo, hi = (f"{end:.9g}" for end in (values.min(), values.max()))
    return lo if lo == hi else f"{lo} to {hi}"
