"""Codes of floats and what they stand for."""

import struct

import numpy as np
import pytest

from qviz.stats.patterns import complete, count, ends, infinity


def code_of(value, bits):
    """Leading bits of the float32 pattern, by the standard library."""
    return struct.unpack("<I", struct.pack("<f", value))[0] >> (32 - bits)


VALUES = [0.0, -0.0, 1.0, -1.0, 1.0078125, 3.5, -1e-40, 1e38, np.inf, -np.inf]


@pytest.mark.parametrize("bits", [16, 20])
def test_counts_are_of_leading_bits(bits):
    got = count(np.array([VALUES], np.float32), bits)
    wanted = np.zeros(1 << bits, np.int64)
    for value in VALUES:
        wanted[code_of(value, bits)] += 1
    assert got.shape == (1, 1 << bits)
    assert (got[0] == wanted).all()


def test_float16_is_its_own_code():
    patterns = np.arange(65_536, dtype=np.uint16)
    rows = np.stack([patterns, patterns[::-1]]).view(np.float16)
    assert (count(rows, 16) == 1).all()


@pytest.mark.parametrize("bits", [16, 20])
def test_blocks_of_any_layout_are_all_counted(bits):
    x = np.random.default_rng(0).normal(size=(200_001, 2)).astype(np.float32)
    table = count(x.T, bits)
    codes = np.ascontiguousarray(x.T).view(np.uint32) >> (32 - bits)
    for group in (0, 1):
        assert (table[group] == np.bincount(codes[group], minlength=1 << bits)).all()


def test_infinity_is_the_first_code_without_finite_values():
    assert infinity("float32", 16) == 0x7F80
    assert infinity("float32", 20) == 0x7F800
    assert infinity("float16", 16) == 0x7C00


def test_ends_are_the_least_and_the_greatest_float_of_a_code():
    lo, hi = ends("float32", 16, np.array([0x3F80, 0, 0x7F7F]))
    assert lo.tolist() == [1.0, 0.0, float(np.float32(3.3895314e38))]
    top = float(np.finfo(np.float32).max)
    assert hi.tolist() == [1 + 2.0**-7 - 2.0**-23, 65_535 * 2.0**-149, top]
    lo, hi = ends("float16", 16, np.array([0x3C00, 1]))
    assert lo.tolist() == hi.tolist() == [1.0, 2.0**-24]


@pytest.mark.parametrize(
    ("values", "dtype", "bits", "whole"),
    [
        ([1.0, 255.0, -0.0, np.inf, np.nan], "float32", 16, True),
        ([1.0, 257.0], "float32", 16, False),  # nine leading digits
        ([1.0, 257.0, 4095.0], "float32", 20, True),
        ([1.0, 4097.0], "float32", 20, False),
        ([0.5, np.nan, -np.inf], "float64", 16, True),
        ([0.1], "float64", 20, False),
        ([1e300], "float64", 16, False),  # beyond float32
        ([0.1, 65504.0], "float16", 16, True),
    ],
)
def test_complete_says_whether_codes_give_the_values_back(values, dtype, bits, whole):
    rows = np.array([values], dtype)
    with np.errstate(over="ignore"):
        counted = rows if dtype == "float16" else rows.astype(np.float32)
    assert complete(rows, counted, bits) is whole


def test_one_late_element_is_enough():
    rows = np.ones((1, 5000), np.float32)
    rows[0, -1] = 257
    assert complete(rows, rows, 16) is False


def test_digits_of_a_nan_do_not_matter():
    rows = np.array([[0x7F800001, 0x3F800000]], np.uint32).view(np.float32)
    assert complete(rows, rows, 16) is True
