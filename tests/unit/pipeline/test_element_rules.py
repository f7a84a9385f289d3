"""Every rule's answer for one value, checked where it can be worked by hand."""

import numpy as np
import pytest

from qviz.pipeline.element_rules import answer, answers, rules
from qviz.quantizers.affine import typed
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Range

INPUTS = (0.5, 1.5, 2.5, -0.5, -1.5)  # ties at scale 1, zero point 3: the range [-3, 252]
ADDED_AFTER = [3, 5, 5, 3, 1]  # half to even, then 3
ADDED_BEFORE = [4, 4, 6, 2, 2]  # 3.5, 4.5, 5.5, 2.5, 1.5 half to even
AWAY = [4, 5, 6, 2, 1]


def by_rule(x, lo, hi, **spec):
    target = Target.of(QuantSpec(**spec))
    found, refused = answers(np.float32([x]), Range(lo, hi).as_float32(), target)
    return {a.rule: a for a in found}, refused


@pytest.mark.parametrize(
    ("rule", "codes"),
    [
        ("ort.affine", ADDED_AFTER),
        ("torch.affine", ADDED_AFTER),
        ("affine", ADDED_AFTER),
        ("torch.quantize_per_tensor", ADDED_BEFORE),
        ("affine:tie=away", AWAY),
    ],
)
def test_ties_with_an_odd_zero_point(rule, codes):
    found = [by_rule(x, -3, 252)[0][rule] for x in INPUTS]
    assert [a.code for a in found] == codes
    assert {a.zero_point for a in found} == {3}
    assert [a.result for a in found] == [code - 3 for code in codes]
    assert [a.goes for a in found] == [
        "up" if c - 3 > x else "down" for c, x in zip(codes, INPUTS, strict=True)
    ]


def test_the_zero_point_falls_on_a_tie():
    found, _ = by_rule(0.052941177, -0.5, 2.5)  # 0.5 / (3 / 255) = 42.5
    assert (found["torch.affine"].zero_point, found["torch.affine"].code) == (42, 46)
    assert (found["tf.fake_quant"].zero_point, found["tf.fake_quant"].code) == (43, 48)
    assert found["tf.min_combined"].goes == "stays"
    assert found["tf.min_combined"].zero_point is None
    assert found["mindspore.default@doc"].zero_point == 43  # -85, counted from -128
    results = [a.result for a in found.values()]
    assert results == sorted(results)


def test_a_signed_code_is_counted_from_the_lowest():
    found, _ = by_rule(0.5, -1.0, 1.0, signed=True, symmetric=True)
    assert found["affine"].code == 128 + 64 and found["affine"].zero_point == 128


def test_every_rule_is_listed_once():
    target = Target.of()
    found, refused = answers(np.float32([0.7]), Range(-0.5, 2.5), target)
    names = [a.rule for a in found] + [r.rule for r in refused]
    assert sorted(names) == sorted([*QUANTIZERS, "affine:tie=away"])
    for one in refused:
        made = QUANTIZERS[one.rule]()
        assert one.reason == made.accepts(Target(target.spec, PER_TENSOR, made))


def test_channels_let_others_serve():
    target = Target(QuantSpec(), Granularity("per_channel", 0), QUANTIZERS.make("affine"))
    found, _ = answers(np.float32([0.7]), Range(-0.5, 2.5), target)
    assert "torch.quantize_per_channel" in {a.rule for a in found}


def test_the_rule_in_use_is_listed_with_its_knobs():
    used = QUANTIZERS.make("power_of_two:full_range=yes")
    listed = rules(used)
    assert listed[QUANTIZERS.spell(used)] == used and len(listed) == len(QUANTIZERS) + 2


def test_clipping_and_what_is_no_number():
    grid = typed(1.0, 2, 0, 7)
    high = answer(np.float32([9.0]), grid)
    assert (high.clipped, high.code, high.result, high.error) == ("high", 7, 5.0, -4.0)
    assert answer(np.float32([-9.0]), grid).clipped == "low"
    edge = answer(np.float32([5.5]), grid)  # 7.5 rounds to 8: clipped, though half a step off
    assert (edge.clipped, edge.error) == ("high", -0.5)
    nan = answer(np.float32([np.nan]), grid)
    assert (nan.code, nan.result, nan.error, nan.goes) == (None, None, None, "none")
    infinite = answer(np.float32([np.inf]), grid)
    assert (infinite.code, infinite.result, infinite.error) == (7, 5.0, None)


@pytest.mark.parametrize(("x", "end"), [(np.inf, 255), (-np.inf, 0)])
def test_an_infinite_value_is_clipped_by_every_rule_that_gives_an_end(x, end):
    found = by_rule(x, -3, 252)[0]
    side = "high" if x > 0 else "low"
    assert sum(a.code == end for a in found.values()) > 15
    assert {a.clipped for a in found.values() if a.code == end} == {side}


def test_nan_is_never_clipped():
    found = by_rule(np.nan, -3, 252)[0]
    assert found["torch.dynamic"].code == 255
    assert {a.clipped for a in found.values()} == {""}


def test_the_rule_for_ties_is_part_of_the_answer():
    found = by_rule(0.5, -3, 252)[0]
    assert (found["affine"].tie, found["affine:tie=away"].tie) == ("even", "away")
