"""Tensors of which a sample is judged: ranges are of all elements, and baselines are not lost."""

import numpy as np
import pytest

from qviz.doctor import Bias, Case, examined
from qviz.doctor.axes import most_apart
from qviz.doctor.gains import gained, measured, remedies
from qviz.doctor.settings import changed, present
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.stats.stream import Stream
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
NARROW = QuantSpec(8, signed=True, symmetric=True, narrow_range=True)


def rng():
    return np.random.default_rng(0)


def full_range(x, amax):
    """Fake-quantized with a step of amax / 127, codes -128 to 127."""
    step = amax / 127
    return np.clip(np.rint(x / step), -128, 127) * step


def rules(case):
    return {finding.rule: finding for finding in examined(case).findings}


def above_notes(case):
    return [f.rule for f in examined(case).findings if f.severity != "note"]


def test_over_a_million_elements_the_present_state_is_the_baseline():
    x = rng().standard_normal(1_100_000).astype(np.float32)
    x[:40] = 25
    made = Case.of(x, QuantSpec(8))
    low, wide = float(x.min()), x.astype(float)
    step = (25 - low) / 255
    zero = np.rint(-low / step)
    back = (np.clip(np.rint(wide / step) + zero, 0, 255) - zero) * step
    assert measured(made, present(made), "tensor") == pytest.approx(sqnr(wide, back), abs=0.05)
    cut = gained(made, changed(made, observer="percentile"), "tensor")
    assert cut == pytest.approx(-11.8, abs=0.2)
    assert above_notes(made) == []


def test_what_has_no_number_is_not_taken_for_nothing(monkeypatch):
    made = Case.of(rng().standard_normal((64, 64)), INT8)
    better = changed(made, bits=16)
    made.known[present(made), "tensor"] = None
    assert measured(made, better, "tensor") > 60
    assert gained(made, better, "tensor") is None


def test_a_step_for_each_channel_is_taken_from_all_of_its_elements():
    w = (rng().standard_normal((3072, 256)) * 0.02).astype(np.float32)
    w[:2] *= 20
    made = Case.of(w, INT8, role="weight")
    quiet = w[2:].astype(float)
    now = sqnr(quiet, full_range(quiet, np.abs(w.astype(float)).max()))
    own = sqnr(quiet, full_range(quiet, np.abs(quiet).max(1, keepdims=True)))
    assert made.channels.sampled
    first = rules(made)["OUTLIER-CHANNEL"].fixes[0]
    assert first.how == {"granularity": "per_channel:0"}
    assert first.gain_db == pytest.approx(own - now, abs=0.1)


@pytest.mark.parametrize("role", ["weight", "unknown", "activation"])
def test_an_ordinary_embedding_is_healthy(role):
    w = (rng().standard_normal((20_000, 32)) * 0.02).astype(np.float32)
    assert above_notes(Case.of(w, INT8, role=role)) == []
    along = Case.of(w, INT8, role="weight", granularity="per_channel:0")
    assert above_notes(along) == []
    assert along.scales.min() == pytest.approx(np.abs(w).max(1).min() / 127, rel=1e-6)


def test_scales_of_channels_are_those_of_all_elements_when_a_bias_meets_them():
    w = rng().standard_normal((1024, 512)).astype(np.float32)
    limit = np.abs(w.astype(float)).max(1) / 127 * 0.5 * (2**31 - 1)
    made = Case.of(w, INT8, role="weight", granularity="per_channel:0")
    for share, count in ((0.95, 0), (1.05, 1024)):
        over = Case(
            made.stream, made.target, made.observer, "weight", bias=Bias(limit * share, 0.5)
        )
        found = rules(over).get("BIAS-OVERFLOW")
        assert (0 if found is None else found.evidence["count"]) == count


def test_the_worst_channel_is_told_by_all_of_its_elements():
    w = (rng().standard_normal((256, 4096)) * 0.02).astype(np.float32)
    w[200] /= 40
    w[7, 11] = 0.15
    made = Case.of(w, INT8, role="weight")
    assert made.channels.sampled
    found = rules(made)["MIXED-RANGES"]
    row = w[200].astype(float)
    exact = sqnr(row, full_range(row, np.abs(w.astype(float)).max()))
    assert found.evidence["worst_channel"] == 200
    assert found.evidence["worst_sqnr"] == pytest.approx(exact, abs=1e-3)


def test_channels_that_are_ruined_beside_outliers_are_told_too():
    rows = np.logspace(-3, 0, 24)[:, None, None, None]
    w = rng().standard_normal((24, 1, 3, 3)) * rows
    found = rules(Case.of(w, INT8, role="weight"))
    assert found["MIXED-RANGES"].evidence["worst_sqnr"] == pytest.approx(0, abs=0.1)


def test_one_loud_channel_alone_leaves_the_others_alike():
    x = rng().standard_normal((128, 64))
    x[:, 7] *= 60
    found = rules(Case.of(x, INT8, role="activation"))
    assert "OUTLIER-CHANNEL" in found and "MIXED-RANGES" not in found


def test_rows_of_a_long_table_are_no_channels():
    x = rng().laplace(size=(20_000, 10))
    assert most_apart(Stream.of(x)) == 1 and most_apart(Stream.of(x.T.copy())) == 0
    assert above_notes(Case.of(x, INT8)) == [] == above_notes(Case.of(x.T.copy(), INT8))
    depthwise = rng().standard_normal((32, 9)) * np.logspace(-3, 0, 32)[:, None]
    assert most_apart(Stream.of(depthwise)) == 0


@pytest.mark.parametrize("granularity", ["per_channel:0", "per_channel:1"])
def test_masks_under_a_step_for_each_channel(granularity):
    x = rng().standard_normal((32, 64))
    mask = np.random.default_rng(1).uniform(size=x.shape) < 0.01
    x[mask] = -1e4
    found = rules(Case.of(x, NARROW, observer="absmax", granularity=granularity))["NON-FINITE"]
    others = np.where(mask, 0, x)
    axis = int(granularity[-1])

    def back(amax):
        step = amax / 127
        return np.where(mask, 0, np.clip(np.rint(others / step), -127, 127) * step)

    now = sqnr(others, back(np.abs(x).max(1 - axis, keepdims=True)))
    then = sqnr(others, back(np.abs(others).max()))
    (fix,) = found.fixes
    assert fix.measured_at == "other values"
    assert fix.gain_db == pytest.approx(then - now, abs=0.3)  # cells' middles stand for the ends


def test_many_elements_with_an_observer_that_counts():
    x = rng().standard_normal((2048, 2049)).astype(np.float32)
    made = Case.of(x, INT8, observer="percentile", granularity="per_channel:0")
    assert made.channels.sampled
    assert measured(made, present(made), "quiet channels") > 15
    other = changed(made, observer="percentile:keep=99")
    assert gained(made, other, "quiet channels") is None
    assert gained(made, changed(made, observer="minmax"), "quiet channels") > 3
    assert Target.of(INT8).granularity != made.target.granularity


def test_masks_that_the_range_leaves_out_are_as_expected():
    x = rng().standard_normal((64, 64))
    x[:, 5] = -1e4
    near = float(np.abs(x[np.abs(x) < 100]).max())
    for asked, expected in ((f"manual:lo={-near},hi={near}", True), ("absmax", False)):
        found = rules(Case.of(x, INT8, observer=asked, role="activation"))
        assert found["NON-FINITE"].expected is expected
        assert not {"OUTLIER-CHANNEL", "MIXED-RANGES"} & set(found)  # channels of masks are no news
    assert found["NON-FINITE"].fixes[0].gain_db > 30


def test_rows_that_sum_to_one_are_no_channels_that_differ():
    """Attention to what came before: the first row of a causal mask is always 1."""
    scores = np.exp(2 * rng().standard_normal((4, 64, 64))) * np.tril(np.ones((64, 64)))
    x = scores / scores.sum(-1, keepdims=True)
    assert "OUTLIER-CHANNEL" not in rules(Case.of(x, QuantSpec(8), role="activation"))


def test_more_bits_alone_make_nothing_severe():
    made = remedies(
        Case.of(rng().standard_normal((64, 64)), INT8), [("use 16 bits", _sixteen())], "tensor"
    )
    assert made.fixes[0].gain_db > 40 and made.severity == "note"


def _sixteen():
    return changed(Case.of(np.ones((2, 2)), INT8), bits=16)


def test_the_floor_of_a_bias_is_that_of_the_channels_that_overflow():
    w = np.array([[1e-7, -1e-7], [1.0, -1.0]])
    bias = Bias(np.array([3.0, 6.0]), 0.5)
    made = Case.of(w, INT8, role="weight", granularity="per_channel:0", bias=bias)
    found = rules(made)["BIAS-OVERFLOW"]
    assert found.evidence["channels"] == [0]
    assert found.evidence["safe_weight_scale"] == pytest.approx(3.0 / (2**31 - 1) / 0.5)
