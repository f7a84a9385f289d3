"""Bits by numbers whose patterns stand in every text book."""

import numpy as np
import pytest
import torch

from qviz.errors import QvizError
from qviz.pipeline.element_bits import bits_of


def one(value, kind="float32"):
    return bits_of(np.array([value], kind))


def test_minus_six_and_a_half():
    found = one(-6.5)  # -1.625 * 2^2, exponent 129
    assert (found.sign, found.exponent, found.mantissa) == ("1", "10000001", "101" + "0" * 20)
    assert (found.case, found.power, found.significand) == ("normal", 2, 1.625)
    assert len(found.text) == 32


@pytest.mark.parametrize(
    ("kind", "exponent", "mantissa"),
    [("float16", "01111", "1000000000"), ("float64", "01111111111", "1" + "0" * 51)],
)
def test_one_and_a_half_in_other_types(kind, exponent, mantissa):
    found = one(1.5, kind)
    assert (found.kind, found.exponent, found.mantissa) == (kind, exponent, mantissa)
    assert (found.power, found.significand) == (0, 1.5)


def test_bfloat16_is_the_upper_half_of_a_float32():
    found = bits_of(torch.tensor([-0.15625], dtype=torch.bfloat16))  # -1.25 * 2^-3
    assert (found.kind, found.text) == ("bfloat16", "1" + "01111100" + "0100000")
    assert (found.power, found.significand) == (-3, 1.25)


@pytest.mark.parametrize(
    ("value", "case", "power", "significand"),
    [
        (0.0, "zero", -126, 0.0),
        (2.0**-149, "subnormal", -126, 2.0**-23),
        (np.inf, "infinite", 0, 0.0),
        (2.0**-126, "normal", -126, 1.0),
    ],
)
def test_cases(value, case, power, significand):
    found = one(value)
    assert (found.case, found.power, found.significand) == (case, power, significand)


def test_nan_and_minus_zero():
    assert one(np.nan).case == "nan"
    assert (one(-0.0).sign, one(-0.0).case) == ("1", "zero")


def test_integers_are_shown_as_they_are_counted():
    assert one(3, "int8").kind == "float32" and one(3, "int8").significand == 1.5
    assert one(3, "int64").kind == "float64"


def test_several_values_have_no_bits():
    with pytest.raises(QvizError, match="2 values"):
        bits_of(np.zeros(2, np.float32))
