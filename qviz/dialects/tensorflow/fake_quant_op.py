"""The three fake_quant ops and their gradients: checks of the arguments, then rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.arithmetic import flushed
from qviz.dialects.tensorflow.bounds import flat, one_per_slice, same_shape, scalar
from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.fake_quant import ByInverse, ByScale, FakeQuantQuantizer, in_order
from qviz.dialects.tensorflow.tensors import (
    admitted,
    along,
    beside,
    blocks,
    granularity,
    integer,
    mapped,
    numbers,
)
from qviz.xp import Array

BITS = range(2, 17)


def codes(num_bits: int, narrow_range: bool) -> tuple[int, int]:
    """Smallest and largest code."""
    if integer(num_bits, "num_bits") not in BITS:
        raise InvalidArgument(f"num_bits is {num_bits}.", f"{BITS[0]} to {BITS[-1]} are offered.")
    return int(bool(narrow_range)), 2**num_bits - 1


def of_args(low: float, high: float, ends: tuple[int, int]) -> FakeQuantQuantizer:
    """The grid of fake_quant_with_min_max_args; min < max is needed."""
    bounds = numbers(low), numbers(high)
    scalar(bounds)
    grid = ByInverse(*flat(bounds), *ends)
    in_order(grid)
    return grid


def of_vars(low: Any, high: Any, ends: tuple[int, int]) -> FakeQuantQuantizer:
    """The grid of fake_quant_with_min_max_vars; the bounds are 0-d, in any order."""
    bounds = numbers(low), numbers(high)
    scalar(bounds)
    return ByScale(*flat(bounds), *ends)


def of_channels(x: Any, low: Any, high: Any, ends: tuple[int, int]) -> FakeQuantQuantizer:
    """The grid of fake_quant_with_min_max_vars_per_channel: a range for each last index."""
    shape = tuple(admitted(x).shape)
    if not shape:
        raise InvalidArgument("A single value has no channels.", "", "Give one axis or more.")
    bounds = numbers(low), numbers(high)
    one_per_slice(bounds, shape[-1])
    return ByInverse(*bounds, *ends)


def forward(grid: FakeQuantQuantizer, inputs: Any, *, channels: bool = False) -> Array:
    """What comes back of ``inputs``, float32."""
    x = admitted(inputs)
    return mapped(grid.fake_quantize, x, len(x.shape) - 1 if channels else -1, "float32")


@np.errstate(all="ignore")
def gradient(
    grid: FakeQuantQuantizer, gradients: Any, inputs: Any, *, channels: bool = False
) -> tuple[Array, Array, Array]:
    """Gradients to ``inputs``, to min and to max; the last two have the shape of the bounds.

    Sums are taken in float64 and rounded once: TensorFlow's own order of additions, which differs
    with the machine's lanes and threads, is not reproduced.
    """
    g, x = (xp.astype(admitted(v), "float32") for v in (gradients, inputs))
    same_shape(g, x)
    shared, ns = granularity(len(x.shape) - 1 if channels else -1), xp.namespace(x)
    rows, sent = shared.rows(x), shared.rows(g)
    out = ns.empty_like(rows)
    sums = dict.fromkeys(("min", "max"), np.zeros(len(rows)))
    for cut in blocks(rows):
        found = grid.backward(along(rows[:, cut]), along(sent[:, cut]))
        out[:, cut] = found.input
        sums = {name: total + _sum(found.parameters[name]) for name, total in sums.items()}
    shape = x.shape[-1:] if channels else ()
    low, high = (beside(flushed(np.float32(s)).reshape(shape), x) for s in sums.values())
    return shared.restore(out, x), low, high


def _sum(terms: Array) -> np.ndarray:
    return xp.host(xp.astype(terms, "float64").sum(1))
