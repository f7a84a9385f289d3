"""What rules about channels look at: beside masks, under a step for each token, beside outliers."""

import numpy as np
import pytest

from qviz.doctor import Case, examined
from qviz.doctor.judged import eased, judged
from qviz.models.alone import Outcome
from qviz.spec import QuantSpec
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
INT16 = QuantSpec(16, signed=True, symmetric=True)
UPPER = np.triu(np.ones((64, 64), bool), 1)
CHANNELS = {"OUTLIER-CHANNEL", "MIXED-RANGES"}


def found(x, spec=INT8, **known):
    known = {"role": "activation", **known}
    return {f.rule: f for f in examined(Case.of(x, spec, **known)).findings}


def normal(*shape, seed=9):
    return np.random.default_rng(seed).standard_normal(shape)


def beside_masks(mask=-1e9):
    x = normal(8, 64, 64)
    x[..., 3] *= 120
    x[:, UPPER] = mask
    return x


def fitting(x):
    near = x[np.abs(x) < 1e3]
    return f"manual:lo={near.min()},hi={near.max()}"


def symmetric(x, step):
    return np.clip(np.rint(x / step), -128, 127) * step


@pytest.mark.parametrize("mask", [-1e9, -1e5])
def test_a_loud_channel_is_told_once_the_range_leaves_masks_out(mask):
    x = beside_masks(mask)
    made = found(x, observer=fitting(x))
    one = made["OUTLIER-CHANNEL"]
    near = np.where(x > -1e3, x, 0)
    quiet = np.delete(near, 3, axis=2)
    left = sqnr(quiet, symmetric(quiet, np.abs(near).max() / 127.5))
    assert one.severity == "high" and one.evidence["channels"] == [3]
    assert one.evidence["quiet_sqnr"] == pytest.approx(left, abs=0.1)
    assert one.evidence["quiet_codes"] == 3 and made["NON-FINITE"].expected
    assert [fix.how for fix in one.fixes] == [{"bits": 16}]
    assert all(fix.action.endswith("masks left out") for fix in one.analysis)
    assert one.analysis[0].gain_db > 35


def test_while_the_range_holds_masks_they_are_the_cause():
    x = beside_masks()
    made = found(x)
    assert made["NON-FINITE"].severity == "high" and not CHANNELS & set(made)
    assert judged(Case.of(x, INT8)) is None
    plain = Case.of(normal(64, 64))
    assert judged(plain) is plain


def test_channels_of_very_different_range_beside_masks():
    x = normal(8, 64, 64) * np.where(np.arange(64) % 3 == 0, 60, 1)
    x[:, UPPER] = -1e9
    made = found(x, observer=fitting(x))
    assert made["MIXED-RANGES"].severity == "high"
    assert made["MIXED-RANGES"].analysis[0].gain_db > 20


def test_a_channel_as_good_as_dead_beside_masks():
    x = normal(8, 64, 64)
    x[..., 9] *= 1e-6
    x[:, UPPER] = -1e9
    made = found(x, observer=fitting(x))
    assert made["DEAD-CHANNEL"].evidence["near_dead"] == [9]
    assert "DEAD-CHANNEL" not in found(x)


def massive():
    x = normal(128, 512, seed=1)
    x[:, 7] = -300 + normal(128, seed=2)
    return x


def test_a_step_for_each_token_does_not_help_where_each_holds_the_loud_channel():
    x = massive()
    made = found(x, granularity="per_token")["OUTLIER-CHANNEL"]
    step = np.abs(x).max(1, keepdims=True) / 127.5
    quiet = np.delete(x, 7, axis=1)
    assert made.severity == "high" and "forces the step of each token" in made.message
    assert made.evidence["quiet_sqnr"] == pytest.approx(
        sqnr(quiet, symmetric(quiet, step)), abs=0.1
    )
    assert made.evidence["quiet_codes"] is None
    assert all(fix.how.get("granularity") != "per_token" for fix in (*made.fixes, *made.tried))


def test_a_channel_loud_in_few_tokens_is_kept_to_these():
    x = normal(128, 512)
    x[:3, 7] = 300
    assert "OUTLIER-CHANNEL" in found(x)
    assert not CHANNELS & set(found(x, granularity="per_token"))


def test_channels_of_very_different_range_under_a_step_for_each_token():
    x = normal(256, 64)
    x[:, ::3] *= 60
    made = found(x, granularity="per_token")["MIXED-RANGES"]
    assert made.severity == "high" and made.evidence["worst_sqnr"] < 10


def one_faint(times):
    """Channel 0 of a weight is far out, channel 9 faint."""
    w = normal(64, 256)
    w[0] *= 8
    w[9] *= times
    return w


@pytest.mark.parametrize("times", [0.06, 0.04])
def test_what_an_outlier_does_to_others_is_told_once(times):
    w = one_faint(times)
    lost, rest = (symmetric(w, np.abs(w[part:]).max() / 127.5) for part in (0, 1))
    assert sqnr(w[9], lost[9]) < 3 and sqnr(w[9], rest[9]) > 12
    made = found(w, role="weight")
    assert made["OUTLIER-CHANNEL"].severity == "high" and "MIXED-RANGES" not in made


def test_a_channel_that_others_lose_without_the_outlier_too_is_told():
    made = found(one_faint(0.005), role="weight")
    assert CHANNELS <= set(made) and made["MIXED-RANGES"].evidence["worst_channel"] == 9


def test_channels_that_fade_beside_outliers_are_no_news():
    x = normal(256, 64) * np.linspace(0.01, 1, 64)
    assert found(x)["MIXED-RANGES"].severity == "note"
    x[:, 40] *= 30
    assert "OUTLIER-CHANNEL" in found(x) and "MIXED-RANGES" not in found(x)


def test_enough_that_is_left_is_not_severe():
    made = found(massive(), INT16)
    assert made["OUTLIER-CHANNEL"].evidence["quiet_sqnr"] > 40
    assert made["OUTLIER-CHANNEL"].severity == "low"
    x = normal(256, 64)
    x[:, ::3] *= 60
    assert found(x)["MIXED-RANGES"].severity == "high"
    wide = found(x, INT16)["MIXED-RANGES"]
    assert wide.evidence["worst_sqnr"] > 40 and wide.severity == "low"


@pytest.mark.parametrize(("left", "level"), [(41, "low"), (40, "medium"), (31, "medium")])
def test_levels_are_held_down_by_what_is_left(left, level):
    case = Case.of(normal(64, 64), INT8)
    assert eased(case, "high", left) == level and eased(case, "note", left) == "note"
    assert eased(case, "high", 30) == "high"


def test_a_model_that_loses_much_is_not_eased():
    case = Case.of(normal(64, 64), INT8, role="activation", runs=lambda _: Outcome(12.0))
    assert eased(case, "high", 50) == "high"
