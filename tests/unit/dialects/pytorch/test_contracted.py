"""Product and sum with one rounding."""

from fractions import Fraction

import numpy as np
import torch

from qviz.dialects.pytorch.contracted import multiply_add


def test_one_rounding():
    a = np.float32(1 + 2**-12)
    got = multiply_add(np.array([a]), np.array([a]), np.array([-1.0], np.float32))
    assert got.dtype == np.float32
    assert Fraction(float(got[0])) == Fraction(2**-11) + Fraction(2**-24)
    assert np.float32(a * a) - np.float32(1) != got[0]  # two roundings lose the last term


def test_a_sum_half_way_in_float64_is_decided_by_what_was_lost():
    # 1 + 2^-24 lies half-way between two float32 numbers; the product adds 2^-60, or takes it
    one = np.ones(2, np.float32)
    tiny = np.float32([2.0**-36, -(2.0**-36)])
    addend = np.float32(2.0**-24)
    got = multiply_add(tiny, np.full(2, np.float32(2.0**-24)), np.full(2, addend))
    assert got.tolist() == [2.0**-24, 2.0**-24]  # far below the last digit here
    near = multiply_add(one, np.float32([1 + 2**-23] * 2), np.float32([2**-24, 2**-24 - 2**-48]))
    assert near.tolist() == [1 + 2**-22, 1 + 2**-23]


def test_tensors_and_float64():
    a, b, c = (np.float32([v]) for v in (1 + 2**-12, 1 + 2**-12, -1))
    got = multiply_add(*(torch.from_numpy(v) for v in (a, b, c)))
    assert got.numpy().tolist() == multiply_add(a, b, c).tolist()
    wide = multiply_add(*(v.astype(np.float64) for v in (a, b, c)))
    assert wide.dtype == np.float64 and wide[0] == 2**-11 + 2**-24
