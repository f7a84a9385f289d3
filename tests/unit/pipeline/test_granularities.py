import numpy as np
import pytest

from qviz.observers.base import OBSERVERS
from qviz.pipeline.granularities import Gain, gain, gains, has_tokens, is_cheap, offered
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec
from qviz.stats.stream import Stream
from tests.unit.pipeline.loud import ABSMAX, NARROW, db, rounded, tensor


def one(x, text, target=NARROW, observer=ABSMAX):
    return gain(Stream.of(x), observer, target, Granularity.parse(text))


def test_the_table_of_the_loud_channel():
    every = gains(Stream.of(tensor()), ABSMAX, NARROW, offered(1))
    assert [round(g.sqnr, 1) for g in every[:3]] == [25.8, 43.7, 35.2]
    assert [g.parameters for g in every] == [1, 64, 128, 256, 128, 0]
    assert every[1].over(every[0]) == pytest.approx(17.86, abs=0.01)


@pytest.mark.parametrize("size", [32, 64])
def test_groups_as_plain_arithmetic(size):
    x = tensor()
    rows = x.reshape(-1, size)
    y = rounded(rows, np.abs(rows).max(axis=1, keepdims=True))
    found = one(x, f"per_group:-1:{size}")
    assert found.sqnr == pytest.approx(db(rows, y))
    assert found.worst == pytest.approx(min(db(a, b) for a, b in zip(rows, y, strict=True)))


def test_what_it_costs():
    symmetric = one(tensor(), "per_group:-1:32")
    assert (symmetric.bytes, symmetric.share) == (256 * 4, 256 * 4 / 8192)
    affine = one(tensor(), "per_token", Target.of(QuantSpec(4)), OBSERVERS.make("minmax"))
    assert (affine.bytes, affine.share) == (128 * 5, 128 * 5 / 4096)
    wide = one(tensor(), "per_tensor", Target.of(QuantSpec(12)), OBSERVERS.make("minmax"))
    assert wide.bytes == 6


def test_sizes_that_do_not_divide_say_so():
    found = one(tensor(), "per_group:-1:128")
    assert "Groups of 128 do not divide" in found.refused
    assert found.over(one(tensor(), "per_tensor")) is None


def test_non_finite_elements_and_groups_are_left_out():
    x = tensor()
    clean = one(x[:, :32], "per_group:-1:32").sqnr
    x[:, 32:] = np.nan
    assert one(x, "per_group:-1:32").sqnr == pytest.approx(clean)
    x[0, 0] = np.inf
    assert np.isfinite(one(x, "per_group:-1:32").sqnr)


def test_short_groups_of_a_large_tensor():
    x = np.random.default_rng(0).standard_normal((1200, 1024))
    rows = x.reshape(-1, 32)
    y = rounded(rows, np.abs(rows).max(axis=1, keepdims=True))
    found = one(x, "per_group:-1:32")
    assert (found.parameters, found.sqnr) == (38_400, pytest.approx(db(rows, y)))


@pytest.mark.parametrize("name", ["minmax", "mse", "percentile", "entropy", "moving_average"])
def test_other_observers_serve_small_groups_too(name):
    found = one(tensor(), "per_group:-1:32", Target.of(QuantSpec(8)), OBSERVERS.make(name))
    assert found.refused or found.sqnr > 10
    assert is_cheap(OBSERVERS.make(name)) == (name == "minmax")


def test_roles_decide_whether_there_are_tokens():
    token = Granularity("per_token")
    assert has_tokens("activation", (8, 4)) and has_tokens("unknown", (2, 8, 4))
    assert not has_tokens("weight", (8, 4)) and not has_tokens("activation", (2, 3, 8, 8))
    assert token in offered(1) and token not in offered(1, tokens=False)
    assert offered(None)[0] == PER_TENSOR and token not in offered(None)


def test_a_refused_gain_is_nothing_but_its_words():
    refused = Gain(PER_TENSOR, refused="no")
    assert np.isnan(refused.sqnr) and refused.parameters == 0
