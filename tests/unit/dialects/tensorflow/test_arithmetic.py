"""Denormals, comparisons, quotients and integer conversion as TensorFlow's kernels have them."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow import arithmetic
from qviz.dialects.tensorflow.arithmetic import (
    bounded,
    clipped,
    edges,
    flushed,
    flusher,
    larger,
    masked,
    ratio,
    round_up,
    smaller,
    whole,
)
from tests.golden.loader import same

f32 = np.float32
LEAST = f32(2.0**-126)
BELOW = np.nextafter(LEAST, f32(0))
NAN, INF = np.nan, np.inf


def test_denormals_become_the_zero_of_their_sign():
    x = f32([BELOW, -BELOW, LEAST, -LEAST, 1, NAN, INF])
    want = f32([0.0, -0.0, LEAST, -LEAST, 1, NAN, INF])
    assert same(flushed(x), want)
    assert same(flushed(torch.from_numpy(x)).numpy(), want)


def test_float64_has_denormals_of_its_own():
    x = np.float64([1e-310, -1e-310, 1e-40])
    assert same(flushed(x), np.float64([0.0, -0.0, 1e-40]))


@pytest.mark.parametrize(
    ("parameters", "idle"),
    [
        ([1, -0.5, 0], True),
        ([2.0**-100, -(2.0**100)], True),
        ([2.0**-101], False),
        ([2.0**101], False),
        ([1, NAN], False),
        ([INF], False),
    ],
)
def test_flushing_is_left_out_where_it_could_not_show(parameters, idle):
    chosen = flusher(f32(1), f32(parameters))
    assert (chosen is not flushed) == idle
    if idle:
        x = f32([BELOW])
        assert chosen(x) is x


def test_a_nan_stays_in_the_first_place_only():
    nan, one, two = f32(NAN), f32(1), f32(2)
    assert np.isnan(smaller(nan, one)) and np.isnan(larger(nan, one))
    assert smaller(one, nan) == larger(one, nan) == 1
    assert (smaller(one, two), larger(one, two)) == (1, 2)
    assert same(smaller(f32([-0.0]), f32([0.0])), f32([-0.0]))


@pytest.mark.parametrize(
    ("lo", "hi", "want"),
    [
        (-1, 2, [-1, 0, 2, NAN, 2]),
        (2, 1, [2, 2, 2, NAN, 2]),  # the low end wins
        (NAN, 2, [-5, 0, 2, NAN, 2]),
        (-1, NAN, [-1, 0, 5, NAN, INF]),
        (NAN, NAN, [-5, 0, 5, NAN, INF]),
    ],
)
def test_clipping(lo, hi, want):
    x = f32([[-5, 0, 5, NAN, INF]])
    assert same(clipped(x, f32([lo]), f32([hi])), f32([want]))
    assert same(clipped(torch.from_numpy(x), f32([lo]), f32([hi])).numpy(), f32([want]))


def test_edges_include_denormals_at_zero():
    lo, hi = edges(f32([0, -1, 0.5]), f32([1, 0, 2]))
    assert same(lo, f32([-BELOW, -1, 0.5]))
    assert same(hi, f32([1, BELOW, 2]))
    assert (lo[0] <= -BELOW) and not (lo[0] <= -LEAST)
    assert edges(np.float64([0]), np.float64([0]))[1][0] == np.nextafter(2.0**-1022, 0)


def test_a_mask_is_a_real_product():
    with np.errstate(invalid="ignore"):
        got = masked(f32([-3, 3, INF, NAN, -2]), np.array([False, False, False, False, True]))
    assert same(got, f32([-0.0, 0.0, NAN, NAN, -2]))


def test_ratio_is_divided_in_float64():
    a, b = f32([255, 1]), f32([1.7, 2e38])
    assert same(ratio(a, b), f32([255 / np.float64(b[0]), 0]))  # 5e-39 is a denormal


def test_integers():
    y = f32([NAN, INF, -INF, 2.0**31, 2147484160, -(2.0**31), -2147483904, 5])
    assert whole(y, 32).tolist() == [0, 0, 0, -(2**31), -2147483136, -(2**31), 2147483392, 5]
    assert whole(f32([NAN, INF, 127]), 8).tolist() == [0, 0, 127]


def test_infinite_codes_are_bounded():
    top = np.finfo(f32).max
    got = bounded(f32([INF, -INF, NAN, 3]))
    assert same(got, f32([top, -top, NAN, 3]))
    assert bounded(np.float64([INF]))[0] == np.finfo(np.float64).max


def test_half_up_adds_in_the_working_type():
    below = np.nextafter(f32(0.5), f32(0))
    assert round_up(f32([below, 0.5, -0.5, 1.49])).tolist() == [1, 1, 0, 1]
    assert round_up(np.float64([float(below)])).tolist() == [0]


def test_limits_are_those_of_the_types():
    assert arithmetic.TINY == {k: float(np.finfo(k).tiny) for k in ("float32", "float64")}
