"""SCALED: one step for both sides, real 0 at code 0."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow import dequantize, quantize
from qviz.dialects.tensorflow.scaled import FLT_MAX, Scaled, ScaledQuantizer, spread
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range

MODE = QUANTIZERS.make("tf.scaled")
f32 = np.float32


def spec(signed=True, narrow=False, **more):
    return QuantSpec(8, signed=signed, narrow_range=narrow, **more)


@pytest.mark.parametrize(
    ("lo", "hi", "ends", "want"),
    [
        (-1, 1, (-128, 127), (-1.007874, 1, 127)),
        (-1, 1, (-127, 127), (-1, 1, 127)),
        (-2, 1, (-128, 127), (-2, 1.984375, 64)),
        (-2, 1, (0, 255), (0, 1, 255)),
        (-2, 1, (1, 255), (1 / 255, 1, 255)),
        (-2, 0, (-128, 127), (-2, 1.984375, 64)),
        (-2, 0, (0, 255), (0, 7.4937640e-37, FLT_MAX)),
        (0, 0, (-128, 127), (-3.7615827e-37, 3.7321956e-37, FLT_MAX)),
    ],
)
def test_the_output_range_and_the_multiplier(lo, hi, ends, want):
    got = [v[0] for v in spread(f32([lo]), f32([hi]), ends)]
    assert got == pytest.approx([f32(v) for v in want], rel=1e-7)


def test_ties():
    grid = MODE.quantizer(Range(-127.0, 127.0), spec(narrow=True))
    x = f32([[0.5, 1.5, -0.5, -1.5, 200, -200, np.nan, np.inf]])
    want = [[1, 2, -1, -2, 127, -127, 0, 127]]
    assert grid.quantize(x).tolist() == want
    assert grid.quantize(torch.from_numpy(x)).tolist() == want
    even = Scaled("HALF_TO_EVEN").quantizer(Range(-127.0, 127.0), spec(narrow=True))
    assert even.quantize(x).tolist() == [[0, 2, 0, -2, 127, -127, 0, 127]]


def test_the_lowest_code_is_used_unless_the_range_is_narrow():
    codes, lo, hi = quantize(f32([-9]), -1.0, 1.0, "qint8", "SCALED")
    assert codes.tolist() == [-128] and (lo, hi) == (f32(-128) / f32(127), 1)
    codes, lo, hi = quantize(f32([-9]), -1.0, 1.0, "qint8", "SCALED", narrow_range=True)
    assert codes.tolist() == [-127] and (lo, hi) == (-1, 1)


def test_unsigned_codes_ignore_what_is_below_zero():
    codes, lo, hi = quantize(f32([-2, -0.1, 0.5, 1]), -2.0, 1.0, "quint8", "SCALED")
    assert codes.tolist() == [0, 0, 128, 255] and (lo, hi) == (0, 1)
    codes = quantize(f32([-2, 1]), -2.0, 1.0, "quint8", "SCALED", narrow_range=True)[0]
    assert codes.tolist() == [1, 255]


def test_a_range_below_zero_sends_all_that_is_above_to_the_top():
    codes = quantize(f32([1e-30, -1, 0]), -2.0, -1.0, "quint8", "SCALED")[0]
    assert codes.tolist() == [255, 0, 0]


def test_a_range_below_zero_as_a_mode():
    grid = MODE.quantizer(Range(-2.0, -1.0), spec(signed=False))
    assert not grid.levels().any() and grid.step[0] == 0
    top = np.finfo(f32).max
    assert grid.encode(f32([[9, -9]])).tolist() == [[top, -top]]
    with pytest.raises(QvizError, match="no codes from 1 up"):
        MODE.quantizer(Range(-2.0, -1.0), spec(signed=False, narrow=True))


def test_thirty_two_bits_wrap_at_the_top():
    codes = quantize(f32([1, -1, 0.5]), -1.0, 1.0, "qint32", "SCALED")[0]
    assert codes.tolist() == [-(2**31), -(2**31), 2**30]


@pytest.mark.parametrize(
    ("lo", "hi", "narrow", "want"),
    [
        (-1, 0.5, False, [-1, 127 / 128]),
        (-1, 0.5, True, [-128 / 127, 1]),
        (-0.1, 1, True, [-128 / 127, 1]),
    ],
)
def test_dequantizing_takes_the_larger_step(lo, hi, narrow, want):
    got = dequantize(np.int8([-128, 127]), lo, hi, "SCALED", narrow_range=narrow)
    assert got == pytest.approx(want, rel=1e-6)


def test_dequantizing_unsigned_codes_takes_the_high_end():
    for narrow in (False, True):
        got = dequantize(np.uint8([0, 51, 255]), -7.0, 5.0, "SCALED", narrow_range=narrow)
        assert got == pytest.approx([0, 1, 5])


def test_the_step_of_nothing_is_minus_zero():
    got = dequantize(np.int8([-1, 0, 1]), 0.0, 0.0, "SCALED")
    assert np.signbit(got).tolist() == [False, True, True] and not got.any()


def test_codes_before_clamping():
    grid = MODE.quantizer(Range(-127.0, 127.0), spec(narrow=True))
    assert grid.ends == (-127, 127) and grid.step[0] == 1
    assert grid.encode(f32([[200, -200, np.nan]])).tolist() == [[200, -200, 0]]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (spec(), None),
        (spec(symmetric=True), None),
        (spec(signed=False, narrow=True), None),
        (spec(signed=False, symmetric=True), "signed codes only"),
        (QuantSpec(4), "8 and 16 bits"),
    ],
)
def test_codes_that_the_mode_has(asked, says):
    said = MODE.accepts(Target.of(asked, Granularity("per_channel", 1), MODE))
    assert said is None if says is None else says in said


def test_the_knobs_matter():
    grid = Scaled(ensure_minimum_range=2.0).quantizer(Range(0.0, 0.5), spec(signed=False))
    assert grid.hi[0] == 2
    assert ScaledQuantizer(*[f32([1])] * 3).round_mode == "HALF_AWAY_FROM_ZERO"
