"""Batches as they come back, against arithmetic of its own."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.models.fake import fake_quantized
from qviz.models.scheme import Scheme
from tests.unit.samples import symmetric

RNG = np.random.default_rng(5)
ABSMAX = "absmax 5 signed symmetric narrow_range"


def returned(batches, words, axis=None):
    scheme = Scheme.parse(words)
    return fake_quantized(batches, scheme.observer, scheme.target(axis))


@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_one_range_over_all_batches(axis):
    batches = [RNG.normal(size=(4, 3, 5)).astype(np.float32) * (1 + i) for i in range(2)]
    batches = batches if axis != 0 else [b[:4] for b in batches]
    found = returned(batches, f"{ABSMAX} {'' if axis is None else 'per_channel'}", axis)
    if axis == 0:  # channels run through both batches, side by side
        joined = symmetric(np.concatenate([b.reshape(4, -1) for b in batches], 1), 5, 0)
        expected = [joined[:, :15].reshape(4, 3, 5), joined[:, 15:].reshape(4, 3, 5)]
    else:
        expected = np.split(symmetric(np.concatenate(batches), 5, axis), 2)
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == np.float32 and a.shape == (4, 3, 5)
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def test_groups_lie_within_a_batch():
    x = RNG.normal(size=(2, 8)).astype(np.float32)
    (found,) = returned([x], f"{ABSMAX} per_group:-1:4")
    expected = symmetric(x.reshape(4, 4), 5, 0).reshape(2, 8)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_what_is_not_finite_stays():
    x = np.array([[1.0, np.nan, -np.inf, 0.31]], np.float32)
    (found,) = returned([x], ABSMAX)
    np.testing.assert_array_equal(found[0, 1:3], x[0, 1:3])
    assert found[0, 0] == 1.0 and found[0, 3] == pytest.approx(np.rint(0.31 * 15) / 15)


def test_the_input_is_left_alone():
    x = RNG.normal(size=(3, 4)).astype(np.float32)
    before = x.copy()
    returned([x], "minmax 2")
    np.testing.assert_array_equal(x, before)


def test_nothing_finite_is_refused():
    with pytest.raises(QvizError, match="no finite element"):
        returned([np.full((2, 2), np.nan, np.float32)], ABSMAX)
