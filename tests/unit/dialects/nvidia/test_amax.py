"""NVIDIA's grid worked out by hand."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import PER_TENSOR, QuantSpec, Range

MODE = QUANTIZERS.make("nvidia.amax")
SPEC = QuantSpec(8, signed=True, symmetric=True, narrow_range=True)


def grid(lo, hi, spec=SPEC):
    return MODE.quantizer(Range(np.array([lo]), np.array([hi])), spec)


def test_the_larger_magnitude_gets_the_last_code():
    made = grid(-127.0, 63.0)
    assert made.ends == (-127, 127) and made.step == 1 and made.zero_point == 0
    x = np.float32([[-300, -127, -0.5, 0.5, 1.5, 63, np.inf]])
    assert made.quantize(x)[0].tolist() == [-127, -127, 0, 0, 2, 63, 127]
    assert made.fake_quantize(x)[0].tolist() == [-127, -127, 0, 0, 2, 63, 127]
    assert np.isnan(made.fake_quantize(np.float32([[np.nan]]))).all()


def test_values_come_back_divided_by_the_multiplier():
    multiplier = np.float32(127) / np.float32(0.3)
    codes = np.arange(-127, 128, dtype=np.float32)
    assert np.array_equal(grid(-0.3, 0.3).dequantize(codes[None])[0], codes / multiplier)


@pytest.mark.parametrize("end", [0.0, 1e-8, 2.0**-24])
def test_next_to_nothing_becomes_zero(end):
    made = grid(-end, end)
    assert made.step == 0
    assert made.fake_quantize(np.float32([[-1, 0, 1e-9, 5]]))[0].tolist() == [0, 0, 0, 0]


def test_two_groups_and_other_widths():
    made = MODE.quantizer(Range(np.array([-1.0, 0.0]), np.array([0.5, 2.0])), SPEC)
    assert made.step.tolist() == [np.float32(1) / 127, np.float32(2) / 127]
    four = QuantSpec(4, signed=True, symmetric=True, narrow_range=True)
    assert grid(-7.0, 7.0, four).quantize(np.float32([[-9, 2.5]]))[0].tolist() == [-7, 2]


def test_refusals():
    for spec in (QuantSpec(8), QuantSpec(8, signed=True, symmetric=True), QuantSpec(8, True)):
        assert "narrow_range" in MODE.accepts(Target(spec, PER_TENSOR, MODE))
    assert MODE.accepts(Target(SPEC, PER_TENSOR, MODE)) is None
    with pytest.raises(QvizError, match="no step"):
        grid(-np.inf, 1.0)
