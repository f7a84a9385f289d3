"""V2, V3 and V4 of quantize_and_dequantize: where they agree, and where not."""

from dataclasses import replace

import numpy as np
import pytest

from qviz.dialects.tensorflow.versions import NAMES, Attributes, versions

GIVEN = Attributes(range_given=True)
X = np.float32([-2, -1.005, -1, 0, 0.5, 1, 2])


def of(bounds, extremes, given, values=X):
    return dict(zip(NAMES, versions(values, bounds, extremes, given), strict=True))


def test_the_range_used_and_the_factors():
    found = of((-1.0, 1.0), (-2.0, 2.0), GIVEN)
    for one in found.values():
        assert one.used == pytest.approx((-128 / 127, 1))
        assert (one.scale, one.inverse) == pytest.approx((127, 1 / 127))
        assert one.back[[0, 3, 4, 6]] == pytest.approx([-128 / 127, 0, 64 / 127, 1])


def test_only_v4_stops_gradients_and_by_the_bounds_as_passed():
    found = of((-1.0, 1.0), (-2.0, 2.0), GIVEN)
    assert found["V2"].gradient.tolist() == found["V3"].gradient.tolist() == [1] * 7
    # -1.005 lies on the grid, which reaches to -1.008, and outside the bounds
    assert found["V4"].gradient.tolist() == [0, 0, 1, 1, 1, 1, 0]


def test_placeholders_of_an_unused_range_stop_all_but_zero():
    found = of((0.0, 0.0), (-2.0, 2.0), Attributes())
    assert found["V4"].gradient.tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert found["V4"].back == pytest.approx(found["V2"].back)
    assert found["V2"].used == pytest.approx((-2 * 128 / 127, 2))


def test_a_range_per_slice_is_taken_by_v3_alone():
    found = of((-1.0, 1.0), (-2.0, 2.0), replace(GIVEN, per_slice=True))
    assert "no range for an axis" in found["V2"].refused and found["V4"].refused
    assert found["V3"].refused is None and found["V3"].used[1] == 1
    free = of((0.0, 0.0), (-2.0, 2.0), Attributes(per_slice=True))
    assert [one.refused for one in free.values()] == [None] * 3


def test_v3_has_one_rounding():
    found = of((-1.0, 1.0), (-2.0, 2.0), replace(GIVEN, round_mode="HALF_UP"))
    assert "half to even only" in found["V3"].refused and found["V2"].refused is None


@pytest.mark.parametrize(
    ("bounds", "given", "says"),
    [
        ((1.0, -1.0), GIVEN, "no range"),
        ((-1.0, 1.0), replace(GIVEN, num_bits=62), "num_bits is 62"),
        ((-2.0, -1.0), replace(GIVEN, signed_input=False), "garbage"),
    ],
)
def test_refusals(bounds, given, says):
    assert all(says in one.refused for one in of(bounds, (-2.0, 2.0), given).values())


def test_narrow_range_and_unsigned_codes():
    narrow = of((-1.0, 1.0), (-2.0, 2.0), replace(GIVEN, narrow_range=True))["V2"]
    assert narrow.used == (-1, 1)
    above = of((0.0, 1.0), (-2.0, 2.0), replace(GIVEN, signed_input=False))["V2"]
    assert above.used == (0, 1) and above.scale == 255
