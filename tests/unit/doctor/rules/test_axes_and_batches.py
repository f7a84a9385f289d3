"""Steps along the wrong axis, and ranges that one batch sets."""

import numpy as np
import pytest

from qviz.doctor import Case, examined
from qviz.figures.doctor_words import gain_of
from qviz.spec import QuantSpec
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)


def rng(seed=0):
    return np.random.default_rng(seed)


def of(case, rule):
    return next((f for f in examined(case).findings if f.rule == rule), None)


@pytest.mark.parametrize("shape", [(8, 10_000), (10_000, 8)])
@pytest.mark.parametrize("axis", [0, 1])
def test_short_channels_differ_by_chance(shape, axis):
    for x in (rng().standard_t(5, shape), rng().laplace(size=shape)):
        assert of(Case.of(x, INT8, granularity=f"per_channel:{axis}"), "WRONG-AXIS") is None


def test_one_step_along_an_axis_of_one_channel_is_the_wrong_axis():
    w = rng().standard_normal((32, 1, 3, 3)) * np.logspace(-3, 0, 32)[:, None, None, None]
    found = of(Case.of(w, INT8, role="weight", granularity="per_channel:1"), "WRONG-AXIS")
    assert found.evidence["other"] == 0


def test_the_batches_before_a_jump_are_given_back_what_they_lost():
    batches = [rng(seed).standard_normal(1000) for seed in range(5)] + [1e4 * np.ones(10)]
    found = of(Case.of(batches, INT8), "RANGE-JUMP")
    assert found.severity == "high"
    fix = found.fixes[0]
    assert "median batch" in fix.action and "batch 5 is then clipped" in fix.action
    usual = sorted(batches, key=lambda b: np.abs(b).max())[2]
    assert fix.how == {"observer": f"manual:lo={usual.min()!r},hi={usual.max()!r}".replace(
        "np.float64(", "").replace(")", "")}  # fmt: skip
    x = np.concatenate(batches[:5])

    def left(amax):
        step = amax / 127
        return sqnr(x, np.clip(np.rint(x / step), -128, 127) * step)

    gain = left(np.abs(usual).max()) - left(1e4)
    assert fix.gain_db == pytest.approx(gain, abs=0.01)
    assert gain_of(fix).endswith("dB for the earlier batches")
    assert all("clipped" in way.action for way in (*found.fixes, *found.tried))


def test_a_jump_is_told_in_plain_digits():
    a, b = rng().uniform(0, 1e-6, 1000), rng(1).uniform(0, 1e3, 1000)
    found = of(Case.of([a, b]), "RANGE-JUMP")
    assert "1,000,000,000 times" in found.message and "e+" not in found.message


def test_a_slow_average_is_measured_on_the_typical_batches_and_says_so():
    late = [rng(seed).standard_normal(256) / 20 for seed in range(8)]
    case = Case.of([rng(9).standard_normal(256), *late], observer="moving_average:rate=0.01")
    found = of(case, "SLOW-AVERAGE")
    assert {fix.measured_at for fix in (*found.fixes, *found.tried)} == {"typical batches"}
    assert gain_of(found.fixes[0]).endswith("dB for the typical batches")
    assert "(" not in found.fixes[0].action
    x = np.concatenate(late)

    def left(low, high):
        step = (high - low) / 255
        zero = np.rint(-low / step)
        return sqnr(x, (np.clip(np.rint(x / step) + zero, 0, 255) - zero) * step)

    ends = [(b.min(), b.max()) for b in case.values.batches]
    lo, hi = ends[0]
    for a, b in ends[1:]:
        lo, hi = (lo + a) / 2, (hi + b) / 2
    gain = left(lo, hi) - left(*found.evidence["range"])
    assert found.fixes[0].gain_db == pytest.approx(gain, abs=0.05)
    assert f"its start at {np.abs(case.values.batches[0]).max():.4g} still" in found.message


@pytest.mark.parametrize("observer", ["torch.moving_average", "moving_average:rate=0.5"])
@pytest.mark.parametrize("at", [1, 4, 5])
def test_a_batch_far_out_is_no_start_that_still_decides(at, observer):
    batches = [rng(j).standard_normal((8, 16)) * (1000 if j == at else 1) for j in range(6)]
    case = Case.of(batches, observer=observer)
    assert of(case, "SLOW-AVERAGE") is None
    assert of(case, "RANGE-JUMP").evidence["batch"] == at


def test_batches_that_grow_or_a_start_of_its_own_leave_the_average_behind():
    growing = [rng(j).standard_normal(512) * 2**j for j in range(6)]
    small = [rng(j).standard_normal(512) / 10 for j in range(6)]
    empty = [np.full(512, np.nan), 100 * rng().standard_normal(512), *small]
    for batches, observer in (
        (growing, "torch.moving_average"),
        (small, "mindspore.initial"),
        (empty, "moving_average:rate=0.01"),
    ):
        found = of(Case.of(batches, observer=observer), "SLOW-AVERAGE")
        assert found.severity == "high" and found.fixes


def test_the_yardstick_does_not_contradict_the_average():
    early = [rng(seed).standard_normal(256) / 20 for seed in range(2)]
    late = [rng(seed).standard_normal(256) for seed in range(2, 8)]
    case = Case.of([*early, *late], observer="moving_average:rate=0.01")
    assert of(case, "SLOW-AVERAGE").severity == "high"
    found = of(case, "ERROR-YARDSTICK")
    assert found.severity == "note" and found.fixes == ()
    assert found.evidence["cause"] == "SLOW-AVERAGE"
