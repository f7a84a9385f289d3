"""extrema step by step: four rules in their order, by hand and against torch."""

import inspect
import random

import numpy as np
import pytest
import torch

from qviz.dialects.ti import extrema, extrema_fast, extrema_hist_search, tensor_histogram
from qviz.errors import QvizError

RAMP = np.arange(256, dtype=np.float32)  # one element in each bin, 0.390625 percent


def ends(pair):
    return tuple(float(end) for end in pair)


def test_the_arguments_are_those_of_the_article():
    common = {"range_shrink_percentile": 0.0, "channel_mean": False, "sigma": 0.0}
    for function, fast in ((extrema, False), (extrema_fast, True)):
        found = inspect.signature(function).parameters.values()
        documented = {p.name: p.default for p in found if p.name not in ("src", "seed")}
        assert documented == common | {"fast_mode": fast}
    assert list(inspect.signature(tensor_histogram).parameters) == ["src", "fast_mode", "seed"]
    search = inspect.signature(extrema_hist_search).parameters
    assert list(search) == ["hist_array", "range_shrink_percentile"]


def test_the_first_rule_that_is_asked_for_wins():
    x = np.zeros((2, 2, 2, 2), np.float32)
    x[0, 0, 0, 0], x[1, 1, 1, 1] = -4, 8
    assert ends(extrema(x)) == (-4, 8)
    assert ends(extrema(x, channel_mean=True)) == (-2, 4)  # means of (-4, 0) and (0, 8)
    mean, std = 0.25, np.sqrt((80 - 16 * 0.0625) / 15)
    by_sigma = (mean - 2 * std, mean + 2 * std)
    assert ends(extrema(x, sigma=2)) == pytest.approx(by_sigma, rel=1e-6)
    assert ends(extrema(x, channel_mean=True, sigma=2)) == (-2, 4)
    cut = ends(extrema(x, 10))  # 6.25 percent at each end are below 10
    assert -1 < cut[0] < 0 < cut[1] < 1
    assert ends(extrema(x, 10, channel_mean=True, sigma=2)) == cut


def test_a_percentile_of_none_is_no_rule():
    with pytest.raises(AssertionError, match="No rule") as error:
        extrema(RAMP, None)
    assert isinstance(error.value, QvizError) and error.value.stands_for == "AssertionError"
    assert ends(extrema(RAMP, None, channel_mean=True)) == (0, 255)


def test_channel_mean_of_other_ranks_is_the_extremes():
    assert ends(extrema(RAMP.reshape(16, 16), channel_mean=True)) == (0, 255)


def test_the_histogram_as_it_is_laid():
    percent, low, high, factor, offset = tensor_histogram(RAMP - 5)
    assert percent.dtype == np.float32 and percent.tolist() == [100 / 256] * 256
    assert (low, high, factor, offset) == (-5, 250, 1, -5)
    assert tensor_histogram(np.zeros(3)) == (None, 0, 0, 1.0, 0.0)
    assert tensor_histogram(np.full(3, -2.5)) == (None, -2.5, -2.5, 1.0, 0.0)


def test_the_search_on_any_histogram():
    assert extrema_hist_search(np.float32([1, 2, 90, 4, 3]), 3.5) == (1, 4)
    assert extrema_hist_search(np.float32([1, 2, 90, 4, 3]), 3.0) == (0, 4)  # strictly below
    assert extrema_hist_search([50.0, 50.0], 0.1) == (0, 1)
    assert extrema_hist_search(torch.tensor([10.0, 10.0, 80.0]), 101) == (2, 0)  # they cross
    with pytest.raises(QvizError, match="no bins"):
        extrema_hist_search([], 1)


def test_the_kept_limits_are_middles_of_bins():
    assert ends(extrema(RAMP, 1.0)) == (1, 254)  # 2 * 0.39 is below 1, 3 * 0.39 is not
    assert ends(extrema(RAMP / 2, 1.0)) == (0.5, 127)
    assert ends(extrema(RAMP, 101)) == (255, 0)


def test_what_stops_there_is_answered():
    assert ends(extrema(np.full((4, 5), -2.5), 1.0)) == (-2.5, -2.5)
    assert ends(extrema(np.append(RAMP, [np.nan, np.inf]), 1.0)) == (1, 254)
    assert ends(extrema(np.float32([-3e38, 3e38]), 1.0)) == ends(np.float32([-3e38, 3e38]))


def test_what_comes_through_there_comes_through():
    assert ends(extrema(np.float32([1, np.inf]))) == (1, np.inf)
    assert np.isnan(ends(extrema(np.float32([1, np.nan])))).all()


def test_what_is_refused():
    for call, words in (
        (lambda: extrema(np.zeros(0)), "empty"),
        (lambda: extrema(np.float32([np.nan]), 1.0), "no finite element"),
        (lambda: extrema(np.float32([1]), sigma=2), "single element"),
        (lambda: extrema(["a"]), "cannot be quantized"),
    ):
        with pytest.raises(QvizError, match=words):
            call()


def test_fast_mode_draws_from_python_or_from_a_seed():
    x = np.random.default_rng(0).standard_normal((1, 2, 7, 6)).astype(np.float32)
    for seed in range(6):
        source = random.Random(seed)
        row, column = source.randint(0, 1), source.randint(0, 1)
        thinned = ends(extrema(x[:, :, row::2, column::2], 5))
        assert ends(extrema_fast(x, 5, seed=seed)) == thinned
        random.seed(seed)
        assert ends(extrema_fast(x, 5)) == thinned
        assert ends(extrema(x, 5, fast_mode=True, seed=seed)) == thinned
    assert ends(extrema_fast(x)) == ends(extrema(x))  # without a percentile nothing is drawn
    assert ends(extrema_fast(x[..., :4], 5)) == ends(extrema(x[..., :4], 5))


def in_torch(x, percentile):
    """The rule as one would write it down in torch, element by element of the histogram."""
    low, high = x.min(), x.max()
    factor = 255.0 / (high - low)
    bins = torch.bincount(torch.round((x.reshape(-1) - low) * factor).int(), minlength=256)
    shares = (bins.float() * 100 / bins.sum().float()).numpy()
    first, last, left, right = 0, 255, np.float32(0), np.float32(0)
    for i in range(256):
        left, right = left + shares[i], right + shares[255 - i]
        first = i if left < np.float32(percentile) else first
        last = 255 - i if right < np.float32(percentile) else last
    return float(max(low, first / factor + low)), float(min(high, last / factor + low))


@pytest.mark.parametrize("percentile", [0.01, 0.5, 5.0, 40.0])
def test_against_torch(percentile):
    rng = np.random.default_rng(int(percentile * 100))
    for size in (50, 3000):
        for values in (rng.standard_normal(size), rng.standard_t(2, size), rng.random(size) ** 9):
            x = torch.from_numpy(values.astype(np.float32))
            assert ends(extrema(x, percentile)) == in_torch(x, percentile)
            assert ends(extrema(x.numpy(), percentile)) == in_torch(x, percentile)


def test_kinds_come_back():
    x = torch.from_numpy(RAMP).reshape(2, 2, 8, 8)
    for given in ({}, {"range_shrink_percentile": 1.0}, {"sigma": 1.0}, {"channel_mean": True}):
        for end in extrema(x, **given):
            assert isinstance(end, torch.Tensor) and end.dtype == torch.float32 and end.ndim == 0
        for end in extrema(x.numpy(), **given):
            assert isinstance(end, np.float32)
    assert isinstance(tensor_histogram(x)[3], torch.Tensor)
