"""One value under every rule, on ties worked out by hand."""

import pytest

from qviz.rosetta import element, rules
from qviz.rosetta.ruleset import rule_called


def codes(name, lo, hi, *values):
    rule = rule_called(name)
    return [element(x, lo, hi, (rule,))[0].code for x in values]


def test_ties_at_scale_one_and_zero_point_three():
    values = (0.5, 1.5, 2.5, -0.5, -1.5)
    assert codes("torch.affine uint8", -3, 252, *values) == [3, 5, 5, 3, 1]
    assert codes("ort.affine uint8", -3, 252, *values) == [3, 5, 5, 3, 1]
    assert codes("torch.quantize_per_tensor uint8", -3, 252, *values) == [4, 4, 6, 2, 2]
    assert codes("tf.min_first uint8", -3, 252, *values) == [4, 5, 6, 2, 1]


def test_what_is_said_of_a_value():
    (given,) = element(0.5, -3, 252, (rule_called("torch.affine uint8"),))
    assert (given.unrounded, given.code, given.steps) == (0.5, 3, 3)
    assert (given.value, given.error, given.clipped) == (0.0, -0.5, "")
    (given,) = element(300, -128, 127, (rule_called("mindspore.default@doc int8"),))
    assert (given.code, given.steps, given.value, given.clipped) == (127, 255, 127.0, "high")
    (given,) = element(-5, 0, 255, (rule_called("torch.affine uint8"),))
    assert (given.code, given.clipped) == (0, "low")


@pytest.mark.parametrize("x", [0.0, 1e30, float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("ends", [(-1.0, 1.0), (0.0, 0.0), (float("nan"), 1.0)])
def test_no_value_raises(x, ends):
    found = element(x, *ends)
    assert [one.rule for one in found] == list(rules())
    assert all((one.code is None) <= (one.degenerate != "") for one in found)
