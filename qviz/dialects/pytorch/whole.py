"""Fake quantization of a whole tensor, block by block: what is computed stays in the cache."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.affine import EXACT, TorchAffineQuantizer
from qviz.dialects.pytorch.errors import TorchRuntimeError
from qviz.xp import Array

BLOCK = 2**16  # elements; half as many and the calls weigh, twice as many and the cache is left


def fake_quantized(x: Array, grid: TorchAffineQuantizer, out: np.ndarray | None = None) -> Array:
    """Values of ``grid.fake_quantize``, in the shape and type of ``x``; one scale for all.

    ``out`` is filled and returned where it is given: float32, contiguous, the shape of ``x``.

    Raises
    ------
    TorchRuntimeError
        A buffer of another type, shape or layout.
    """
    plain = isinstance(x, np.ndarray) and x.dtype == np.float32 and _narrow(grid)
    if out is None and not plain:
        back = grid.fake_quantize(x.reshape(1, -1)).reshape(x.shape)
        with np.errstate(over="ignore"):
            return xp.astype(back, xp.dtype_name(x))
    out = np.empty(x.shape, np.float32) if out is None else _buffer(out, x)
    flat, into = x.reshape(-1), out.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        part = slice(start, start + BLOCK)
        if plain:
            _fill(into[part], flat[part], grid)
        else:
            into[part] = grid.fake_quantize(flat[None, part])[0]
    return out


def _narrow(grid: TorchAffineQuantizer) -> bool:
    """Whether float32 holds every code, and every code less the zero point."""
    return max(-grid.quant_min, grid.quant_max, abs(int(grid.zero_point[0]))) <= EXACT


def _buffer(out: np.ndarray, x: Array) -> np.ndarray:
    fits = isinstance(x, np.ndarray) and isinstance(out, np.ndarray)
    fits = fits and out.shape == x.shape and out.flags.c_contiguous
    if not (fits and out.dtype == np.float32 == x.dtype):
        raise TorchRuntimeError(
            "The buffer does not fit the tensor.",
            "Both are contiguous float32 of one shape, on the CPU.",
            "Leave out the buffer.",
        )
    return out


@np.errstate(all="ignore")
def _fill(out: np.ndarray, x: np.ndarray, grid: TorchAffineQuantizer) -> None:
    """Fill a block with (clamp(rint(x / scale) + zero) - zero) * scale, without both sums.

    fmax takes the lower end for NaN; adding 0 makes -0 the 0 that the integer 0 gives.
    """
    scale, zero = np.float32(grid.scale[0]), int(grid.zero_point[0])
    np.multiply(x, np.float32(1) / scale, out=out)
    np.rint(out, out=out)
    np.fmax(out, np.float32(grid.quant_min - zero), out=out)
    np.fmin(out, np.float32(grid.quant_max - zero), out=out)
    np.add(out, np.float32(0), out=out)
    np.multiply(out, scale, out=out)
