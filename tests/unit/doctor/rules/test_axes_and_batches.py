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
    assert gain_of(fix).endswith("dB for the other batches")
    assert all("clipped" in way.action for way in (*found.fixes, *found.tried))


def test_a_jump_is_told_in_plain_digits():
    a, b = rng().uniform(0, 1e-6, 1000), rng(1).uniform(0, 1e3, 1000)
    found = of(Case.of([a, b]), "RANGE-JUMP")
    assert "1,000,000,000 times" in found.message and "e+" not in found.message
    found = of(Case.of([1e-140 * a, 1e200 * b], observer="absmax"), "RANGE-JUMP")
    assert np.isfinite(found.evidence["ratio"]) and "over 10^" in found.message


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


@pytest.mark.parametrize("observer", ["minmax", "absmax", "percentile"])
def test_a_loud_first_batch_is_one_too(observer):
    batches = [rng(seed).uniform(-1, 1, 4000) for seed in range(6)]
    batches[0] *= 100
    found = of(Case.of(batches, INT8, observer=observer), "RANGE-JUMP")
    assert found.severity == "high" and found.message.startswith("Batch 0 reaches 100 times")
    assert found.evidence["batches"] == [0]
    step = np.abs(batches[0]).max() / 127
    x = np.concatenate(batches[1:])
    left = sqnr(x, np.rint(x / step) * step)
    assert found.evidence["sqnr_others"] == pytest.approx(left, abs=0.2) and left < 10


@pytest.mark.parametrize("shape", [(4, 16, 8, 8), (4, 64)])
def test_a_loud_first_batch_of_any_rank(shape):
    batches = [rng(seed).standard_normal(shape) * (1 if seed else 300) for seed in range(6)]
    for role in ("activation", "unknown"):
        found = of(Case.of(batches, INT8, role=role), "RANGE-JUMP")
        assert found.severity == "high" and found.evidence["batch"] == 0


@pytest.mark.parametrize(
    ("times", "severity"), [(5, None), (10, None), (40, "medium"), (95, "high"), (101, "high")]
)
def test_what_the_others_keep_says_how_severe_a_jump_is(times, severity):
    batches = [rng(seed).uniform(-1, 1, 4000) for seed in range(6)]
    batches[4] *= times
    found = of(Case.of(batches), "RANGE-JUMP")
    assert (None if found is None else found.severity) == severity


def test_a_range_that_has_grown_and_stays_is_no_jump():
    grown = [rng(j).uniform(-1, 1, 4000) * (50 if j > 3 else 1) for j in range(6)]
    steps = [rng(j).uniform(-1, 1, 4000) * 2.0**j for j in range(10)]
    assert of(Case.of(grown), "RANGE-JUMP") is None and of(Case.of(steps), "RANGE-JUMP") is None
    few = [rng(j).uniform(-1, 1, 4000) * (50 if j > 13 else 1) for j in range(16)]
    found = of(Case.of(few), "RANGE-JUMP")
    assert found.evidence["batches"] == [14, 15] and found.message.startswith("Batches 14, 15")


@pytest.mark.parametrize("rate", [0.01, 0.5])
def test_a_loud_first_batch_of_an_average_is_told_once(rate):
    batches = [rng(j).standard_normal((8, 16)) * (1 if j else 1e4) for j in range(6)]
    case = Case.of(batches, observer=f"moving_average:rate={rate}")
    loud = {f.rule for f in examined(case).findings if f.severity != "note"}
    assert len(loud & {"RANGE-JUMP", "SLOW-AVERAGE"}) == 1


def test_a_loud_batch_is_not_told_as_its_tokens_or_images():
    tokens = [rng(j).standard_normal((64, 96)) * (90 if j == 9 else 1) for j in range(16)]
    images = rng().standard_normal((64, 8, 12, 12))
    images[5] *= 200
    for case, at in (
        (Case.of(tokens, INT8, role="activation"), 9),
        (Case.of(images, INT8, role="activation", batch_axis=0), 5),
    ):
        assert of(case, "OUTLIER-CHANNEL") is None
        assert of(case, "RANGE-JUMP").evidence["batch"] == at


def test_a_token_of_each_batch_stays_a_token():
    batches = [rng(j).standard_normal((64, 96)) for j in range(4)]
    for batch in batches:
        batch[0] *= 90
    found = of(Case.of(batches, INT8, role="activation"), "OUTLIER-CHANNEL")
    assert found.message.startswith("Token 0")


@pytest.mark.parametrize("shape", [(64, 128), (256, 1024), (512, 512), (1600, 1200)])
def test_one_loud_column_of_many_short_ones(shape):
    w = rng(3).standard_normal(shape)
    w[:, 7] *= 50
    for spec in (INT8, QuantSpec(4, signed=True, symmetric=True)):
        found = of(Case.of(w, spec, role="weight", granularity="per_channel:0"), "WRONG-AXIS")
        assert found.severity in ("medium", "high") and found.evidence["other"] == 1


def test_a_value_of_a_tail_makes_no_loud_batch():
    batches = [rng(j).laplace(size=(16, 64)) for j in range(8)]
    batches[3][2, 5] = 12 * np.abs(batches[0]).max()
    spec = QuantSpec(4, signed=True, symmetric=True)
    assert of(Case.of(batches, spec, role="activation"), "RANGE-JUMP") is None
    batches[3][:, 5] = batches[3][2, 5]
    assert of(Case.of(batches, spec, role="activation"), "RANGE-JUMP").evidence["batch"] == 3
