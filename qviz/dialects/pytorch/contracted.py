"""Product and sum rounded once, as PyTorch's kernels compute them on x86."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.float32 import fused
from qviz.xp import Array


def multiply_add(x: Array, factor: Array, addend: Array) -> Array:
    """``x * factor + addend`` of float32 numbers with one rounding; of float64 with two.

    On a device the sum is rounded to float64 first: twice, though hardly ever to be seen.
    """
    if xp.dtype_name(x) == "float64":
        return x * factor + addend
    if xp.namespace(x) is np:
        return fused(x, factor, addend)
    product = xp.astype(x, "float64") * xp.astype(factor, "float64")
    return xp.astype(product + xp.astype(addend, "float64"), "float32")
