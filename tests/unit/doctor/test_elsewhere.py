"""Channels that differ along another axis than the chosen one, be they loud or faint."""

import numpy as np
import pytest

from qviz.doctor import Case, examined
from qviz.doctor.axes import above, apart, below, middle, most_apart, spread_along, times_below
from qviz.doctor.base import NOTE
from qviz.spec import QuantSpec
from qviz.stats.stream import Stream
from tests.unit.doctor.healthy import tensors
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
INT4 = QuantSpec(4, signed=True, symmetric=True)
COLUMNS = [3, 7, 20]
OTHERS = np.delete(np.arange(32), COLUMNS)


def weight(factor, columns=COLUMNS, shape=(64, 32)):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    x[:, columns] *= np.float32(factor)
    return x


def rules(x, spec=INT8, **words):
    return {f.rule: f for f in examined(Case.of(x, spec, **words)).findings}


def back(x, axis=None):
    step = np.abs(x.astype(float)).max(axis=axis, keepdims=True) / 127
    return np.clip(np.rint(x / step), -128, 127) * step


def test_a_group_lies_below_where_there_is_a_gap():
    amax = np.array([1.0, 0.9, 0.001, 1.1, 0.0, 0.002, 1.2])  # the median of 6 is 0.95
    assert np.flatnonzero(below(amax)).tolist() == [2, 5]
    assert times_below(amax) == pytest.approx(0.95 / 0.002)
    assert apart(amax) == pytest.approx(1.2 / 0.95)
    fading = np.logspace(-3, 0, 32)  # each is 1.25 times the one before
    assert not below(fading).any() and times_below(fading) == 0
    loud = np.array([1.0, 1, 1, 1000])
    assert not below(loud).any() and apart(loud) == 1000
    assert not below(np.zeros(3)).any() and not below(np.zeros(0)).any()


def test_a_group_lies_above_where_there_is_a_gap():
    amax = np.array([1.0, 900, 0, 1.1, 1000, 0.9, 1.2, 400])  # the median of 7 is 1.2
    assert np.flatnonzero(above(amax)).tolist() == [1, 4, 7]
    assert not above(np.logspace(-3, 0, 32)).any() and not above(np.ones(5)).any()
    assert not above(np.zeros(3)).any() and not above(np.zeros(0)).any()


def test_the_widest_of_several_gaps_parts_the_group():
    amax = np.array([1.0, 1, 1, 1, 0.2, 0.001])
    assert np.flatnonzero(below(amax)).tolist() == [5]


def test_a_channel_as_good_as_dead_lies_in_no_group():
    amax = np.array([1.0, 1, 1, 1, 1e-3, 9e-5])
    assert np.flatnonzero(below(amax)).tolist() == [4]
    assert not below(np.array([1e308, 1e308, 1e-308])).any()


def test_magnitudes_near_the_largest_of_all_have_a_median():
    amax = np.full(10, np.finfo(float).max)
    with np.errstate(all="raise"):
        assert middle(amax) == amax[0] and apart(amax) == 1
        assert not below(amax).any() and not above(amax).any() and times_below(amax) == 0
        assert apart(np.array([1e-308, 1e-308, 1e308])) == amax[0]


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_the_axis_of_an_unknown_tensor_is_that_of_either_group(factor):
    assert most_apart(Stream.of(weight(factor))) == 1
    assert most_apart(Stream.of(weight(factor).T.copy())) == 0
    rows, columns = spread_along(Stream.of(weight(factor)))
    assert rows < 4 < 700 < columns


def test_faint_columns_under_steps_for_each_row():
    x = weight(1e-3)
    found = rules(x, role="weight", granularity="per_channel:0")["WRONG-AXIS"]
    assert found.severity == "high" and "channels 3, 7, 20" in found.message
    assert found.evidence["channels"] == COLUMNS and found.evidence["other"] == 1
    now, then = back(x, 1), back(x, 0)
    lost, kept = (sqnr(x[:, COLUMNS], y[:, COLUMNS]) for y in (now, then))
    assert lost == pytest.approx(0, abs=1e-6) and kept > 40
    assert found.evidence["quiet_sqnr"] == pytest.approx(lost, abs=1e-3)
    assert found.evidence["quiet_sqnr_then"] == pytest.approx(kept, abs=1e-3)
    loss = sqnr(x, then) - sqnr(x, now)  # the columns are longer than the rows
    assert loss < -0.5 and found.fixes == ()
    assert found.tried[0].gain_db == pytest.approx(loss, abs=1e-3)
    assert found.analysis[0].gain_db == pytest.approx(kept - lost, abs=1e-3)


def test_the_other_axis_is_offered_where_it_costs_the_whole_nothing():
    x = weight(1e-3, shape=(64, 512))
    found = rules(x, role="weight", granularity="per_channel:0")["WRONG-AXIS"]
    (fix,) = found.fixes
    assert fix.how == {"granularity": "per_channel:1"} and fix.measured_at == "quiet channels"
    gain = sqnr(x[:, COLUMNS], back(x, 0)[:, COLUMNS])
    assert fix.gain_db == pytest.approx(gain, abs=1e-2)


@pytest.mark.parametrize("columns", [COLUMNS, list(range(20, 32))])
def test_loud_columns_are_judged_by_what_they_leave_to_the_others(columns):
    x = weight(1e3, columns)
    found = rules(x, role="weight", granularity="per_channel:0")["WRONG-AXIS"]
    assert found.severity == "high" and found.evidence["channels"] == columns
    rest = np.delete(x, columns, axis=1)
    left = sqnr(rest, np.delete(back(x, 1), columns, axis=1))
    assert found.evidence["quiet_sqnr"] == pytest.approx(left, abs=1e-3)
    assert left < 1 and "leave the others" in found.message


@pytest.mark.parametrize("factor", [1 / 5, 5])
def test_a_group_that_keeps_10_db_is_no_finding(factor):
    x = weight(factor)
    left = sqnr(x[:, COLUMNS], back(x, 1)[:, COLUMNS])
    assert left > 10
    assert "WRONG-AXIS" not in rules(x, role="weight", granularity="per_channel:0")


@pytest.mark.parametrize("role", ["weight", "unknown", "activation"])
def test_faint_columns_under_one_step(role):
    x = weight(1e-3)
    found = rules(x, role=role)["MIXED-RANGES"]
    assert found.severity == "high" and "channels 3, 7, 20 of axis 1" in found.message
    assert found.evidence["faint"] == COLUMNS and found.evidence["axis"] == 1
    assert found.evidence["worst_sqnr"] == pytest.approx(0, abs=1e-9)


def test_loud_columns_of_a_weight_under_one_step():
    found = rules(weight(1e3), role="weight")["OUTLIER-CHANNEL"]
    assert found.evidence["channels"] and set(found.evidence["channels"]) == set(COLUMNS)
    assert found.evidence["axis"] == 1 and found.severity == "high"


def test_an_axis_that_was_given_is_left_alone():
    assert "MIXED-RANGES" not in rules(weight(1e-3), role="weight", axis=0)


def test_places_of_a_kernel_are_no_channels():
    x = np.random.default_rng(0).standard_normal((64, 16, 9)).astype(np.float32)
    x[..., [0, 8]] *= np.float32(1e-3)
    assert "MIXED-RANGES" not in rules(x, role="weight")


@pytest.mark.parametrize("axis", [0, 1])
def test_ordinary_tensors_have_the_right_axis(axis):
    for name, x, spec, role in tensors(seeds=1):
        if x.ndim > 1:
            found = rules(x, spec, role=role, granularity=f"per_channel:{axis}")
            assert "WRONG-AXIS" not in found, name


def sinusoids(length, width):
    at = np.arange(length)[:, None] / 10000 ** (np.arange(0, width, 2) / width)
    both = np.stack([np.sin(at), np.cos(at)], axis=-1)
    return both.reshape(length, width).astype(np.float32)


TABLES = {
    "sinusoids 512x64": sinusoids(512, 64),
    "sinusoids 64x512": sinusoids(64, 512),
    "sinusoids 512x768": sinusoids(512, 768),
    "learned": 0.02 * np.random.default_rng(0).standard_normal((512, 64)),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("spec", [INT8, INT4, QuantSpec(8), QuantSpec(4)])
def test_tables_of_positions_are_at_most_a_note(name, spec):
    for role in ("weight", "activation", "unknown"):
        for granularity in ("per_tensor", "per_channel:0", "per_channel:1"):
            made = examined(Case.of(TABLES[name], spec, role=role, granularity=granularity))
            loud = {f.rule for f in made.findings if f.severity != "note"}
            # [-1, 1] is a tie of the zero point, whatever lies between
            assert loud <= (set() if spec.symmetric else {"ZP-KNIFE-EDGE"}), (name, role)


def test_channels_that_fade_are_told_by_the_whole():
    found = rules(sinusoids(64, 512), role="activation")["MIXED-RANGES"]
    assert found.severity == "note" and "fade step by step" in found.message
    assert found.evidence["below_10_db"] == 20 and found.evidence["faint"] == []
    assert {fix.measured_at for fix in (*found.fixes, *found.tried)} == {"tensor"}
    assert "MIXED-RANGES" not in rules(sinusoids(512, 64), role="activation")  # 24.7 dB at worst


@pytest.mark.parametrize("order", ["NCHW", "NHWC"])
def test_rows_and_columns_of_heat_maps_are_no_channels(order):
    spot = np.exp(-((np.arange(48.0) - 24) ** 2) / 20)
    x = (spot[:, None] * spot)[None, None] * np.ones((2, 5, 1, 1))
    loud = x * np.where(np.arange(5) == 3, 300.0, 1.0)[:, None, None]
    axes = (0, 1, 2, 3) if order == "NCHW" else (0, 2, 3, 1)
    found = examined(Case.of(np.float32(x.transpose(axes)), QuantSpec(8)))
    assert all(finding.severity == NOTE for finding in found.findings)
    assert most_apart(Stream.of(np.float32(loud.transpose(axes)))) == axes.index(1)


def test_a_kernel_stored_with_its_outputs_last_has_channels_on_both_axes():
    x = np.float32(np.random.default_rng(0).normal(size=(3, 3, 48, 48)))
    x[:, :, 7] *= 50
    assert most_apart(Stream.of(x)) == 2


def peaks(loud=1.0):
    """Heat maps of 17 points on 64 x 48 places, NCHW."""
    y, x = np.mgrid[:64, :48]
    at = np.random.default_rng(0).integers((20, 18), (40, 30), (2, 17, 2))
    away = (y - at[..., :1, None]) ** 2 + (x - at[..., 1:, None]) ** 2
    maps = np.exp(-away / 8) + 1e-3 * np.random.default_rng(1).random(away.shape)
    maps[:, 5] *= loud
    return np.float32(maps)


def bordered(columns, shape=(4, 16, 40, 40)):
    x = np.random.default_rng(5).standard_normal(shape)
    x[..., columns] *= 1e-3
    return np.float32(x)


ORDERS = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 2, 3, 1)}
IMAGES = {
    "peaks": peaks(),
    "borders": bordered([0, 38, 39]),
    "narrow borders": bordered([0, 39]),
    "borders of oblong images": bordered([0, 50, 51], (4, 16, 40, 52)),
}


@pytest.mark.parametrize("role", ["activation", "unknown"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", IMAGES)
def test_places_of_images_are_no_channels(name, order, role):
    found = rules(IMAGES[name].transpose(ORDERS[order]), role=role)
    assert all(finding.severity == NOTE for finding in found.values()), found


@pytest.mark.parametrize("role", ["activation", "unknown"])
@pytest.mark.parametrize("order", ORDERS)
def test_a_loud_channel_of_heat_maps(order, role):
    found = rules(peaks(300.0).transpose(ORDERS[order]), role=role)["OUTLIER-CHANNEL"]
    assert found.evidence["channels"] == [5]
    assert found.evidence["axis"] == ORDERS[order].index(1)


@pytest.mark.parametrize("order", ORDERS)
def test_channels_of_images_with_a_role_lie_where_they_differ(order):
    x = np.maximum(np.random.default_rng(3).standard_normal((2, 32, 12, 12)), 0)
    case = Case.of(x.transpose(ORDERS[order]), role="activation")
    assert case.channel_axis == 1  # about equal: by custom
    x[:, 5] *= 60
    found = rules(x.transpose(ORDERS[order]), role="activation")["OUTLIER-CHANNEL"]
    assert found.evidence["channels"] == [5]
    assert found.evidence["axis"] == ORDERS[order].index(1)
    given = Case.of(x.transpose(ORDERS[order]), role="activation", axis=1)
    assert given.channel_axis == 1
