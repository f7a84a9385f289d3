"""Answers to ranges, ordinary and not; they never raise."""

import math
from itertools import product

import pytest

from qviz.rosetta import answer, rules
from qviz.rosetta.ruleset import rule_called

NAN, INF = math.nan, math.inf
ENDS = (NAN, -INF, -3e38, -1e-8, 0.0, 2.0, 1e300)
TORCH, TF, ORT = "torch.affine uint8", "tf.fake_quant uint8", "ort.affine uint8"
DOC, GPU = "mindspore.default@doc int8", "mindspore.default@gpu uint8"
WITHOUT = ("NaN", "infinite", "raises", "not asked")
QINT8, FIFTH = "torch.affine int8 sym.", 3 / 255


def of(name, lo, hi):
    return answer(rule_called(name), lo, hi)


@pytest.mark.parametrize("ends", list(product(ENDS, ENDS)))
def test_no_range_makes_an_answer_raise(ends):
    for rule in rules():
        given = answer(rule, *ends)
        assert (given.quantizer is None) == (given.refused is not None)
        assert (given.quantizer is None) <= (given.degenerate in WITHOUT)


ZEROS = [  # the table of one range and many rules, worked out by hand or measured elsewhere
    (TORCH, -0.5, 2.5, FIFTH, 42),
    (ORT, -0.5, 2.5, FIFTH, 42),
    (TF, -0.5, 2.5, FIFTH, 43),
    (DOC, -0.5, 2.5, FIFTH, -85),
    (TORCH, -1, 1, 2 / 255, 127),
    (ORT, -1, 1, 2 / 255, 128),
    (TF, -1, 1, 2 / 255, 127),
    (DOC, -1, 1, 2 / 255, -1),
    (TORCH, -6, 6, 12 / 255, 128),
    (TF, -6, 6, 12 / 255, 128),
    (DOC, -6, 6, 12 / 255, 0),
    (TORCH, 1, 3, 3 / 255, 0),
    (TF, 1, 3, 2 / 255, 0),
    (DOC, 1, 3, 3 / 255, -128),
    (TORCH, -1e-8, 1e-8, 2.0**-23, 0),
    (ORT, -1e-8, 1e-8, 2e-8 / 255, 128),
    (TF, -1e-8, 1e-8, 2e-8 / 255, 128),
    (DOC, -1e-8, 1e-8, 2e-8 / 255, 0),
    (TORCH, 0, 0, 2.0**-23, 0),
    ("torch.affine int8 sym.", 0, 0, 2.0**-23, 0),
    (ORT, 0, 0, 1.0, 0),
    (TORCH, 2, 2, 2 / 255, 0),
    (TORCH, -22, -15, 22 / 255, 255),
    (QINT8, -1, 1, 2 / 255, 0),
    ("ort.affine int8 sym. narrow", -1, 1, 1 / 127, 0),
    ("tf.scaled int8 sym. narrow", -1, 1, 1 / 127, 0),
    ("nvidia.amax int8 sym. narrow", -1, 1, 1 / 127, 0),
]


@pytest.mark.parametrize(("name", "lo", "hi", "scale", "zero"), ZEROS)
def test_scale_and_zero_point(name, lo, hi, scale, zero):
    given = of(name, lo, hi)
    assert given.scale == pytest.approx(scale, rel=1e-6)
    assert given.zero_point == zero
    assert given.requested == (lo, hi) and given.refused is None


def test_zero_points_before_rounding_and_their_type():
    assert of(TORCH, -1, 1).raw_zero_point == pytest.approx(127.4999924, abs=1e-7)
    assert of(ORT, -1, 1).raw_zero_point == 127.5
    assert of(ORT, -1, 1).scale_dtype == of(TORCH, -1, 1).scale_dtype == "float32"
    assert of("affine uint8", -1, 1).scale_dtype == "float64"


def test_ranges_after_widening_and_shifting():
    assert of(TORCH, 1, 3).adjusted == (0, 3)
    assert of(TF, 1, 3).adjusted == (0, 2)
    assert of("ti.pact2 int8", -0.5, 2.5).adjusted == (-4, 4)
    assert of(QINT8, -0.5, 2.5).adjusted == (-2.5, 2.5)
    assert of("nvidia.amax int8 sym. narrow", -0.5, 2.5).covered == (-2.5, 2.5)
    assert of(TF, 1, 3).covered == (0, pytest.approx(2))


def test_words_where_there_is_no_number():
    assert of(TF, 0, 0).degenerate == of(GPU, 0, 0).degenerate == "zeros"
    assert of(DOC, 0, 0).degenerate == "NaN"
    assert of("nvidia.amax int8 sym. narrow", -1e-8, 1e-8).degenerate == "zeros"
    assert of(TORCH, NAN, NAN).degenerate == "NaN"
    assert of(QINT8, -INF, INF).degenerate == "infinite"
    assert of(TORCH, 3, 1).refused == "The range ends below its start. No rule was asked."
    assert of(TORCH, 3, 1).degenerate == "not asked"
    assert of(ORT, -1, INF).degenerate == "infinite"  # where its own code gives (0, inf)
    assert of(ORT, NAN, NAN).degenerate == "raises"
    assert "NaN" in of(ORT, NAN, NAN).refused


def test_steps_by_name():
    given = of(TORCH, -1e-8, 1e-8)
    assert given.step("floor").note == "at least 1.19e-07"
    assert given.step("scale before floor").values[0] == pytest.approx(7.843e-11, rel=1e-3)
    assert given.step("shifted") is None
