"""Headings and columns of the Rosetta page."""

import numpy as np
import pytest

from qviz.figures.rosetta_words import (
    at_most,
    headline,
    hidden,
    letter,
    notice,
    reason,
    share,
    span,
)
from qviz.rosetta.comparison import Row, compared
from tests.unit.rosetta.made import ORT, TF, TORCH, every, of

NAN, INF = float("nan"), float("inf")
OF, OTHERS = "of the stored", "of the values differ,"
REASONS = [
    ((-0.5, 2.5), "the zero point falls on a tie or just beside it"),
    ((-1.0, 1.0), "the zero point falls on a tie or just beside it"),
    ((-1e300, 1e300), "the range overflows float32"),
    ((1.0, 3.0), "zero lies outside it"),
    ((-22.0, -15.0), "zero lies outside it"),
    ((-1e-8, 1e-8), "the step is smaller than some allow"),
    ((0.0, 0.0), "the range has no width"),
    ((2.0, 2.0), "zero lies outside it"),
    ((NAN, NAN), "the range is not finite"),
    ((-INF, INF), "the range is not finite"),
    ((2.0, 1.0), "the range ends below its start"),
    ((-0.3, 2.0), "they part at mirroring, codes and arithmetic"),
]


@pytest.mark.parametrize(("lo_hi", "expected"), REASONS)
def test_what_explains_most(lo_hi, expected):
    assert reason(every(*lo_hi, kind="framework")) == expected


def test_a_heading_counts_rules_and_answers():
    x = np.float32([0.1, 1.7])
    found = compared([of(n, -0.5, 2.5) for n in (TORCH, TF, ORT)], x, TORCH)
    assert headline(found) == "3 rules, 2 answers on [−0.5, 2.5]: the zero point falls on a tie"
    none = compared([of(n, 0, 0) for n in (TORCH, TF, ORT)], np.zeros(3, np.float32), TORCH)
    assert headline(none) == "3 rules, 1 answer on [0, 0], where only 0 is compared"
    alike = compared([of(n, -0.5, 2.5) for n in (TORCH, ORT)], x)
    assert headline(alike) == "2 rules, 1 answer on [−0.5, 2.5]"


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0.0, 0.0, 0.0), "No element notices."),
        ((1.0, 0.0, 0.0), "No value notices; every stored code does."),
        ((0.25, 0.0, 0.0), "No value notices; 25 % of the codes do."),
        ((0.0, 0.5, 2e-5), "No stored code notices; 50 % of the values do, by last bits."),
        ((0.125, 0.125, 1.0), "12.5 % of the stored codes and values differ, by at most 1 step."),
        ((1.0, 1.0, 1.3), "All of the stored codes and values differ, by at most 1.3 steps."),
        ((1.0, 0.5, 12.34), f"All {OF} codes and 50 % {OTHERS} by at most 12.3 steps."),
        ((0.5, 1.0, None), "50 % of the stored codes and all of the values differ."),
        ((None, None, None), ""),
    ],
)  # fmt: skip
def test_who_notices(numbers, expected):
    assert notice(Row(of(TORCH, 0, 1), 1, *numbers)) == expected
    assert notice(Row(of(ORT, NAN, 1), 1, *numbers)) == ""


def test_cells():
    assert [share(v) for v in (None, 0.0, 1.0, 0.5, 0.99999)] == [
        "–", "same", "all", "50 %", "> 99.9 %",
    ]  # fmt: skip
    assert [at_most(v) for v in (None, 0.0, 1e-9, 1.0, 0.5, 171.2)] == [
        "", "", "last bits", "1 step", "0.5 steps", "171 steps",
    ]  # fmt: skip
    assert span(-1.0, NAN) == "[−1, NaN]"


def test_letters():
    assert [letter(n) for n in (0, 25, 26, 27, 52)] == ["A", "Z", "AA", "AB", "BA"]


def test_one_answer_can_hide_other_scales():
    """Only 0 is compared: 2^-23, 1 and 0 as scales all bring it back."""
    found = compared([of(n, 0, 0) for n in (TORCH, TF, ORT)], np.zeros(1, np.float32), TORCH)
    assert hidden(found) == "A holds 3 scales, 0 to 1: no value compared on tells them apart."
    assert hidden(compared([of(n, 0, 1) for n in (TORCH, ORT)], np.float32([0.2]), TORCH)) == ""
