"""Gradients of the known cases: which values, which parameter, which sum."""

import numpy as np
import pytest

from qviz.pipeline.training_gradients import apart, backward, picked, portrait, summed
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec, Range

SYMMETRIC = QuantSpec(4, signed=True, symmetric=True, narrow_range=True)
FIVE = np.array([-0.6, 0.2, 0.33, 0.9, 1.4], np.float32)


def grid(mode, lo, hi, spec=None):
    return QUANTIZERS.make(mode).quantizer(
        Range(np.full(1, lo), np.full(1, hi)), spec or QuantSpec(3)
    )


LEARNED = grid("mindspore.learned_scale@gpu", -1.0, 1.0, SYMMETRIC)


def test_terms_of_maxq_by_hand():
    to_x, terms = backward(LEARNED, FIVE)
    # seven steps to maxq: -4.2, 1.4, 2.31 and 6.3 steps round to -4, 1, 2, 6; 1.4 is clipped
    by_hand = [(-4 + 4.2) / 7, (1 - 1.4) / 7, (2 - 2.31) / 7, (6 - 6.3) / 7, 1.0]
    assert terms["maxq"] == pytest.approx(by_hand, abs=1e-6)
    assert to_x.tolist() == [1, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("values", "total"), [(FIVE, 0.88429), ([-1.5, -0.6, 0.2, 0.33, 0.9], -1.11571)]
)
def test_sum_of_the_terms(values, total):
    sums = summed(LEARNED, [(np.array(values, np.float32), 1.0)])
    assert sums.parameters["maxq"] == pytest.approx(total, abs=1e-5)
    assert (sums.count, sums.passes) == (5, 4)


def test_parts_and_weights_add_up():
    once = summed(LEARNED, [(np.repeat(FIVE, 3), 1.0)])
    weighed = summed(LEARNED, [(FIVE[:2], 3.0), (FIVE[2:], np.full(3, 3.0))])
    assert weighed.parameters["maxq"] == pytest.approx(once.parameters["maxq"])
    assert (weighed.count, weighed.passes, weighed.above) == (15, 12, 3)


def test_a_range_without_zero_is_shifted_and_everything_lies_above_it():
    shifted = grid("tf.fake_quant", 0.07, 0.13, QuantSpec(8))
    x = np.linspace(0.07, 0.13, 1001, dtype=np.float32)
    assert np.unique(shifted.fake_quantize(x[None])).size == 1
    sums = summed(shifted, [(x, 1.0)])
    assert (sums.above, sums.passes) == (1001, 0)
    assert sums.parameters == {"min": 0.0, "max": 1001.0}
    shown = portrait(shifted, -0.05, 0.2)
    assert (shown.lo, shown.hi) == (0.0, pytest.approx(0.06))


def test_a_mask_ends_where_the_rule_says():
    asked = -0.8, 2.2  # 3 bits: step 3/7, zero point round(1.867) = 2
    by_code = portrait(grid("torch.affine", *asked), -2.0, 3.0).blocked
    by_value = portrait(grid("tf.fake_quant", *asked), -2.0, 3.0).blocked
    raw = portrait(grid("tf.quantize_and_dequantize:version=V4", *asked), -2.0, 3.0).blocked
    step = 3 / 7
    for found, ends in (
        (by_code, (-2.5 * step, 5.5 * step)),  # half a step beyond the end levels
        (by_value, (-2 * step, 5 * step)),  # the nudged ends
        (raw, asked),  # the bounds as given
    ):
        assert [run[0] for run in found] == pytest.approx([-2.0, ends[1]], abs=1e-5)
        assert [run[1] for run in found] == pytest.approx([ends[0], 3.0], abs=1e-5)


def test_straight_through_blocks_nothing():
    assert portrait(grid("tf.quantize_and_dequantize", -0.8, 2.2), -2.0, 3.0).blocked == ()


def test_the_saw_of_maxq_is_drawn_with_its_jumps():
    x, y = portrait(LEARNED, -2.0, 2.0).parameters["maxq"]
    assert (y[0], y[-1]) == (-1.0, 1.0)
    inside = np.abs(x) < 0.99
    assert np.abs(y[inside]).max() == pytest.approx(0.5 / 7, abs=1e-3)
    near = np.abs(x - 0.5 / 7) < 1e-5  # a code boundary: from -half a step to +half a step
    assert np.ptp(y[near]) == pytest.approx(1 / 7, abs=1e-3)


def test_levels_and_covered_range():
    shown = portrait(LEARNED, -2.0, 2.0)
    assert (shown.levels, shown.lo, shown.hi) == (15, -1.0, 1.0)


def test_one_element():
    clipped, kept = picked(LEARNED, 1.4), picked(LEARNED, 0.33)
    assert (clipped.clipped, clipped.back, clipped.to_x) == (True, 1.0, 0.0)
    assert clipped.parameters == {"maxq": 1.0}
    assert (kept.clipped, kept.code, kept.to_x) == (False, 2.0, 1.0)
    assert kept.back == pytest.approx(2 / 7)
    assert kept.parameters["maxq"] == pytest.approx((2 - 2.31) / 7, abs=1e-6)


def test_difference_of_two_staircases():
    one = np.array([0.0, 1.0, 1.0, 3.0]), np.array([0.0, 0.0, 1.0, 1.0])
    two = np.array([0.0, 2.0, 2.0, 3.0]), np.array([0.0, 0.0, 3.0, 3.0])
    x, y = apart(two, one)
    assert list(zip(x.tolist(), y.tolist(), strict=True)) == [
        (0, 0), (1, 0), (1, -1), (2, -1), (2, 2), (3, 2),
    ]  # fmt: skip


def test_corners_apart_by_the_last_bits_are_one():
    one = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0, 1.0])
    two = np.array([0.0, 1.0 + 1e-9, 1.0 + 1e-9, 2.0]), np.array([0.0, 0.0, 1.0, 1.0])
    assert np.abs(apart(two, one)[1]).max() == 0


@pytest.mark.parametrize("name", ["torch.learnable", "tf.fake_quant", "affine"])
def test_against_each_value_alone(name):
    made = grid(name, -0.8, 2.2)
    x = np.linspace(-2, 3, 101, dtype=np.float32)
    to_x, terms = backward(made, x)
    for i in (0, 37, 100):
        one = made.backward(x[None, i : i + 1], np.ones((1, 1), np.float32))
        assert to_x[i] == one.input[0, 0]
        assert {k: v[i] for k, v in terms.items()} == {
            k: v[0, 0] for k, v in one.parameters.items()
        }


def test_passed_and_clipped_add_up_to_all():
    nudged = grid("tf.fake_quant", -1.0, 2.0, QuantSpec(4))  # steps of 0.2
    values = np.array([-1.3, -1.05, 0.0, 1.0, 2.05, 2.4], np.float32)
    sums = summed(nudged, [(values, 1.0)])
    assert (sums.below, sums.passes, sums.above) == (2, 2, 2)
