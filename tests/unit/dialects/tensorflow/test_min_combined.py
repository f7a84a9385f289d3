"""MIN_COMBINED: ties, odd values, 32 bits that wrap."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow import dequantize, quantize
from qviz.dialects.tensorflow.min_combined import MinCombined, MinCombinedQuantizer
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range

MODE = QUANTIZERS.make("tf.min_combined")
BYTE = MODE.quantizer(Range(0.0, 255.0), QuantSpec(8))
SIGNED = MODE.quantizer(Range(0.0, 255.0), QuantSpec(8, signed=True))
f32 = np.float32


def test_unsigned_ties_go_up():
    x = f32([[0.5, 1.5, 254.49, 300, -3, np.nan, np.inf, -np.inf]])
    want = [[1, 2, 254, 255, 0, 0, 255, 0]]
    assert BYTE.quantize(x).tolist() == want
    assert BYTE.quantize(torch.from_numpy(x)).tolist() == want


def test_signed_ties_go_away_from_zero():
    x = f32([[0, 0.5, 127.5, 128.5, 254.5, np.nan]])
    assert SIGNED.quantize(x).tolist() == [[-128, -128, -1, 1, 127, 0]]


def test_codes_before_clamping():
    assert BYTE.encode(f32([[-3, 300, np.nan]])).tolist() == [[-3, 300, 0]]
    assert SIGNED.encode(f32([[-3, 300]])).tolist() == [[-131, 172]]


def test_a_distance_that_overflows_is_still_a_number():
    grid = MODE.quantizer(Range(-3e38, 100.0), QuantSpec(8))
    assert grid.encode(f32([[3e38]]))[0, 0] == np.finfo(f32).max
    assert grid.quantize(f32([[3e38]]))[0, 0] == 255


def test_levels_run_from_end_to_end():
    grid = MODE.quantizer(Range(-1.0, 2.0), QuantSpec(8))
    assert grid.levels(0, 255)[0, [0, -1]].tolist() == [-1, 2]
    assert grid.step[0] == f32(3) / f32(255)
    signed = MODE.quantizer(Range(-1.0, 2.0), QuantSpec(8, signed=True))
    assert np.array_equal(signed.levels(), grid.levels())


def test_thirty_two_bits_wrap_at_the_top():
    grid = MinCombinedQuantizer(f32([-1]), f32([1]), 32, True)
    assert grid.quantize(f32([[-1, 0, 1, 5]])).tolist() == [[-(2**31), 0, -(2**31), -(2**31)]]


def test_a_width_that_overflows_gives_nan_and_nan_is_zero():
    codes, lo, hi = quantize(f32([0, 1, 3e38]), -3e38, 3e38, "qint8")
    assert codes.tolist() == [-128, -128, 0]  # 3e38 - lo is infinite, and times 0 it is NaN
    assert (lo, hi) == (f32(-3e38), f32(3e38))


def test_no_width():
    codes, lo, hi = quantize(f32([0, 5, -5]), 0.0, 0.0, "quint8", ensure_minimum_range=0.0)
    assert codes.tolist() == [0, 0, 0] and lo == hi == 0


def test_each_bound_counts_when_dequantizing():
    assert dequantize(np.uint8([0, 255]), 1.0, 3.0).tolist() == [1, 3]
    assert dequantize(np.uint8([0, 255]), 3.0, 1.0).tolist() == [3, 1]
    assert dequantize(np.int8([-128, 127]), -1.0, 3.0).tolist() == [-1, 3]


def test_the_knob_matters():
    wide = MinCombined(2.0).quantizer(Range(0.0, 0.5), QuantSpec(8))
    assert (wide.lo[0], wide.hi[0]) == (0, 2)


@pytest.mark.parametrize(
    ("spec", "says"),
    [(QuantSpec(8), None), (QuantSpec(8, signed=True, symmetric=True), "symmetric")],
)
def test_codes_that_the_mode_has(spec, says):
    said = MODE.accepts(Target.of(spec, Granularity("per_channel", 0), MODE))
    assert said is None if says is None else says in said


def test_a_width_that_overflows_is_refused_as_a_mode():
    with pytest.raises(QvizError, match="too wide"):
        MODE.quantizer(Range(-3e38, 3e38), QuantSpec(8))
