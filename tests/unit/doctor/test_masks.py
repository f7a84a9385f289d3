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


def massive(level, kind="varies"):
    """Tokens of a language model, channel 7 of which is far out in each."""
    x = np.random.default_rng(1).standard_normal((128, 512))
    x[:, 7] = level + (np.random.default_rng(2).standard_normal(128) if kind == "varies" else 0)
    return x


def column(values):
    x = np.random.default_rng(0).random((1000, 4))
    x[:, 3] = values
    return x


def spotted(low, high):
    """Rows of small values, one of which is far larger."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, low, (100, 20))
    x[np.arange(100), rng.integers(0, 20, 100)] = high
    return x


def sharp():
    """Softmax that is nearly one-hot."""
    x = np.full((200, 10), 1e-4)
    x[np.arange(200), np.arange(200) % 10] = 1 - 9e-4
    x[0] = (0.0005, *[0.0001] * 8, 0.9987)
    return x


def image(level):
    x = np.random.default_rng(0).standard_normal((4, 16, 14, 14))
    x[:, 3] += level
    return x


def row(level):
    x = np.random.default_rng(0).standard_normal((2, 64, 96))
    x[:, 5] = level
    return x


REAL = {
    "softmax": sharp(),
    "dimension": massive(-600),
    "dimension of one value": massive(-600, "constant"),
    "column": column(640.0),
    "column that varies": column(np.random.default_rng(1).uniform(600, 640, 1000)),
    "column of times": column(1.6e9 + np.random.default_rng(1).standard_normal(1000)),
    "image channel": image(400),
    "token": row(-700.0),
    "smoothed labels": spotted(0.0011, 0.99),
    "scores": spotted(0.006, np.random.default_rng(1).uniform(0.96, 0.98, 100)),
    "most": np.r_[np.random.default_rng(0).standard_normal(400), np.full(600, 500.0)],
    "here and there, unlike": np.r_[
        np.random.default_rng(0).standard_normal(900),
        np.random.default_rng(1).uniform(-1000, -950, 100),
    ],
}


@pytest.mark.parametrize("name", REAL)
def test_real_values_far_out_are_no_masks(name):
    case = Case.of(REAL[name], QuantSpec(8))
    assert not masked(case) and unmasked(case) is case
    assert "NON-FINITE" not in found(REAL[name], QuantSpec(8))


@pytest.mark.parametrize("level", [-380, -600, -2000])
def test_a_dimension_far_out_is_told_as_a_channel(level):
    made = found(massive(level), INT8, role="activation")
    assert {name for name, f in made.items() if f.severity != "note"} == {"OUTLIER-CHANNEL"}
    assert made["OUTLIER-CHANNEL"].evidence["channels"] == [7]


def padded(mask, keep, added):
    x = np.random.default_rng(0).standard_normal((2, 4, 64, 64))
    x[..., keep:] = mask + added * x[..., keep:]
    return x


@pytest.mark.parametrize("mask", [-1e4, -1e9, -65504.0])
@pytest.mark.parametrize("keep", [10, 50])
@pytest.mark.parametrize("added", [0, 1])
def test_masks_of_padding_fill_whole_columns_and_may_be_most(mask, keep, added):
    x = padded(mask, keep, added)
    case = Case.of(x, QuantSpec(8), role="activation")
    near = x[..., :keep]
    assert reach(case, data(case)) == (near.min(), near.max())


def test_a_causal_mask_of_one_value_needs_not_be_large():
    x = scores(-1000.0)
    assert masked(Case.of(x))
    x[x < -100] += np.random.default_rng(1).uniform(0, 50, np.sum(x < -100))
    assert not masked(Case.of(x))


def two_kinds():
    x = np.random.default_rng(1).standard_normal((8, 64, 64))
    kind = np.random.default_rng(2).random(x.shape)
    x[kind < 0.2], x[kind > 0.8] = -1e9, -1e4
    return x


def test_two_kinds_of_masks_are_both_taken_off():
    x = two_kinds()
    near = x[x > -100]
    case = Case.of(x, INT8)
    assert reach(case, data(case)) == (near.min(), near.max())
    made = found(x, INT8)["NON-FINITE"]
    assert made.evidence["masks"] == (x < -100).sum()
    (fix,) = made.fixes
    step = np.abs(near).max() / 127.5
    then = sqnr(near, np.clip(np.rint(near / step), -128, 127) * step)
    assert fix.gain_db == pytest.approx(then, abs=0.1)  # all data is 0 under the step of masks


def test_masks_beside_a_nan_are_told_with_it():
    x = scores(-1e4)
    x[0, 0, 0, 0] = np.nan
    made = found(x)["NON-FINITE"]
    masks, near = int((x < -100).sum()), x[x > -100]
    assert made.severity == "high" and made.message.startswith("1 NaN (0 allowed)")
    assert f"Beside: {masks:,} values reach 1e+04" in made.message
    assert (made.evidence["nan"], made.evidence["masks"]) == (1, masks)
    assert made.fixes[0].how["observer"] == (
        f"manual:lo={float(near.min())!r},hi={float(near.max())!r}"
    )
    kept = found(x, observer=made.fixes[0].how["observer"])["NON-FINITE"]
    assert kept.severity == "high" and not kept.expected and "leaves out" in kept.message
