"""quantize_and_dequantize as a mode: the symmetric grid, its gradient, refusals."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow.round_trip import (
    MaskedRoundTrip,
    RoundTrip,
    RoundTripQuantizer,
    code_ends,
)
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range

MODE = QUANTIZERS.make("tf.quantize_and_dequantize")
SIGNED = QuantSpec(8, signed=True)
f32, f64 = np.float32, np.float64


def grid(lo, hi, ends=(-128, 127), kind=f32, **more):
    return RoundTripQuantizer(kind([lo]), kind([hi]), *ends, **more)


@pytest.mark.parametrize(
    ("args", "want"),
    [
        ((8, True, False), (-128, 127)),
        ((8, True, True), (-127, 127)),
        ((8, False, True), (0, 255)),
        ((1, True, False), (-1, 0)),
        ((62, False, False), (0, 2**62 - 1)),
    ],
)
def test_ends_of_the_codes(args, want):
    assert code_ends(*args) == want


@pytest.mark.parametrize(
    ("lo", "hi", "ends", "want"),
    [
        (-128, 127, (-128, 127), (1, 1, -128, 127)),
        (-128, 1, (-128, 127), (1, 1, -128, 127)),  # the low end decides
        (-1, 127, (-128, 127), (1, 1, -128, 127)),  # the high end decides
        (-64, 127, (-127, 127), (1, 1, -127, 127)),
        (-9, 255, (0, 255), (1, 1, 0, 255)),
        (3, 6, (-3, 3), (0.5, 2, -6, 6)),
        (0, 0, (-128, 127), (np.finfo(f32).max, 0, -0.0, 0)),
    ],
)
def test_the_narrower_side_gives_way(lo, hi, ends, want):
    assert [v[0] for v in grid(lo, hi, ends).terms] == list(want)


@pytest.mark.parametrize("kind", [f32, f64])
def test_ties_and_signs(kind):
    x = kind([[0.5, 1.5, -0.5, -0.2, -0.0, 300, -300, np.nan]])
    even = grid(-128, 127, kind=kind).fake_quantize(x)
    assert even.dtype == kind
    assert even.tobytes() == kind([[0, 2, -0.0, -0.0, -0.0, 127, -128, np.nan]]).tobytes()
    up = grid(-128, 127, kind=kind, round_mode="HALF_UP").fake_quantize(x)
    assert up.tobytes() == kind([[1, 2, 0, 0, 0, 127, -128, np.nan]]).tobytes()
    theirs = grid(-128, 127, kind=kind).fake_quantize(torch.from_numpy(x))
    assert theirs.numpy().tobytes() == even.tobytes()


def test_a_negative_denormal_is_minus_zero_even_where_the_range_starts_at_zero():
    got = grid(0, 255, (0, 255)).fake_quantize(f32([[-1e-40, -1, 1e-40]]))
    assert np.signbit(got).tolist() == [[True, False, False]] and not got.any()


def test_a_range_of_nothing():
    made = MODE.quantizer(Range(0.0, 0.0), SIGNED)
    x, top = f32([[9, -9, 0]]), np.finfo(f32).max
    assert made.encode(x).tolist() == [[top, -top, 0]]
    assert np.isinf(made.rounded(x)[0, :2]).all()
    assert not made.fake_quantize(x).any() and made.step[0] == 0


def test_many_bits():
    got = grid(-1, 1, code_ends(61, True, False), f64).fake_quantize(f64([[0.1]]))
    assert got[0, 0] == pytest.approx(0.1, abs=1e-16)


def test_gradients():
    x, g = f32([[-3, -1, 0, 1, 3]]), f32([[1, 2, 3, 4, -5]])
    bounds = f32([-1]), f32([1])
    assert RoundTripQuantizer(*bounds).backward(x, g).input is g
    got = MaskedRoundTrip(*bounds).backward(x, g).input
    assert got.tobytes() == f32([[0, 2, 3, 4, -0.0]]).tobytes()


def test_the_mask_takes_the_bounds_as_given():
    wide = MaskedRoundTrip(f32([-1]), f32([0.25]))  # the grid spans [-1, 0.99]
    assert wide.backward(f32([[0.5, 0.25]]), f32([[1, 1]])).input.tolist() == [[0, 1]]
    nothing = MaskedRoundTrip(f32([0]), f32([0]))
    assert nothing.backward(f32([[0, 1e-40, 1]]), f32([[1, 1, 1]])).input.tolist() == [[1, 1, 0]]


def test_versions_and_types():
    made = {v: RoundTrip(v).quantizer(Range(-1.0, 1.0), SIGNED) for v in ("V2", "V3", "V4")}
    assert [type(q).__name__ for q in made.values()] == [
        "RoundTripQuantizer",
        "RoundTripQuantizer",
        "MaskedRoundTrip",
    ]
    wide = RoundTrip(T="float64", round_mode="HALF_UP").quantizer(Range(-1.0, 1.0), SIGNED)
    assert wide.fake_quantize(f32([[0.3]])).dtype == f64
    assert wide.round_mode == "HALF_UP"


@pytest.mark.parametrize(
    ("knobs", "granularity", "spec", "says"),
    [
        ({}, "per_tensor", SIGNED, None),
        ({}, "per_tensor", QuantSpec(16), None),
        ({"version": "V3"}, "per_channel:0", SIGNED, None),
        ({"version": "V4"}, "per_channel:0", SIGNED, "V3 also one per channel"),
        ({"version": "V3", "round_mode": "HALF_UP"}, "per_tensor", SIGNED, "half to even"),
        ({}, "per_tensor", QuantSpec(8, narrow_range=True), "narrow_range if signed"),
        ({}, "per_tensor", QuantSpec(8, symmetric=True), "signed codes only"),
        ({}, "per_tensor", QuantSpec(8, signed=True, symmetric=True, narrow_range=True), None),
    ],
)
def test_what_the_mode_serves(knobs, granularity, spec, says):
    mode = RoundTrip(**knobs)
    said = mode.accepts(Target.of(spec, Granularity.parse(granularity), mode))
    assert said is None if says is None else says in said


def test_unsigned_codes_for_a_range_below_zero_are_refused():
    with pytest.raises(QvizError, match="Use signed codes"):
        MODE.quantizer(Range(-2.0, -1.0), QuantSpec(8))
    with pytest.raises(QvizError, match="too wide"):
        MODE.quantizer(Range(0.0, 1.0), QuantSpec(1, signed=True))
