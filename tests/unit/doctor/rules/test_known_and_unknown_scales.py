"""Softmax, power-of-two steps, values that are no data: what is said is so."""

import numpy as np
import pytest

from qviz.doctor import Case, Given, examined
from qviz.figures.doctor_words import consequence
from qviz.spec import QuantSpec
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
INT4 = QuantSpec(4, signed=True, symmetric=True)


def rng(seed=0):
    return np.random.default_rng(seed)


def found(x, spec=None, **known):
    return {f.rule: f for f in examined(Case.of(x, spec, **known)).findings}


def softmax(*shape, sharp=1.0):
    x = np.exp(sharp * rng().standard_normal(shape))
    return (x / x.sum(-1, keepdims=True)).astype(np.float32)


def off(x, bits):
    """How far the worst row is off 1 under symmetric codes."""
    x = x.astype(float)
    step = x.max() / (2 ** (bits - 1) - 1)
    return float(np.abs((np.rint(x / step) * step).sum(-1) - 1).max())


def test_all_rows_of_a_softmax_are_counted():
    x = softmax(4, 300, 300)
    x[-1, -1] = 1 / 300  # beyond the first 2^18 elements: all of this row becomes 0
    made = found(x, INT4, role="activation")["KNOWN-RANGE"]
    assert off(x, 4) == 1 > off(x[:2], 4)
    assert made.evidence["row_sum_error"] == pytest.approx(1, abs=1e-6)
    assert made.evidence["sampled"] is False and "sample" not in made.message


def test_rows_of_padding_are_no_error():
    x = softmax(4, 300, 300)
    x[-1, -1] = 0
    made = found(x, QuantSpec(16, signed=True, symmetric=True))["KNOWN-RANGE"]
    assert made.evidence["row_sum_error"] == pytest.approx(
        off(x.reshape(-1, 300)[:-1], 16), rel=0.01
    )


def test_of_more_rows_a_sample_is_called_so():
    x = softmax(2100, 2000)
    made = found(x, INT8)["KNOWN-RANGE"]
    assert made.evidence["sampled"] is True and "in a sample" in made.message
    first = 2**22 // 2000
    assert made.evidence["row_sum_error"] == pytest.approx(off(x[:first], 8), rel=0.01)


@pytest.mark.parametrize("role", ["activation", "weight", "unknown"])
def test_a_known_range_gains_what_the_whole_tensor_gains(role):
    x = softmax(8, 10, sharp=4.0)
    x[:, 3] /= 50  # a class that is hardly ever meant
    x /= x.sum(-1, keepdims=True)
    made, wide = found(x, INT8, role=role)["KNOWN-RANGE"], x.astype(float)
    step = wide.max() / 127
    now = sqnr(wide, np.rint(wide / step) * step)
    for scale, words in ((1 / 255, "fix the range"), (1 / 256, "fix the step")):
        back = np.minimum(np.rint(wide / scale), 255) * scale
        fix = next(fix for fix in (*made.fixes, *made.tried) if fix.action.startswith(words))
        assert fix.measured_at == "tensor"
        assert fix.gain_db == pytest.approx(sqnr(wide, back) - now, abs=0.01)


@pytest.mark.parametrize("factor", [1, 0.5, 4])
def test_a_step_of_1_is_as_wasteful_as_any_other(factor):
    x = rng().standard_normal((3, 5, 17, 7))
    x *= factor * 65.28 / np.abs(x).max()
    made = found(x, INT8, mode="power_of_two")["POW2-WASTE"]
    step = float(factor)
    then, now = (np.clip(np.rint(x / s), -128, 127) * s for s in (step / 2, step))
    assert made.evidence["scale"] == step and made.severity == "medium"
    assert made.fixes[0].gain_db == pytest.approx(sqnr(x, then) - sqnr(x, now), abs=0.01)


@pytest.mark.parametrize("kind", [np.int8, np.float32])
def test_whole_numbers_have_a_step_of_1_by_nature(kind):
    x = rng().integers(-65, 66, 1000).astype(kind)
    assert "POW2-WASTE" not in found(x, INT8, mode="power_of_two")


@pytest.mark.parametrize(
    "x", [rng().standard_normal(512) > 0, np.tri(32), np.r_[np.zeros(500), np.full(500, 1e-3)]]
)
def test_two_values_are_neither_masked_nor_held(x):
    made = found(x)
    assert "NON-FINITE" not in made and "KNOWN-RANGE" not in made


@pytest.mark.parametrize("scale", [1e38, 1e300])
@pytest.mark.parametrize("rectified", [False, True])
def test_a_tensor_beyond_all_scales_is_no_mask(scale, rectified):
    x = scale * np.tanh(rng().standard_normal(512))
    made = found(np.maximum(x, 0) if rectified else x)["NON-FINITE"]
    assert made.severity == "high" and "mask" not in made.message
    assert made.message.endswith("the whole tensor is out of scale; scale it down.")


def test_a_mask_by_itself_loses_nothing():
    x = np.triu(np.full((32, 32), np.finfo(np.float32).min), 1)
    made = found(x)["NON-FINITE"]
    assert made.severity == "note" and "a mask by itself" in made.message


def test_one_value_reaches_and_two_reach():
    x = rng().standard_normal(1000)
    one, two = found(np.r_[x, 1e38]), found(np.r_[x, 1e38, -1e38])
    assert one["NON-FINITE"].message.startswith("1 value reaches 1e+38, over 100 times")
    assert one["NON-FINITE"].message.endswith("a mask, not data; take the range without it.")
    assert two["NON-FINITE"].message.startswith("2 values reach 1e+38, over 100 times")


def test_a_single_scale_is_no_channel():
    x = np.random.default_rng(0).standard_normal(4000) * 1e-7
    made = examined(Case.of(x, QuantSpec(8, signed=True, symmetric=True)))
    found = next(f for f in made.findings if f.rule == "SCALE-UNDERFLOW")
    assert found.message.startswith("The scale of ") and "channel" not in found.message
    assert found.message.endswith("and becomes 0.") and "(over 1 %)" in found.message
    (fix,) = found.fixes
    assert fix.action == "keep the scale in float32" and fix.measured_at == "tensor"


@pytest.mark.parametrize(("low", "said"), [(0.7506, "24.9 %"), (0.75001, "24.9 %"), (0.9, "10 %")])
def test_a_share_does_not_contradict_its_threshold(low, said):
    found = examined(Case.of(np.linspace(low, 1, 4000))).findings
    (far,) = [f for f in found if f.rule == "RANGE-FAR-FROM-ZERO"]
    assert f"takes up {said} of the range (below 25 %)" in far.message


def levels(case):
    return {found.rule: found.severity for found in examined(case).findings}


def test_most_values_outside_a_range_by_hand_is_what_is_wrong_with_it():
    x = 255 * np.random.default_rng(1).random(20_000)
    made = levels(Case.of(x, QuantSpec(8), observer="manual:lo=-1,hi=1"))
    assert made["SATURATED-CODES"] == "high" and "ABS-HISTOGRAM-ON-ASYMMETRIC" not in made
    assert [rule for rule, level in made.items() if level != "note"] == ["SATURATED-CODES"]
    wide = levels(Case.of(x, QuantSpec(8), observer="manual:lo=-300,hi=300"))
    assert "SATURATED-CODES" not in wide


@pytest.mark.parametrize(
    ("x", "scale", "cause"),
    [
        (np.random.default_rng(1).standard_normal(20_000), 1.0, "UNCALIBRATED"),
        (np.random.default_rng(1).uniform(-1, 1, 20_000), 1 / 255, "ZP-AT-EDGE"),
    ],
)
def test_one_cause_is_told_once(x, scale, cause):
    found = {f.rule: f for f in examined(Case.of(x, given=Given.of(scale, 0))).findings}
    assert [rule for rule, one in found.items() if one.severity != "note"] == [cause]
    for rule in {"SATURATED-CODES", "ERROR-YARDSTICK", "ZP-AT-EDGE"} - {cause}:
        assert found[rule].message.endswith(f"{cause} says why.")
        assert found[rule].evidence["cause"] == cause and found[rule].fixes == ()


def test_what_is_outside_on_the_other_side_is_a_cause_of_its_own():
    rng = np.random.default_rng(1)
    x = np.r_[rng.uniform(-1, 0, 1000), rng.uniform(0, 255, 9000)]
    made = levels(Case.of(x, given=Given.of(1 / 255, 0)))
    assert made["SATURATED-CODES"] == "high"


@pytest.mark.parametrize("kind", ["softmax", "held"])
@pytest.mark.parametrize("observer", ["manual:lo=0,hi=1", "minmax"])
def test_a_known_range_in_use_is_as_expected(kind, observer):
    x = 3 * np.random.default_rng(3).standard_normal((256, 32))
    x = np.exp(x) / np.exp(x).sum(1, keepdims=True) if kind == "softmax" else np.clip(x, 0, 1)
    case = Case.of(x, QuantSpec(8), observer=observer, role="activation")
    found = next(f for f in examined(case).findings if f.rule == "KNOWN-RANGE")
    assert found.expected == (observer != "minmax") == ("as it should be" in found.message)
    assert ("the known one, [0, 1]" in consequence(found)) == found.expected
    assert "without it" not in consequence(found) or not found.expected
