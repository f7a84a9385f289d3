"""QuantizeAndDequantize V2, V3, V4 and the gradient of V4: checks, then rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.tensorflow.arithmetic import flushed
from qviz.dialects.tensorflow.bounds import (
    Bounds,
    counted,
    flat,
    one_per_slice,
    ordered,
    same_shape,
    scalar,
    slices,
)
from qviz.dialects.tensorflow.errors import InvalidArgument, NotFound
from qviz.dialects.tensorflow.round_trip import (
    ROUND_MODES,
    MaskedRoundTrip,
    RoundTripQuantizer,
    code_ends,
)
from qviz.dialects.tensorflow.tensors import admitted, beside, granularity, integer, mapped, numbers
from qviz.xp import Array

MOST_BITS = {True: 61, False: 62}  # by signed_input
TYPES = ("float32", "float64")


@dataclass(frozen=True)
class RoundTripOp:
    """V2 or V4 with its attributes; ``axis`` is the kernel's: -1 is the whole tensor."""

    signed_input: bool = True
    num_bits: int = 8
    range_given: bool = False
    round_mode: str = "HALF_TO_EVEN"
    narrow_range: bool = False
    axis: int = -1

    def __post_init__(self) -> None:
        if self.round_mode not in ROUND_MODES:
            allowed = f"Known: {', '.join(ROUND_MODES)}."
            raise InvalidArgument(f"No round_mode is called {self.round_mode!r}.", allowed)
        most = MOST_BITS[bool(self.signed_input)]
        if not 1 <= integer(self.num_bits, "num_bits") <= most:
            raise InvalidArgument(f"num_bits is {self.num_bits}.", f"1 to {most} are offered.")

    def __call__(self, input: Any, input_min: Any, input_max: Any) -> Array:
        """What comes back; bounds are looked at only where the range is given."""
        x = floats(input)
        sliced(x, self.axis)
        if not self.range_given:
            return self.observed(x)
        bounds = bounds_of(x, input_min, input_max)
        scalar(bounds)
        if self.axis >= 0:
            what = "V2 and V4 take no range for an axis, whatever the documentation says."
            raise InvalidArgument(what, "", "Use V3, or range_given=False.")
        ordered(bounds)
        return self.given(x, bounds)

    def given(self, x: Array, bounds: Bounds) -> Array:
        """Clipped to the bounds, one or one per slice, and rounded."""
        grid = self._grid(*flat(bounds))
        return mapped(grid.fake_quantize, x, self.axis, xp.dtype_name(x))

    @np.errstate(all="ignore")
    def observed(self, x: Array) -> Array:
        """Rounded on the grid of its own extremes, without clipping.

        A NaN is ignored by the extremes; TensorFlow's result depends on where it stands.
        """
        if not xp.size(x):
            return x
        low, high = extremes(flushed(granularity(self.axis).rows(x)))
        grid = self._grid(low, high)
        kind = xp.dtype_name(x)
        return mapped(lambda block: grid.dequantize(grid.rounded(block)), x, self.axis, kind)

    def _grid(self, low: np.ndarray, high: np.ndarray) -> RoundTripQuantizer:
        ends = code_ends(self.num_bits, bool(self.signed_input), bool(self.narrow_range))
        return RoundTripQuantizer(low, high, *ends, self.round_mode)


def extremes(rows: Array) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest element of each row, on the host; of both zeros the largest is +0."""
    ns, top = xp.namespace(rows), float("inf")
    low = ns.amin(ns.where(ns.isnan(rows), top, rows), 1)
    high = ns.amax(ns.where(ns.isnan(rows), -top, rows), 1)
    positive = ns.any((rows == 0) & ~ns.signbit(rows), 1)
    return xp.host(low), xp.host(ns.where((high == 0) & positive, 0.0, high))


@dataclass(frozen=True)
class RoundTripV3Op:
    """V3 with its attributes: num_bits is an input, ties go to even, an axis may have ranges."""

    signed_input: bool = True
    range_given: bool = True
    narrow_range: bool = False
    axis: int = -1

    def __call__(self, input: Any, input_min: Any, input_max: Any, num_bits: Any) -> Array:
        x, bits = floats(input), numbers(num_bits, "int64")
        if not x.shape or bits.size != 1:
            raise InvalidArgument("V3 takes no single value, and one num_bits.", "Its kernel ends.")
        sliced(x, self.axis)
        signed, narrow = self.signed_input, self.narrow_range
        op = RoundTripOp(signed, int(bits.item()), True, narrow_range=narrow, axis=self.axis)
        if not self.range_given:
            return op.observed(x)
        bounds = bounds_of(x, input_min, input_max)
        if self.axis >= 0:
            one_per_slice(bounds, slices(x, self.axis))
        else:
            counted(bounds, 1)
            ordered(bounds)
        return op.given(x, bounds)


@np.errstate(all="ignore")
def v4_gradient(
    gradients: Any, input: Any, input_min: Any, input_max: Any, axis: int = -1
) -> tuple[Array, Array, Array]:
    """Gradients to the input, masked by the bounds as given, and zeros for the bounds."""
    x = floats(input)
    g = xp.astype(admitted(gradients), xp.dtype_name(x))
    same_shape(g, x)
    sliced(x, axis)
    bounds = bounds_of(x, input_min, input_max)
    if axis >= 0:
        one_per_slice(bounds, slices(x, axis))
    else:
        scalar(bounds)
    grid = MaskedRoundTrip(*flat(bounds))
    kind = xp.dtype_name(x)
    kept = mapped(lambda rows, sent: grid.backward(rows, sent).input, x, axis, kind, g)
    nothing = (beside(np.zeros_like(b), x, b.dtype.name) for b in bounds)
    return kept, *nothing


def floats(input: Any) -> Array:
    """An input of float32 or float64; others have no kernel."""
    x = admitted(input)
    if xp.dtype_name(x) not in TYPES:
        words = f"quantize_and_dequantize has no CPU kernel for {xp.dtype_name(x)}."
        raise NotFound(words, f"It has {' and '.join(TYPES)}.", "Convert the input.")
    return x


def bounds_of(x: Array, low: Any, high: Any) -> Bounds:
    """Bounds in the type of the input."""
    with np.errstate(all="ignore"):
        low, high = (flushed(numbers(v, xp.dtype_name(x))) for v in (low, high))
    return np.asarray(low), np.asarray(high)


def sliced(x: Array, axis: int) -> None:
    """Refuse an axis that the tensor lacks; -1 is none."""
    if integer(axis, "axis") != -1:
        slices(x, axis)
