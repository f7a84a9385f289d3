"""The adjusted range, and what the modes of quantize refuse."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.ranges import adjusted, refusal, separated
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec, Range

NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    ("low", "high", "margin", "ends"),
    [
        (-1, 2, 0.01, (-1, 2)),
        (1, 1, 0.01, (0, 1)),
        (0, 0, 0.01, (0, 0.01)),
        (-1, -1, 0.01, (-1, 0)),
        (-0.5, -0.5, 2, (-0.5, 1.5)),
        (-100, -100, 0.5, (-100, 0)),
        (NAN, 2, 0.5, (0, 2)),
        (NAN, 0.1, 0.5, (0, 0.5)),  # the margin is the share alone
        (1, NAN, 0.5, (0, 0)),
        (-INF, INF, 0.5, (-INF, INF)),
        (1e-40, 1e-39, 0, (0, 0)),  # denormals
        (0, 0, 1e-40, (0, 0)),
    ],
)
def test_the_adjusted_range(low, high, margin, ends):
    lo, hi = adjusted(np.array([low]), np.array([high]), margin)
    assert (lo[0], hi[0]) == tuple(np.float32(ends))


def test_each_slice_has_its_own():
    lo, hi = adjusted(np.array([1.0, -4]), np.array([3.0, -2]), 0.01)
    assert lo.tolist() == [0, -4] and hi.tolist() == [3, 0]


def test_an_inverted_range_is_refused():
    with pytest.raises(InvalidArgument, match="below its start"):
        adjusted(np.array([0, 1.0]), np.array([1, 0.0]), 0.01)


def test_documented_ends_are_only_kept_apart():
    lo, hi = separated(Range(np.array([2.0, 2, 0]), np.array([2.0, 5, 0])), 0.01)
    assert lo.tolist() == [2, 2, 0] and hi.tolist() == [2.02, 5, 0.01]


@pytest.mark.parametrize(
    ("spec", "granularity", "narrow", "says"),
    [
        (QuantSpec(8), "per_tensor", False, None),
        (QuantSpec(16, signed=True), "per_channel:0", False, None),
        (QuantSpec(8, narrow_range=True), "per_tensor", True, None),
        (QuantSpec(8), "per_token", False, "per tensor, or per slice"),
        (QuantSpec(4), "per_tensor", False, "8 and 16 bits"),
        (QuantSpec(8, narrow_range=True), "per_tensor", False, "narrow_range is ignored"),
        (QuantSpec(8, quant_min=0, quant_max=99), "per_tensor", False, "all codes"),
        (QuantSpec(8, reduce_range=True), "per_tensor", True, "all codes"),
    ],
)
def test_refusals(spec, granularity, narrow, says):
    said = refusal(Target.of(spec, Granularity.parse(granularity)), "SCALED", narrow)
    assert said is None if says is None else says in said
