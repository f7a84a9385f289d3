"""Denormals, comparisons and quotients as TensorFlow's kernels have them."""

import numpy as np
import torch

from qviz.dialects.tensorflow.float32 import flushed, larger, ratio, smaller
from tests.golden.loader import same

LEAST = np.float32(2.0**-126)
BELOW = np.nextafter(LEAST, np.float32(0))


def test_denormals_become_the_zero_of_their_sign():
    x = np.float32([BELOW, -BELOW, LEAST, -LEAST, 1, np.nan, np.inf])
    want = np.float32([0.0, -0.0, LEAST, -LEAST, 1, np.nan, np.inf])
    with np.errstate(all="ignore"):
        assert same(flushed(x), want)
        assert same(flushed(torch.from_numpy(x)).numpy(), want)


def test_a_nan_stays_in_the_first_place_only():
    nan, one = np.float32(np.nan), np.float32(1)
    assert np.isnan(smaller(nan, one)) and np.isnan(larger(nan, one))
    assert smaller(one, nan) == larger(one, nan) == 1
    assert (smaller(one, np.float32(2)), larger(one, np.float32(2))) == (1, 2)


def test_ratio_is_divided_in_float64():
    a, b = np.float32([255, 1]), np.float32([1.7, 2e38])
    assert same(ratio(a, b), np.float32([255 / np.float64(b[0]), 0]))  # 5e-39 is a denormal
