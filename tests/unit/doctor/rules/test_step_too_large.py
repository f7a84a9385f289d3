"""One code for all values although they differ: the step is as wide as the data, or wider."""

import numpy as np
import pytest

from qviz.doctor import Case, Given, examined
from qviz.spec import QuantSpec
from tests.unit.doctor.generators import floor
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
X = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
ENDS = (-128, 127)
SOFTMAX = np.full((64, 64), 1 / 64) + np.linspace(-0.01, 0.01, 64)


def of(case):
    return next((f for f in examined(case).findings if f.rule == "STEP-TOO-LARGE"), None)


@pytest.mark.parametrize(
    ("case", "code", "step"),
    [
        (Case.of(X, given=Given.of(1e30, 0)), 0, 1e30),
        (Case.of(X, given=Given.of(1e30, 7, ENDS)), 7, 1e30),
        (Case.of(X, given=Given.of(10.0, 0, ENDS)), 0, 10),
        (Case.of(X.astype(float), observer="manual:lo=-1e39,hi=1e39"), 128, 2e39 / 255),
        (Case.of(X, INT8, observer="manual:lo=-1e38,hi=1e38"), 0, 1e38 / 127),
    ],
)
def test_all_values_become_one_code(case, code, step):
    found = of(case)
    assert found.severity == "high" and f"All 2,048 values become code {code}:" in found.message
    assert found.evidence["code"] == code and found.evidence["count"] == 2048
    assert found.evidence["step"] == pytest.approx(step)
    lo, hi = float(X.min()), float(X.max())
    assert found.evidence["data"] == (lo, hi)
    assert found.evidence["range_in_steps"] == pytest.approx((hi - lo) / step)


def test_a_range_of_the_data_gives_all_of_it_back():
    found = of(Case.of(X, INT8, observer="manual:lo=-1e38,hi=1e38"))
    whole = next(fix for fix in found.fixes if fix.how == {"observer": "minmax"})
    step = np.abs(X.astype(float)).max() / 127
    assert whole.gain_db == pytest.approx(sqnr(X, np.rint(X / step) * step), abs=1e-3)


def back(x, scale, zero):
    return (np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * scale


@pytest.mark.parametrize(("scale", "codes"), [(3.0, 3), (1.5, 6), (0.2, 34)])
def test_a_given_step_that_leaves_few_codes(scale, codes):
    x = np.random.default_rng(0).standard_normal(5000)
    case = Case.of(x, given=Given.of(scale, 128))
    (found,) = [f for f in examined(case).findings if not f.expected]
    assert found.rule == "STEP-TOO-LARGE" and found.severity == "high"
    own = (x.max() - x.min()) / 255
    e = found.evidence
    assert e["times"] == pytest.approx(scale / own) and e["own_step"] == pytest.approx(own)
    assert e["codes_used"] == codes == len(np.unique(back(x, scale, 128)))
    assert e["sqnr"] == pytest.approx(sqnr(x, back(x, scale, 128)), abs=1e-3)
    whole = next(fix for fix in found.fixes if fix.how == {"observer": "minmax"})
    gain = sqnr(x, back(x, own, np.rint(-x.min() / own))) - e["sqnr"]
    assert whole.gain_db == pytest.approx(gain, abs=1e-2)


def test_a_range_by_hand_counts_as_given_and_another_may_be_wider():
    own = np.abs(X.astype(float)).max()
    for times, fires in ((3.9, False), (4.1, True)):
        case = Case.of(X, INT8, observer=f"manual:lo={-times * own},hi={times * own}")
        assert (of(case) is not None) == fires


def test_steps_for_each_channel_that_are_all_too_large():
    own = 2 * np.abs(X).max(1) / 255
    found = of(Case.of(X, INT8, granularity="per_channel:0", given=Given.of(50 * own, 0, ENDS)))
    assert found.severity == "high" and found.evidence["times"] == pytest.approx(50)


def test_a_step_that_loud_channels_do_not_explain_is_told_once():
    x = X.copy()
    x[2] *= 50
    case = Case.of(x, given=Given.of(20.0, 128), role="weight")
    assert {f.rule for f in examined(case).findings if not f.expected} == {"STEP-TOO-LARGE"}


def codes(values, zero=0):
    return examined(Case.of(codes=np.array(values, np.int8), given=Given.of(0.01, zero, ENDS)))


def test_codes_alone_tell_how_many_are_the_zero_point():
    (found,) = codes([3] * 97 + [4, 2, 4], zero=3).findings
    assert found.rule == "STEP-TOO-LARGE" and found.severity == "medium" and not found.fixes
    assert found.evidence["share"] == 0.97 and found.evidence["farthest"] == 1
    (none,) = codes([3] * 100, zero=3).findings
    assert none.severity == "low"


@pytest.mark.parametrize(
    "values",
    [
        [0] * 97 + [100, -90, 40],  # most values are 0, and the others have their codes
        [0, 1, -1] * 30,  # three levels by design
        [0] * 97 + [17, 1, 1],  # over a 16th of the codes away
    ],
)
def test_codes_that_may_well_be_so(values):
    assert codes(values).findings == ()


def test_each_channel_has_one_code():
    found = of(Case.of(X, INT8, granularity="per_channel:0", observer="manual:lo=-1e38,hi=1e38"))
    assert "one code in each group" in found.message and found.evidence["groups"] == 64


@pytest.mark.parametrize(
    "case",
    [
        Case.of(np.zeros(64), given=Given.of(1e30, 0)),  # nothing is lost
        Case.of(X, given=Given.of(0.1, 0, ENDS)),
        Case.of(X, given=Given.of(1.0, 0, ENDS)),  # UNCALIBRATED
        Case.of(X, given=Given.of(3.0, 0)),  # ZP-AT-EDGE
        Case.of(np.where(X > 2, -1e9, X), given=Given.of(1e7, 100)),  # NON-FINITE: masks
        Case.of(SOFTMAX, given=Given.of(1 / 256, 0)),  # a softmax reaches to 1 elsewhere
        Case.of(X, observer="lsq"),  # where training starts
        Case.of(X + 100, given=Given.of(0.1, 0)),  # SATURATED-CODES: the step is fine
        Case.of(1000 + 1e-3 * X),  # RANGE-FAR-FROM-ZERO: no range that holds 0 does better
        Case.of(1000 + X, QuantSpec(4, signed=True, symmetric=True)),  # the same: one code for all
        floor(),  # SCALE-FLOOR: the rule's own smallest scale
        Case.of(1e-20 * X, mode="torch.affine"),
    ],
)
def test_other_causes_have_other_names(case):
    assert of(case) is None and examined(case).skipped.get("STEP-TOO-LARGE") is None


def test_a_refused_range_is_told_as_such():
    made = examined(Case.of(X, observer="manual:lo=-1e39,hi=1e39"))
    assert "not finite" in made.skipped["STEP-TOO-LARGE"]
