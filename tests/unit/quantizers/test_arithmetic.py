"""Arithmetic as data, on numbers worked out by hand."""

import numpy as np
import pytest

from qviz.quantizers.arithmetic import Arithmetic

ONE = np.ones(1, np.float32)
X = np.float32([[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]])


@pytest.mark.parametrize(
    ("tie", "codes"),
    [
        ("even", [-2, -2, 0, 0, 2, 2]),
        ("away", [-3, -2, -1, 1, 2, 3]),
        ("up", [-2, -1, 0, 1, 2, 3]),
        ("cut", [-2, -1, 0, 0, 1, 2]),
    ],
)
def test_ties(tie, codes):
    assert Arithmetic(tie, "float32", ONE).encode(X)[0].tolist() == codes


def test_half_up_adds_in_its_own_type():
    almost = np.float32([[0.49999997]])
    assert Arithmetic("up", "float32", ONE).encode(almost) == 1  # the sum rounds to 1
    assert Arithmetic("up", "float64", ONE).encode(almost) == 0


def test_where_the_zero_point_goes():
    three = np.array([3])
    after = Arithmetic("even", "float32", ONE, after=three)
    before = Arithmetic("even", "float32", ONE, before=three)
    assert after.encode(X)[0].tolist() == [1, 1, 3, 3, 5, 5]
    assert before.encode(X)[0].tolist() == [0, 2, 2, 4, 4, 6]
    assert (after.added, before.added) == ("after", "before")
    assert after.zero.tolist() == before.zero.tolist() == [3]
    none = Arithmetic("even", "float32", ONE)
    assert none.added == "none" and none.zero.tolist() == [0]


def test_counting_from_the_lower_end():
    how = Arithmetic("up", "float32", 2 * ONE, origin=-3 * ONE, after=np.array([10]))
    assert how.encode(np.float32([[-3, -2, 1]]))[0].tolist() == [10, 11, 12]
    assert (how.added, how.counts_from, how.zero) == ("none", "lower end", None)


def test_division_and_reciprocal_part_in_the_last_bits():
    scale, x = np.float32([0.3]), np.arange(1, 400, dtype=np.float32)[None]
    divides = Arithmetic("even", "float32", scale)
    inverts = Arithmetic("even", "float32", 1 / scale, False, True)
    times = Arithmetic("even", "float32", 1 / scale, False)
    assert (divides.unrounded(x) == x / scale).all()
    assert (inverts.unrounded(x) != divides.unrounded(x)).any()
    kinds = [how.quotient for how in (divides, inverts, times)]
    assert kinds == ["division", "reciprocal", "multiplier"]


def test_numbers_multiplied_in_and_a_sum_rounded_once():
    how = Arithmetic("even", "float64", np.array([4.0]), times=(6.0, 0.5))
    assert how.unrounded(np.float64([[2]])) == 1.5  # 2 * 6 / 4 * 0.5
    once = Arithmetic("even", "float32", ONE, False, before=ONE, once=lambda x, f, b: x * f + b)
    assert once.unrounded(X)[0].tolist() == [-1.5, -0.5, 0.5, 1.5, 2.5, 3.5]
