"""Channels, tokens and images that set the step of all others, and which of them do not."""

import numpy as np
import pytest

from qviz.doctor import Case, Given, examined
from qviz.models.alone import Outcome
from qviz.spec import QuantSpec
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
UNLIKE = {"OUTLIER-CHANNEL", "MIXED-RANGES"}


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def rules(x, spec=INT8, **words):
    return {f.rule: f for f in examined(Case.of(x, spec, **words)).findings}


def back(x, axis=None):
    step = np.abs(x).max(axis=axis, keepdims=True) / 127
    return np.clip(np.rint(x / step), -128, 127) * step


def nchw():
    x = normal(2, 16, 24, 24)
    x[:, 2] *= 200
    return x


def fading():
    return normal(2, 16, 24, 24) * np.logspace(-3, 0, 16)[:, None, None]


def last():
    x = normal(17, 7, 128)
    x[..., 5] *= 1000
    return x


@pytest.mark.parametrize(
    ("make", "rule", "axis"),
    [(nchw, "OUTLIER-CHANNEL", 1), (last, "OUTLIER-CHANNEL", 2), (fading, "MIXED-RANGES", 1)],
)
def test_an_unknown_role_is_rated_by_what_steps_per_channel_would_gain(make, rule, axis):
    x = make()
    found, known = rules(x)[rule], rules(x, role="activation")[rule]
    assert found.severity == known.severity == "high"
    (way,) = found.analysis
    assert way.how == {"granularity": f"per_channel:{axis}"}
    assert way.gain_db == pytest.approx(known.analysis[0].gain_db)
    assert all("per_channel" not in fix.how.get("granularity", "") for fix in found.fixes)


def massive(shape=(1, 128, 64), tokens=((0, 0),), seed=0):
    x = normal(*shape, seed=seed)
    for sample, token in tokens:
        x[sample, token] *= 1000
    return x


@pytest.mark.parametrize("role", ["activation", "unknown"])
@pytest.mark.parametrize("seed", range(3))
def test_a_token_that_forces_the_step_is_named(role, seed):
    x = massive(seed=seed)
    made = rules(x, role=role)
    assert UNLIKE & set(made) == {"OUTLIER-CHANNEL"}  # channels are small in it by chance
    found = made["OUTLIER-CHANNEL"]
    assert found.severity == "high" and found.message.startswith("Token 0 forces the step")
    e = found.evidence
    assert (e["channels"], e["axis"], e["quiet_channels"]) == ([0], 1, 127)
    others = x[0, 1:]
    now, then = back(x)[0, 1:], back(x, -1)[0, 1:]
    assert e["quiet_sqnr"] == pytest.approx(sqnr(others, now), abs=1e-3)
    fix = found.fixes[0]
    assert fix.how == {"granularity": "per_token"} and fix.measured_at == "other tokens"
    assert fix.gain_db == pytest.approx(sqnr(others, then) - sqnr(others, now), abs=1e-2)
    assert fix.action.endswith("if the rows are tokens") == (role == "unknown")


@pytest.mark.parametrize(
    ("x", "places", "rows"),
    [
        (massive((2, 64, 96), [(0, 0), (1, 0)]), [0], [0, 64]),
        (massive((2, 64, 96), [(0, 9), (1, 5)]), [5, 9], [9, 69]),
        ([massive((1, 64, 96)), massive((1, 64, 96), seed=1)], [0], [0, 64]),
    ],
)
def test_tokens_are_named_by_their_place_in_a_sample(x, places, rows):
    e = rules(x, role="activation")["OUTLIER-CHANNEL"].evidence
    assert sorted(e["channels"]) == places and sorted(e["rows"]) == rows
    assert len(e["absmax"]) == len(places) and e["quiet_channels"] == 126


def test_a_token_of_a_matrix():
    x = massive()[0]
    found = rules(x, role="activation")["OUTLIER-CHANNEL"]
    assert found.message.startswith("Token 0") and found.evidence["axis"] == 0
    unknown = rules(x)["OUTLIER-CHANNEL"]  # a row of a weight, or a token
    hows = [fix.how["granularity"] for fix in unknown.fixes if "granularity" in fix.how]
    assert hows == ["per_channel:0", "per_token"]
    assert unknown.fixes[0].gain_db == pytest.approx(unknown.fixes[1].gain_db)


def test_an_image_far_louder_than_all_others():
    x = normal(8, 16, 9, 9)
    x[3] *= 1000
    found = rules(x, role="activation")["OUTLIER-CHANNEL"]
    assert found.message.startswith("Sample 3 forces the step") and found.severity == "high"
    assert found.analysis[0].measured_at == "other samples"
    assert all("granularity" not in fix.how for fix in found.fixes)


def few_values():
    x = normal(2, 64, 96)
    x.reshape(-1)[np.random.default_rng(1).integers(0, x.size, 8)] = 300
    return x


def masks():
    x = normal(1, 128, 64)
    x[0, :9] = -1e9
    return x


def loud_tenth():
    x = normal(1, 128, 64)
    x[0, ::4] *= 1000
    return x


@pytest.mark.parametrize("make", [few_values, masks, loud_tenth])
def test_what_no_token_explains(make):
    found = rules(make(), role="activation").get("OUTLIER-CHANNEL")
    assert found is None or found.evidence["unit"] == "channel"


def test_tokens_that_leave_10_db_to_the_others_are_no_finding():
    x = normal(1, 128, 64)
    x[0, 0] *= 10
    assert sqnr(x[0, 1:], back(x)[0, 1:]) > 10
    assert not UNLIKE & set(rules(x, role="activation"))


def loud_last():
    x = normal(4, 30, 64)
    x[..., 5] *= 80
    return x


@pytest.mark.parametrize("role", ["activation", "unknown"])
@pytest.mark.parametrize(
    ("cause", "case"),
    [
        ("SATURATED-CODES", {"given": Given.of(0.007874 / 50, 128)}),
        ("ZP-AT-EDGE", {"observer": "manual:lo=-250,hi=-200"}),
        ("STEP-TOO-LARGE", {"given": Given.of(100.0, 128)}),
    ],
)
def test_a_step_that_no_channel_made_is_not_laid_at_its_door(cause, case, role):
    made = rules(loud_last(), QuantSpec(8), role=role, **case)
    assert cause in made and not UNLIKE & set(made)


def test_a_given_step_that_reaches_the_loud_channel_is_forced_by_it():
    x = loud_last()
    made = rules(x, role="activation", given=Given.of(np.abs(x).max() / 127, 0, (-128, 127)))
    found = made["OUTLIER-CHANNEL"]
    assert found.evidence["channels"] == [5] and found.severity == "high"
    own = found.analysis[0]  # the ranges are then those of the channels
    assert own.how == {"observer": "minmax", "granularity": "per_channel:2"} and own.gain_db > 30


def test_a_channel_that_is_not_alone_sets_the_step_but_forces_none():
    x = normal(64, 128)
    x *= np.r_[7.0, 4.5, np.ones(62)][:, None] / np.abs(x).max(1, keepdims=True)
    found = rules(x, role="weight")["OUTLIER-CHANNEL"]
    assert "Channel 0 sets the step, 7 times" in found.message
    assert "the next one 4.5 times" in found.message
    assert found.evidence["next_times"] == pytest.approx(4.5)


def dead(factor):
    x = normal(16, 256, seed=8).astype(np.float32)
    x[4] = 0
    x[9] *= np.float32(factor)
    return x


@pytest.mark.parametrize("role", ["weight", "unknown"])
def test_a_channel_as_good_as_dead_is_a_note(role):
    made = rules(dead(1e-7), role=role)
    assert {name for name, f in made.items() if not f.expected} == {"DEAD-CHANNEL"}
    found = made["DEAD-CHANNEL"]
    assert found.severity == "note" and "norm or a depthwise layer" in found.message
    assert found.evidence["channels"] == [4, 9] and found.evidence["near_dead"] == [9]
    x = dead(1e-7).astype(float)
    assert found.evidence["energy_share"] == pytest.approx((x[9] ** 2).sum() / (x**2).sum())
    assert "WRONG-AXIS" not in rules(dead(1e-7), role=role, granularity="per_channel:1")


def test_a_faint_output_of_a_weight_stays_a_finding():
    x = dead(1e-3)
    assert rules(x, role="weight")["MIXED-RANGES"].severity == "high"
    assert rules(x, role="weight")["DEAD-CHANNEL"].evidence["channels"] == [4]
    wrong = rules(x, role="weight", granularity="per_channel:1")["WRONG-AXIS"]
    assert wrong.evidence["channels"] == [9] and wrong.evidence["faint_axes"] == [0]


def outcome(read):
    """What reaches an output that reads the tensor so."""

    def run(flat):
        want, got = read(dead(1e-7).astype(float)), read(flat.reshape(16, 256).astype(float))
        return Outcome(sqnr(want, got), None)

    return run


def normed(x):
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-30)


def test_what_reads_each_channel_by_itself_misses_one_as_good_as_dead():
    made = rules(dead(1e-7), role="weight", runs=outcome(normed))
    found = made["MIXED-RANGES"]
    assert found.severity == "high" and found.evidence["worst_channel"] == 9
    assert found.fixes[0].how == {"granularity": "per_channel:0"}
    assert found.fixes[0].measured_at == "output" and found.fixes[0].gain_db > 20
    summed = rules(dead(1e-7), role="weight", runs=outcome(lambda x: x.sum(0)))
    assert "MIXED-RANGES" not in summed and summed["DEAD-CHANNEL"].severity == "note"


def test_under_steps_of_their_own_nothing_is_lost():
    made = rules(dead(1e-7), role="weight", granularity="per_channel:0")
    assert made["DEAD-CHANNEL"].evidence["channels"] == [4]


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("granularity", ["per_tensor", "per_channel:0", "per_channel:1"])
@pytest.mark.parametrize("role", ["weight", "activation", "unknown"])
def test_masks_at_the_end_of_float64_are_masks(sign, granularity, role):
    r = np.random.default_rng(0)
    x = 2 * r.standard_normal((10, 200))
    x[r.random(x.shape) < 0.2] = sign * np.finfo(float).max
    made = rules(x, QuantSpec(8), role=role, granularity=granularity)
    assert {name for name, f in made.items() if f.severity != "note"} == {"NON-FINITE"}
