"""Fake quantization as a mode: levels, ties, gradients, refusals."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.fake_quant import ByInverse, ByScale, FakeQuant
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range

MODE = QUANTIZERS.make("tf.fake_quant")
PER_CHANNEL = FakeQuant("vars_per_channel")
STEPS = MODE.quantizer(Range(-127.5, 127.5), QuantSpec(8))  # step 1, zero point 128
f32 = np.float32
BELOW = np.nextafter(f32(2.0**-126), f32(0))


def test_codes_and_levels():
    x = f32([[-200, -128, -0.5, 0, 0.49, 0.5, 127, 300]])
    assert STEPS.quantize(x).tolist() == [[0, 0, 128, 128, 128, 129, 255, 255]]
    assert STEPS.fake_quantize(x).tolist() == [[-128, -128, 0, 0, 0, 1, 127, 127]]
    assert STEPS.encode(x)[0, [0, -1]].tolist() == [-72, 428]
    assert STEPS.qparams() == {"scale": [1], "zero_point": [128]}
    assert STEPS.levels()[0, [0, 128, 255]].tolist() == [-128, 0, 127]


def test_nan_stays_and_infinities_saturate():
    got = STEPS.fake_quantize(f32([[np.nan, np.inf, -np.inf]]))
    assert np.isnan(got[0, 0]) and got[0, 1:].tolist() == [127, -128]


def test_a_distance_that_overflows_is_still_a_number():
    grid = MODE.quantizer(Range(-3e38, 0.0), QuantSpec(8))
    assert grid.encode(f32([[3e38]]))[0, 0] == np.finfo(f32).max
    assert grid.quantize(f32([[3e38]]))[0, 0] == 255


def test_the_ops_differ_at_ties():
    x = f32([[0.5]])
    bounds = f32([1]), f32([2])
    assert ByInverse(*bounds).fake_quantize(x)[0, 0] == f32(0.5019608)
    assert ByScale(*bounds).fake_quantize(x)[0, 0] == f32(0.49803925)


def test_a_group_of_zeros_among_others():
    grid = PER_CHANNEL.quantizer(Range(np.array([0.0, -1]), np.array([0.0, 1])), QuantSpec(8))
    x = f32([[5, np.nan, -3], [0, 5, np.nan]])
    got = grid.fake_quantize(x)
    assert got[0].tobytes() == f32([0.0, 0.0, 0.0]).tobytes()
    assert got[1, 0] == 0 and got[1, 1] == pytest.approx(1, abs=0.01) and np.isnan(got[1, 2])
    assert grid.quantize(x)[0].tolist() == grid.encode(x)[0].tolist() == [0, 0, 0]


def test_the_gradient_passes_from_nudged_end_to_nudged_end():
    x = f32([[-129, -128, 0, 127, 127.1, np.nan]])
    g = f32([[1, 2, 3, 4, -5, 6]])
    found = STEPS.backward(x, g)
    assert found.input.tobytes() == f32([[0, 2, 3, 4, -0.0, 0]]).tobytes()
    assert found.parameters["min"].tolist() == [[1, 0, 0, 0, 0, 0]]
    assert found.parameters["max"].tolist() == [[0, 0, 0, 0, -5, 0]]
    theirs = STEPS.backward(torch.from_numpy(x), torch.from_numpy(g))
    assert theirs.input.numpy().tobytes() == found.input.tobytes()


def test_masked_gradients_are_real_products():
    x = f32([[500, 500, 0, 0]])
    g = f32([[np.inf, np.nan, 1e-40, -1e-40]])
    got = STEPS.backward(x, g).input
    assert np.isnan(got[0, :2]).all()
    assert got[0, 2:].tobytes() == f32([0.0, -0.0]).tobytes()


def test_denormals_are_inside_a_range_that_starts_at_zero():
    grid = MODE.quantizer(Range(0.0, 255.0), QuantSpec(8))
    x = f32([[-BELOW, -(2.0**-126), BELOW]])
    found = grid.backward(x, np.ones((1, 3), f32))
    assert found.input.tolist() == [[1, 0, 1]]
    assert found.parameters["min"].tolist() == [[0, 1, 0]]


def test_a_group_of_zeros_hands_its_gradient_on():
    grid = PER_CHANNEL.quantizer(Range(np.array([0.0, 0]), np.array([0.0, 1])), QuantSpec(8))
    g = f32([[1e-40, -3], [1e-40, -3]])
    found = grid.backward(f32([[9, -9], [9, -9]]), g)
    assert found.input.tobytes() == f32([[1e-40, -3], [0.0, -0.0]]).tobytes()
    assert found.parameters["max"].tolist() == [[0, 0], [0, 0]]
    assert found.parameters["min"].tolist() == [[0, 0], [0, -3]]


@pytest.mark.parametrize("bits", [2, 5, 16])
@pytest.mark.parametrize("narrow", [False, True])
def test_numbers_of_bits(bits, narrow):
    grid = MODE.quantizer(Range(-1.0, 2.0), QuantSpec(bits, narrow_range=narrow))
    assert grid.ends == (int(narrow), 2**bits - 1)
    assert grid.step[0] == f32(3) / f32(2**bits - 1 - narrow)


@pytest.mark.parametrize(
    ("op", "granularity", "spec", "says"),
    [
        ("vars", "per_tensor", QuantSpec(8), None),
        ("args", "per_tensor", QuantSpec(2, narrow_range=True), None),
        ("vars_per_channel", "per_channel:0", QuantSpec(16), None),
        ("vars", "per_channel:0", QuantSpec(8), "choose vars_per_channel"),
        ("vars_per_channel", "per_tensor", QuantSpec(8), "choose vars or args"),
        ("vars", "per_token", QuantSpec(8), "per tensor and per channel"),
        ("vars", "per_tensor", QuantSpec(8, signed=True), "unsigned"),
        ("vars", "per_tensor", QuantSpec(8, symmetric=True), "symmetric"),
        ("vars", "per_tensor", QuantSpec(1), "2 to 16 bits"),
        ("vars", "per_tensor", QuantSpec(8, reduce_range=True), "from 0"),
    ],
)
def test_what_each_op_serves(op, granularity, spec, says):
    mode = FakeQuant(op)
    said = mode.accepts(Target.of(spec, Granularity.parse(granularity), mode))
    assert said is None if says is None else says in said


def test_ranges_without_a_step_are_refused():
    for lo, hi in ((1.0, 1.0), (-3e38, 3e38), (0.0, 1e-37)):
        with pytest.raises(QvizError, match="no step"):
            MODE.quantizer(Range(lo, hi), QuantSpec(8))
    with pytest.raises(InvalidArgument, match="min < max"):
        FakeQuant("args").quantizer(Range(0.0, 0.0), QuantSpec(8))
    assert MODE.quantizer(Range(0.0, 0.0), QuantSpec(8)).levels().any() == np.False_
