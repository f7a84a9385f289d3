"""Each sample shows what its sentence says."""

import numpy as np
import pytest

from qviz.sources.synthetic import Samples

X = Samples()


def affine_codes(x):
    """Plain 8-bit codes 0..255 over the range stretched to hold 0."""
    lo, hi = min(x.min(), 0), max(x.max(), 0)
    step = (float(hi) - float(lo)) / 255
    return np.rint(x / step) + round(-float(lo) / step)


def test_gaussian():
    assert X["gaussian"].mean() == pytest.approx(0, abs=0.005)
    assert X["gaussian"].std() == pytest.approx(1, abs=0.005)


def test_laplace():
    assert np.abs(X["laplace"]).max() == pytest.approx(9.90, abs=0.005)


def test_student_t():
    x = np.abs(X["student_t"])
    assert 250 * np.median(x) < x.max() < 300 * np.median(x)


def test_relu():
    x = X["relu"]
    assert x.min() == 0 and (x == 0).mean() == 0.5


def test_gelu_tail():
    x = X["gelu_tail"]
    assert x.min() == pytest.approx(-0.16, abs=0.005)
    codes = affine_codes(x)
    assert len(np.unique(codes[codes < affine_codes(np.append(x, 0))[-1]])) == 5


def test_bimodal():
    x = X["bimodal"]
    assert not ((x > -1) & (x < 2)).any()
    assert (x < 0).mean() == 0.5


def test_outlier_channel():
    x = X["outlier_channel"].astype(float)
    step = np.abs(x).max() / 127
    assert step == pytest.approx(1.342, abs=0.001)
    quiet = np.rint(np.delete(x, 7, axis=1) / step)
    assert np.unique(quiet).tolist() == [-3, -2, -1, 0, 1, 2, 3]


def test_uniform():
    codes = np.rint(X["uniform"] / (3 / 255)).astype(int)
    counts = np.bincount(codes, minlength=256)
    assert set(counts[1:-1]) == {16, 17}


def test_softmax():
    x = X["softmax"]
    assert x.sum(axis=1) == pytest.approx(np.ones(64), abs=1e-5)
    assert (x < 0.5 / 255).mean() > 0.5


def test_masked_scores():
    x = X["masked_scores"]
    assert (x == -1e9).sum() == 64 * 63 // 2
    assert np.abs(x[x > -1e9]).max() < 20


def test_non_finite():
    x = X["non_finite"]
    assert np.flatnonzero(np.isnan(x)).tolist() == [3]
    assert np.isposinf(x).sum() == np.isneginf(x).sum() == 1


def test_dead_channel():
    largest = np.abs(X["dead_channel"]).max(axis=1)
    assert largest[4] == 0 and 0 < largest[9] < 1e-6
    assert np.delete(largest, [4, 9]).min() > 1


def test_constant():
    assert np.unique(X["constant"]).tolist() == [5]


def test_drifting_batches():
    x = X["drifting_batches"]
    spread = x.std(axis=1)
    assert np.argmax(np.abs(x).max(axis=1)) == 4 and x.max() == 40
    assert spread[-1] > 2 * spread[0]


def test_narrow_far():
    assert np.unique(affine_codes(X["narrow_far"])).tolist() == [253, 254, 255]


def test_rare_peaks():
    x = X["rare_peaks"]
    assert (x >= 0.6).sum() == 40 and x.size == 200_000
    assert x[x < 0.6].max() < 0.12


def test_mixed_weight_ranges():
    x = X["mixed_weight_ranges"]
    codes = np.rint(x / (np.abs(x).max() / 127))
    assert 4 <= (codes == 0).all(axis=1).sum() <= 12
    assert np.abs(codes).max() == 127


def test_integer_codes():
    x = X["integer_codes"]
    assert (x == np.rint(x)).all() and np.abs(x).max() == 127
    assert len(np.unique(x)) > 150
