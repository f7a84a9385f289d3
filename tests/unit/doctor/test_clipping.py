"""What is clipped is judged by what it costs all values, however the channels differ."""

import numpy as np
import pytest

from qviz.doctor import Case, Given, examined
from qviz.doctor.clipping import undone, widened, without_masks
from qviz.doctor.gains import clips_loud, whole, yardstick
from qviz.doctor.settings import changed
from qviz.spec import QuantSpec
from tests.unit.doctor.test_masks import scores
from tests.unit.samples import sqnr

SHAPES = ((200_000,), (2, 10, 100, 100), (200, 1000), (4, 500, 100))


def peaks(shape):
    """A heat map: 40 peaks far above all else."""
    x = np.abs(np.random.default_rng(0).normal(0, 0.02, 200_000))
    x[:40] = np.random.default_rng(1).uniform(0.6, 1, 40)
    return np.random.default_rng(2).permutation(x).astype(np.float32).reshape(shape)


def affine(x, lo, hi):
    step = (hi - lo) / 255
    zero = np.rint(-lo / step)
    return (np.clip(np.rint(x / step) + zero, 0, 255) - zero) * step


def found(case):
    return {f.rule: f for f in examined(case).findings}


def of(made, action):
    return next(fix for fix in (*made.fixes, *made.tried) if action in fix.action)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("role", ["unknown", "activation"])
def test_peaks_that_are_cut_off_cost_as_much_with_channels_as_without(shape, role):
    made = found(Case.of(peaks(shape), observer="manual:lo=0,hi=0.078", role=role))
    tail, x = made["CLIPPED-TAIL-MATTERS"], peaks(-1).astype(float)
    gain = sqnr(x, affine(x, 0, x.max())) - sqnr(x, affine(x, 0, 0.078))
    fix = of(tail, "min-max")
    assert (fix.gain_db, fix.measured_at) == (pytest.approx(gain, abs=0.02), "tensor")
    assert tail.severity == "high" and tail.gain >= gain > 18
    assert made["ERROR-YARDSTICK"].message.endswith("CLIPPED-TAIL-MATTERS says why.")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("observer", ["entropy", "percentile:keep=99.9"])
def test_whatever_cut_them(shape, observer):
    made = found(Case.of(peaks(shape), observer=observer))
    assert made["CLIPPED-TAIL-MATTERS"].severity == "high"
    assert of(made["CLIPPED-TAIL-MATTERS"], "min-max").gain_db > 18


def loud():
    x = np.random.default_rng(0).standard_normal((128, 64)).astype(np.float32)
    x[:, 7] *= 60
    return x


def test_no_channel_pays_for_what_the_range_leaves_out():
    case = Case.of(loud(), role="activation")
    assert yardstick(case) == "quiet channels" and not clips_loud(case)
    assert whole(case) == "tensor"
    cut = Case.of(loud(), role="activation", observer="manual:lo=-4,hi=4")
    assert clips_loud(cut) and yardstick(cut) == "tensor"
    part = Case.of(loud(), role="activation", observer="manual:lo=-40,hi=40")
    assert yardstick(part) == "quiet channels"


def test_codes_of_other_data_are_judged_on_the_tensor_whatever_channel_is_loud():
    x = 50 * loud()
    made = found(Case.of(x, given=Given.of(1 / 127, 128), role="activation"))["SATURATED-CODES"]
    wide = x.astype(float)
    back = (np.clip(np.rint(wide * 127) + 128, 0, 255) - 128) / 127
    gain = sqnr(wide, affine(wide, wide.min(), wide.max())) - sqnr(wide, back)
    assert of(made, "min-max").gain_db == pytest.approx(gain, abs=0.05)
    assert made.severity == "high"


def test_a_zero_point_at_the_edge_too():
    x = loud()
    made = found(Case.of(x, observer="manual:lo=0,hi=8", role="activation"))["ZP-AT-EDGE"]
    wide = x.astype(float)
    gain = sqnr(wide, affine(wide, wide.min(), wide.max())) - sqnr(wide, affine(wide, 0, 8))
    assert of(made, "min-max").gain_db == pytest.approx(gain, abs=0.02)


def test_beside_masks_the_range_of_the_data_is_what_counts():
    x = scores()
    case = Case.of(x, observer="manual:lo=-0.5,hi=0.5")
    there = x[x > -100].astype(float)
    then, now = affine(there, there.min(), there.max()), affine(there, -0.5, 0.5)
    (fix,) = undone(case).fixes
    assert fix.measured_at == "other values"
    assert fix.gain_db == pytest.approx(sqnr(there, then) - sqnr(there, now), abs=0.02)
    made = found(case)["SATURATED-CODES"]
    assert made.severity == "high" and made.fixes[0].how == fix.how


def test_without_masks_there_is_nothing_to_leave_out():
    case = Case.of(loud(), QuantSpec(8))
    assert without_masks(case) == []
    (fix,) = widened(case, [("use 4 bits", changed(case, bits=4))]).tried
    assert fix.measured_at == "tensor" and fix.gain_db < -10


def test_a_little_gain_is_not_denied():
    x = np.random.default_rng(0).standard_t(2.5, size=100_000)
    made = found(Case.of(x, QuantSpec(4), observer="manual:lo=-10,hi=10"))["ERROR-YARDSTICK"]
    assert made.expected and 0.05 < made.gain < 0.5
    assert made.message.endswith("and that pays: no wider range gains 0.5 dB.")
    best = found(Case.of(x, QuantSpec(4), observer="mse"))["ERROR-YARDSTICK"]
    assert best.fixes == () and best.message.endswith("no wider range does better.")
