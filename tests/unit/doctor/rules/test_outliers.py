"""Values that set the range of all others: what is left to these, and what a cut takes."""

import numpy as np
import pytest

from qviz.doctor import Case, examined
from qviz.doctor.base import OUTPUT
from qviz.figures.doctor_words import gain_of
from qviz.spec import QuantSpec, Role
from qviz.transforms.base import Operand
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)


def rng(seed=0):
    return np.random.default_rng(seed)


def of(case, rule="OUTLIERS-SET-RANGE"):
    return next((f for f in examined(case).findings if f.rule == rule), None)


def wide(count, times=300, size=10_000):
    """Normal values, of which the first are so many times larger."""
    x = rng().standard_normal(size)
    x[:count] *= times
    return x


def symmetric(x, amax):
    """As it comes back of int8 codes."""
    step = amax / 127
    return np.clip(np.rint(x / step), -128, 127) * step


def test_one_value_is_told_in_words_that_cannot_be_misread():
    x = np.r_[rng().normal(0, 1e-6, 1000), 1e3]
    found = of(Case.of(x))
    assert "over 99 % of all values become 0. These usual ones have 0.0 dB" in found.message
    assert "the number to trust; the whole has 150" in found.message and "e+" not in found.message
    powers, counts = found.evidence["powers"], found.evidence["values_per_power"]
    sizes = np.log10(np.abs(x))
    assert sum(counts) == 1001 and counts[-1] == 1 and powers[-2] == 3
    assert counts[1] == ((sizes >= powers[1]) & (sizes < powers[2])).sum()


def test_a_cut_is_offered_with_what_it_gives_and_what_it_takes():
    x = np.r_[rng().standard_normal(9999), 1e4]
    found = of(Case.of(x, INT8))
    usual = np.abs(x) <= np.sort(np.abs(x))[9989]  # 99.9 % of the values
    assert found.severity == "high" and found.evidence["usual_sqnr"] == pytest.approx(0, abs=0.01)
    fix = next(fix for fix in found.fixes if fix.how["observer"].startswith("manual"))
    back = symmetric(x, np.abs(x[:-1]).max())
    assert fix.gain_db == pytest.approx(sqnr(x[usual], back[usual]), abs=0.01)
    assert fix.measured_at == "usual values" and gain_of(fix).endswith("for the usual values")
    now = sqnr(x[~usual], symmetric(x, 1e4)[~usual])
    assert fix.action.endswith(f" (far values: {now:.1f} to 0.0 dB)")
    assert [fix.how for fix in found.fixes][-1] == {"bits": 16}


def test_a_cut_that_serves_all_is_no_trade():
    x = rng().standard_normal(20_000)
    x[:4] = 60, -57.3, 55, -50
    found = of(Case.of(x, QuantSpec(4)))
    assert len(found.fixes) > 3 and all("far values" not in fix.action for fix in found.fixes)


@pytest.mark.parametrize("spec", [QuantSpec(8), INT8, QuantSpec(4)])
@pytest.mark.parametrize("count", [50, 300, 900])
def test_a_wide_minority_leaves_nothing_to_the_others(count, spec):
    found = of(Case.of(wide(count), spec))
    assert found.severity != "note" and found.evidence["zeroed_share"] > 0.9
    assert 1 - found.evidence["share"] == pytest.approx(count / 10_000, abs=0.01)
    assert "far values" in found.fixes[0].action


@pytest.mark.parametrize("count", [5000, 6000])
def test_many_that_are_wide_are_not_given_up(count):
    found = of(Case.of(rng(1).permutation(wide(count)).reshape(100, 100)))
    assert found.severity == "high"
    assert [fix.how for fix in found.fixes] == [{"bits": 16}]
    (cut,) = found.analysis
    assert "to 0.1 dB)" in cut.action and cut.gain_db > 30


def test_batches_are_no_other_case_unless_they_differ():
    mixed = rng(1).permutation(wide(300)).reshape(10, 1000)
    assert of(Case.of(list(mixed), INT8)).evidence["share"] == pytest.approx(0.97, abs=0.005)
    assert of(Case.of([wide(0), wide(9000)], INT8)) is None


def faded(kind):
    x = rng().standard_normal((64, 1000))
    if kind == "softmax":
        x = np.exp(10 * x)
        return (x / x.sum(1, keepdims=True)).reshape(-1)
    if kind == "swish":
        return 10 * x / (1 + np.exp(-10 * x))
    if kind == "leaky":
        return np.where(x > 0, x, x / 100)
    return x**3 if kind == "cube" else 10 ** rng().uniform(-4, 0, 10_000)


@pytest.mark.parametrize("kind", ["softmax", "swish", "leaky", "cube", "log-uniform"])
@pytest.mark.parametrize("spec", [QuantSpec(8), INT8])
def test_values_that_fade_or_are_small_by_their_sign_are_no_fault(kind, spec):
    assert of(Case.of(faded(kind).astype(np.float32), spec)) is None


def test_masks_and_channels_are_told_by_their_own_rules():
    x = rng().standard_normal(10_000)
    x[:3000] = -1e4
    assert of(Case.of(x)) is None and of(Case.of(x), "NON-FINITE") is not None
    w = rng().standard_normal((32, 64))
    w[:12] *= 300
    assert of(Case.of(w, INT8, role="weight")) is None


def test_a_tail_that_leaves_enough_is_a_note():
    x = rng().standard_normal(200_000)
    x[:20] = 25
    found = of(Case.of(x))
    assert found.severity == "note" and found.evidence["usual_sqnr"] > 20


def test_where_a_product_is_known_it_decides():
    x = rng().standard_normal((2000, 8))
    x[np.arange(8), np.arange(8)] = 300
    weight = Operand(rng(1).standard_normal((32, 8)), 1)
    found = of(Case.of(x, INT8, role="activation", operand=weight))
    assert {fix.measured_at for fix in (*found.fixes, *found.tried)} == {OUTPUT}
    assert all("far values" not in fix.action for fix in (*found.fixes, *found.tried))


@pytest.mark.parametrize("shape", [(10_000,), (1, 10, 25, 40), (1, 100, 100), (100, 100)])
@pytest.mark.parametrize("role", ["activation", "unknown"])
def test_a_lone_value_is_told_as_such_in_every_shape(shape, role):
    x = np.random.default_rng(0).standard_normal(10_000).astype(np.float32)
    x[-1] = 1e4
    found = examined(Case.of(x.reshape(shape), QuantSpec(8), role=Role(role)))
    assert [f.rule for f in found.findings if f.severity != "note"] == ["OUTLIERS-SET-RANGE"]


def test_steps_of_channels_keep_a_lone_value_of_a_weight_to_its_own():
    x = rng().standard_normal((50, 200)).astype(np.float32)
    x[7, 3] = 1e4
    found = of(Case.of(x, INT8, role=Role.WEIGHT))
    (each,) = (fix for fix in found.fixes if fix.how == {"granularity": "per_channel:0"})
    alone = sqnr(x, np.vstack([symmetric(row, np.abs(row).max()) for row in x]))
    assert each.gain_db == pytest.approx(alone - sqnr(x, symmetric(x, 1e4)), abs=0.01)


def test_tails_that_are_heavy_everywhere_are_told_although_channels_differ_by_them():
    x = rng(105).standard_t(2, (512, 768))
    found = examined(Case.of(x, INT8, role="weight")).findings[0]
    assert (found.rule, found.severity) == ("OUTLIERS-SET-RANGE", "high")
    usual = np.abs(x) <= np.sort(np.abs(x).ravel())[int(0.999 * x.size)]
    back = symmetric(x, np.abs(x).max())
    assert found.evidence["usual_sqnr"] == pytest.approx(sqnr(x[usual], back[usual]), abs=0.1)
    assert found.evidence["ratio"] == pytest.approx(20.5, abs=0.1)


def test_what_a_wider_range_gains_is_no_reason_to_cut():
    x = rng(10).standard_normal(100_000)
    x[:12] *= 80
    found = of(Case.of(x, INT8, observer="percentile:keep=99.99"))
    assert found.severity == "note" and found.evidence["usual_sqnr"] > 20
