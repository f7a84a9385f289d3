import numpy as np
import pytest

from qviz.doctor import Case, examined
from qviz.doctor.masks import data, masked, reach, unmasked
from qviz.spec import QuantSpec
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
LOWEST = float(np.finfo(np.float32).min)


def scores(mask=-1e9, share=0.4, shape=(2, 4, 32, 32)):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    return np.where(rng.random(shape) < share, mask, x).astype(np.float32)


def found(x, spec=None, **known):
    return {f.rule: f for f in examined(Case.of(x, spec, **known)).findings}


def test_masks_are_far_ones_over_and_over_or_beyond_1e30():
    x = scores()
    case = Case.of(x)
    there = x[x > -100].astype(float)
    assert masked(case) and reach(case, data(case)) == (there.min(), there.max())
    assert masked(Case.of(np.r_[there, 1e38])) and not masked(Case.of(np.r_[there, 1e9]))


@pytest.mark.parametrize(
    "x",
    [
        np.random.default_rng(0).standard_normal(512) > 0,
        np.eye(32),
        np.r_[np.zeros(500), np.full(500, 1e-3)],
        1e38 * np.tanh(np.random.default_rng(0).standard_normal(512)),
        1e300 * np.random.default_rng(0).standard_normal(512),
        np.full(9, 3.0),
    ],
)
def test_two_values_are_no_masks_and_neither_is_all_of_a_tensor(x):
    case = Case.of(x)
    assert not masked(case) and unmasked(case) is case


def test_without_masks_the_grid_stays_as_it_is():
    x = scores()
    bare = unmasked(Case.of(x, observer="manual:lo=-2,hi=2"))
    there = x[x > -100].astype(float)
    step = 4 / 255
    back = (np.clip(np.rint(there / step) + 128, 0, 255) - 128) * step
    assert bare.metric("sqnr") == pytest.approx(sqnr(there, back), abs=0.01)
    assert bare.metric("clipped") == (np.abs(np.rint(there / step) + 0.5) > 128).sum()


@pytest.mark.parametrize("mask", [-1e9, -1e4, LOWEST, 65504.0])
@pytest.mark.parametrize("granularity", ["per_tensor", "per_channel:0"])
@pytest.mark.parametrize("shift", [0, 5, -5])
def test_once_the_range_leaves_masks_out_nothing_is_left_to_say(mask, granularity, shift):
    x = scores(mask)
    x[np.abs(x) < 100] += shift
    along = {"granularity": granularity}
    for spec in (QuantSpec(8), INT8):
        (fix,) = found(x, spec, **along)["NON-FINITE"].fixes
        then = found(x, spec, observer=fix.how["observer"], **along)
        assert {f.severity for f in then.values()} == {"note"}
        assert then["NON-FINITE"].expected


def test_a_window_that_moves_keeps_the_data_when_masks_are_left_out():
    x = scores()
    x[x > -100] = np.abs(x[x > -100]) + 2
    (fix,) = found(x, mode="tf.fake_quant")["NON-FINITE"].fixes
    assert fix.how["observer"].startswith("manual:lo=0,")
    then = found(x, mode="tf.fake_quant", observer=fix.how["observer"])
    assert {f.severity for f in then.values()} == {"note"}


def test_a_range_of_magnitudes_that_fits_the_data_beside_masks_is_none():
    then = found(scores(), observer="manual:lo=-4,hi=4")
    assert "ABS-HISTOGRAM-ON-ASYMMETRIC" not in then and "ERROR-YARDSTICK" not in then
