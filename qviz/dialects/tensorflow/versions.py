"""The three versions of quantize_and_dequantize beside one another, on one range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.round_trip import VERSIONS, RoundTrip, RoundTripQuantizer, code_ends
from qviz.dialects.tensorflow.round_trip_op import RoundTripOp, RoundTripV3Op, v4_gradient
from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, QuantSpec

NAMES = tuple(VERSIONS)
Ends = tuple[float, float]


@dataclass(frozen=True)
class Attributes:
    """Attributes of the op; ``per_slice`` asks for an axis."""

    signed_input: bool = True
    num_bits: int = 8
    range_given: bool = False
    round_mode: str = "HALF_TO_EVEN"
    narrow_range: bool = False
    per_slice: bool = False


@dataclass(frozen=True, eq=False)
class Version:
    """What one version makes of values: ``back`` (n,) and ``gradient`` (n,) for a gradient of 1.

    ``used`` is the range the grid spans, ``scale`` the factor before rounding, ``inverse`` the
    one after. ``refused`` says why there is none of it.
    """

    name: str
    refused: str | None = None
    used: Ends = (0.0, 0.0)
    scale: float = 0.0
    inverse: float = 0.0
    back: np.ndarray | None = None
    gradient: np.ndarray | None = None


def versions(
    values: np.ndarray, bounds: Ends, extremes: Ends, given: Attributes
) -> tuple[Version, ...]:
    """V2, V3 and V4 on ``values`` (n,), with ``bounds`` as passed.

    ``extremes`` are those of the tensor that the values are taken of: the range, unless one is
    given.
    """
    return tuple(_version(name, values, bounds, extremes, given) for name in NAMES)


def _version(
    name: str, values: np.ndarray, bounds: Ends, extremes: Ends, given: Attributes
) -> Version:
    try:
        return _made(name, values.astype(np.float32), bounds, extremes, given)
    except QvizError as error:
        return Version(name, refused=str(error))


@np.errstate(all="ignore")
def _made(name: str, x: np.ndarray, bounds: Ends, extremes: Ends, given: Attributes) -> Version:
    _offered(name, bounds, given)
    low, high = (np.array([end], np.float32) for end in (bounds if given.range_given else extremes))
    ends = code_ends(given.num_bits, given.signed_input, given.narrow_range)
    grid = VERSIONS[name](low, high, *ends, given.round_mode)
    scale, inverse, lo, hi = (float(term[0]) for term in grid.terms)
    if inverse < 0 or not np.isfinite(inverse):
        what = f"The range ends at {float(high[0]):g}, below 0, and the codes are unsigned."
        raise InvalidArgument(what, "TensorFlow's step is negative there: garbage comes out.")
    return Version(
        name, None, (lo, hi), scale, inverse, _back(grid, x, given), _gradient(name, x, bounds)
    )


def _offered(name: str, bounds: Ends, given: Attributes) -> None:
    """Let the op itself refuse what it does not take."""
    probe, axis = np.zeros((1, 1), np.float32), 0 if given.per_slice else -1
    mode = RoundTrip(version=name, round_mode=given.round_mode)
    reason = mode.accepts(Target(QuantSpec(8, signed=True), PER_TENSOR, mode))
    if reason:
        raise InvalidArgument(f"{reason}.")
    signed, narrow = given.signed_input, given.narrow_range
    low, high = (
        np.array([end], np.float32) if given.per_slice and name == "V3" else np.float32(end)
        for end in bounds
    )
    if name == "V3":
        RoundTripV3Op(signed, given.range_given, narrow, axis)(probe, low, high, given.num_bits)
        return
    op = RoundTripOp(signed, given.num_bits, given.range_given, given.round_mode, narrow, axis)
    op(probe, low, high)


def _back(grid: RoundTripQuantizer, x: np.ndarray, given: Attributes) -> np.ndarray:
    """Clipped to a given range; only rounded where the range comes from the input."""
    rows = x[None, :]
    return (
        grid.fake_quantize(rows)[0] if given.range_given else grid.dequantize(grid.rounded(rows))[0]
    )


def _gradient(name: str, x: np.ndarray, bounds: Ends) -> np.ndarray:
    if name != "V4":
        return np.ones_like(x)
    low, high = (np.float32(end) for end in bounds)
    return v4_gradient(np.ones_like(x), x, low, high, -1)[0]
