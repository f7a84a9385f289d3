import math

import pytest

from qviz.figures import numbers as n


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (2.0, "2"),
        (-6.034, "−6.03"),
        (5.2796, "5.28"),
        (109.4, "109"),
        (1234.5, "1,234"),
        (99_949.0, "99,949"),
        (99_999.7, "10⁵"),
        (123_456.0, "1.23×10⁵"),
        (0.001, "0.001"),
        (9.996e-4, "0.001"),
        (-6.87e-4, "−6.87×10⁻⁴"),
        (1e-4, "10⁻⁴"),
        (-1e-12, "−10⁻¹²"),
        (0.7543, "0.754"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_number(x, text):
    assert n.number(x) == text


def test_number_takes_more_digits():
    assert n.number(0.7543, 4) == "0.7543"
    assert n.number(127.5, 4) == "127.5"


@pytest.mark.parametrize(
    ("x", "text"),
    [(12.74, "12.7"), (-0.04, "0.0"), (-3.06, "−3.1"), (1234.0, "1,234.0"), (None, "–")],
)
def test_fixed(x, text):
    assert n.fixed(x) == text


def test_decibels_carry_their_unit():
    assert n.decibels(12.24) == "12.2 dB"
    assert n.decibels(-0.005, 2) == "−0.01 dB"
    assert n.decibels(None) == "–"
    assert n.decibels(math.nan) == "–"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (1234, "1,234"),
        (65_536, "65,536"),
        (999_999, "999,999"),
        (1_000_000, "1 M"),
        (10_000_000, "10 M"),
        (12_845_056, "12.8 M"),
        (999_999_999, "1 G"),
        (1_540_000_000, "1.54 G"),
        (None, "–"),
    ],
)
def test_count(count, text):
    assert n.count(count) == text


def test_integer_has_a_true_minus():
    assert n.integer(-128) == "−128"
    assert n.integer(65_536) == "65,536"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.9999, "> 99.9 %"),
        (0.9994, "99.9 %"),
        (0.00502, "0.502 %"),
        (0.2, "20 %"),
        (1e-6, "< 0.001 %"),
        (1e-5, "0.001 %"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_percent(share, text):
    assert n.percent(share) == text


def test_numbers_are_written_until_they_differ():
    assert n.until_they_differ(127.5, 127.5039) == ("127.5", "127.504")
    assert n.until_they_differ(1.0, 2.0) == ("1", "2")
    assert n.until_they_differ(1.0, 1.0) == ("1", "1")
    assert n.until_they_differ(None, 1.0) == ("–", "1")
    assert n.until_they_differ(1.0, 1.0 + 2**-52) == ("1", "1.0000000000000002")


def test_interval():
    assert n.interval(-6.034, 5.28) == "[−6.03, 5.28]"
    assert n.interval(1000.1, 1000.3) == "[1,000.1, 1,000.3]"
    assert n.interval(None, None) == "[–, –]"


def test_power_of_ten():
    assert [n.power_of_ten(k) for k in (0, 1, 6, -4)] == ["1", "10", "10⁶", "10⁻⁴"]
