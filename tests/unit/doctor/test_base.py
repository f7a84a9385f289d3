"""What voids all other numbers comes first in its level."""

import numpy as np
import pytest

from qviz.doctor import RULES, Case, Given, examined
from qviz.doctor.base import VOIDING, Finding, Fix
from tests.unit.doctor.generators import normal


def named(case):
    return [(f.rule, f.severity) for f in examined(case).findings]


def test_every_cause_is_a_rule():
    assert set(VOIDING) <= set(RULES)


def test_nan_comes_before_what_is_as_severe_and_gains_more():
    x = normal(4, 30, 64)
    x[..., 5] *= 80
    x[0, 0, 0] = np.nan
    made = named(Case.of(x, role="activation"))
    assert made[:2] == [("NON-FINITE", "high"), ("OUTLIER-CHANNEL", "high")]


def test_a_window_off_the_data_comes_before_what_its_codes_are_spent_on():
    made = Case.of(100 + normal(), mode="tf.fake_quant")
    assert named(made)[0] == ("NUDGE-MOVED-WINDOW", "high")


def test_a_grid_of_other_data_comes_before_the_channels_on_it():
    x = normal(4, 30, 64)
    x[..., 5] *= 80
    made = Case.of(50 * x, given=Given.of(1 / 127, 128), role="activation")
    assert named(made)[0] == ("SATURATED-CODES", "high")


@pytest.mark.parametrize("rule", VOIDING)
def test_severity_goes_before_cause(rule):
    cause = Finding("medium", "", rule=rule)
    high = Finding("high", "", fixes=(Fix("a", 13.0),), rule="OUTLIER-CHANNEL")
    same = Finding("medium", "", fixes=(Fix("a", 200.0),), rule="OUTLIER-CHANNEL")
    assert sorted([same, cause, high], key=lambda f: f.rank) == [high, cause, same]
    assert Finding("note", "", rule="A").rank < Finding("note", "", expected=True, rule=rule).rank


def test_causes_have_an_order_of_their_own():
    made = [
        Finding("high", "", fixes=(Fix("a", at),), rule=rule) for at, rule in enumerate(VOIDING)
    ]
    assert [f.rule for f in sorted(made, key=lambda f: f.rank)] == list(VOIDING)
