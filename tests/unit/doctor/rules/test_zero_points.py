"""A zero point is a tie where it is rounded, and rules disagree only where they round one."""

import numpy as np
import pytest

from qviz.doctor import Case, Given, examined
from qviz.rosetta.ruleset import rules as registered
from qviz.spec import QuantSpec

ENDS = np.array([-1.0, 0.0, 1.0], np.float32)


def knife(case):
    made = examined(case)
    assert "ZP-KNIFE-EDGE" not in made.skipped
    return next((f for f in made.findings if f.rule == "ZP-KNIFE-EDGE"), None)


@pytest.mark.parametrize(
    "case",
    [
        Case.of(ENDS, observer="manual:lo=-1e308,hi=1e308"),
        Case.of(np.array([-1.7e308, 0, 1.7e308])),
        Case.of(np.array([-1.7e308, 1.7e308]), QuantSpec(8, signed=True)),
    ],
)
def test_the_widest_ranges_are_no_tie(case):
    assert knife(case) is None


def test_only_rules_that_round_a_zero_point_are_compared():
    found = knife(Case.of(ENDS, mode="tf.fake_quant"))
    assert not any(name.startswith("ti.") for name in found.evidence["rules"])
    assert set(found.evidence["rules"].values()) == {127, 128} and found.severity == "low"
    every = {rule.name for rule in registered()}
    assert set(found.evidence["rules"]) < every and len(found.evidence["rules"]) > 8


def test_a_tie_on_which_all_agree_is_a_note():
    for seed in range(40):
        m = float(np.float32(np.random.default_rng(seed).lognormal()))
        found = knife(Case.of(m * ENDS))
        if found is not None and found.severity == "note":
            assert set(found.evidence["rules"].values()) == {128}
            assert "registered rules agree" in found.message
            return
    pytest.fail("no range on which all agree")


@pytest.mark.parametrize(
    ("mode", "taken"), [("tf.fake_quant", 127), ("ort.affine", 128), ("torch.affine", 127)]
)
def test_the_candidate_that_this_mode_takes_is_told(mode, taken):
    found = knife(Case.of(ENDS, mode=mode))
    assert found.evidence["taken"] == taken and f"this mode takes {taken}" in found.message


@pytest.mark.parametrize("mode", ["ti.pact2", "tf.min_combined", "power_of_two", "tf.scaled"])
def test_modes_that_round_none_have_no_tie(mode):
    assert knife(Case.of(ENDS, mode=mode)) is None


def test_where_no_rule_has_these_codes_nobody_agrees():
    found = knife(Case.of(ENDS, QuantSpec(4)))
    assert found.evidence["rules"] == {} and "registered" not in found.message
    assert found.severity == "note" and "this mode takes 8" in found.message


def test_what_mixing_costs_is_a_number_and_no_repair():
    x = np.random.default_rng(0).uniform(-1, 1, 100_000).astype(np.float32)
    x[:2] = -1, 1
    found = knife(Case.of(x))
    assert found.fixes == () and found.tried == ()
    step, wide = 2 / 255, x.astype(float)
    codes = np.clip(np.rint(wide / step) + 127, 0, 255)
    noise = [(((codes - zero) * step - wide) ** 2).sum() for zero in (127, 128)]
    costs = 10 * np.log10(noise[1] / noise[0])
    assert found.evidence["mixing_costs_db"] == pytest.approx(costs, abs=0.05)
    assert f"would cost {found.evidence['mixing_costs_db']:.1f} dB" in found.message


@pytest.mark.parametrize("x", [np.tanh(np.linspace(-20, 20, 999)), np.cos(np.linspace(0, 20, 999))])
def test_data_that_reach_1_exactly_is_at_most_low(x):
    x = x.astype(np.float32)
    x[:2] = -1, 1
    made = [f for f in examined(Case.of(x)).findings if not f.expected]
    assert [(f.rule, f.severity) for f in made] == [("ZP-KNIFE-EDGE", "low")]


@pytest.mark.parametrize("x", [ENDS[[0, 2, 2]], 1e6 * np.linspace(-1, 1, 99, dtype=np.float32)])
def test_a_tie_that_costs_nothing_is_a_note(x):
    found = knife(Case.of(x, observer="manual:lo=-1,hi=1"))
    assert abs(found.evidence["mixing_costs_db"]) < 0.05
    assert "registered rules disagree" in found.message and found.severity == "note"


def test_what_is_not_known_to_cost_nothing_stays_low():
    found = knife(Case.of(np.zeros(9, np.float32), observer="manual:lo=-1,hi=1"))
    assert found.evidence["mixing_costs_db"] is None and found.severity == "low"


TIES = "TIE-SENSITIVE"


@pytest.mark.parametrize(
    "mode", ["tf.fake_quant", "mindspore.default@gpu", "affine", "torch.affine"]
)
def test_zeros_alone_are_no_ties(mode):
    made = examined(Case.of(np.zeros((64, 32), np.float32), mode=mode))
    assert TIES not in [f.rule for f in made.findings] and TIES not in made.skipped


def test_zeros_are_counted_beside_ties():
    x = np.array([0, 0, 0, 0.5, 1.5, 2.5, 3, 4] * 10, np.float32)  # half to even or away
    found = next(f for f in examined(Case.of(x, given=Given.of(1.0, 0))).findings if f.rule == TIES)
    assert found.evidence["flips"]["ties half away from zero"] == pytest.approx(2 / 8)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"granularity": "per_channel:0"}, "Here there are several (per_channel:0). Give the"),
        ({"mode": "nvidia.amax"}, "NVIDIA's integers are symmetric"),
    ],
)
def test_why_ties_were_not_looked_at(words, said):
    x = np.random.default_rng(0).standard_normal((8, 64))
    made = examined(Case.of(x, **words)).skipped[TIES]
    assert said in made and "This rule" not in made
