"""linspace, sum and the fused multiply-add come out as PyTorch computes them."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from qviz.dialects.pytorch.float32 import fused, linspace, total
from tests.golden.loader import same


def test_fused_rounds_once():
    # (1 + 2^-20)(1 - 2^-20) 2^-24 lies 2^-64 below half a step: rounding to float64 first makes
    # it a tie, which would go up to the even 1 + 2^-22.
    a, b = np.float32(2**-12 * (1 + 2**-20)), np.float32(2**-12 * (1 - 2**-20))
    c = np.float32(1 + 2**-23)
    assert (np.float64(a) * np.float64(b) + np.float64(c)).astype(np.float32) == 1 + 2**-22
    assert fused(np.array([a]), np.array([b]), c).tolist() == [1 + 2**-23]
    assert fused(np.array([-a]), np.array([b]), -c).tolist() == [-(1 + 2**-23)]


def test_fused_is_the_nearest_float():
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=500).astype(np.float32) for _ in range(2))
    c = np.float32(rng.normal())
    for x, y, got in zip(a, b, fused(a, b, c), strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(c))
        off = abs(Fraction(float(got)) - exact)
        near = (np.nextafter(got, np.float32(end)) for end in (-np.inf, np.inf))
        assert all(off <= abs(Fraction(float(other)) - exact) for other in near)


def test_linspace_by_hand():
    assert linspace(np.float32(-1), np.float32(3), 5).tolist() == [-1, 0, 1, 2, 3]


@pytest.mark.parametrize("count", [17, 65, 257, 1001, 2049, 32769])
def test_linspace_is_torch_linspace(count):
    rng = np.random.default_rng(count)
    for _ in range(20):
        ends = np.sort(rng.normal(rng.normal(), 1, 2) * 10.0 ** rng.uniform(-40, 35))
        start, end = ends.astype(np.float32)
        want = torch.linspace(torch.tensor(start), torch.tensor(end), count)
        assert same(linspace(start, end, count), want.numpy())


def test_total_by_hand():
    # 1 + 2^-24 is 1 again: whether small terms meet before the large one shows the order.
    row = np.full(64, 2.0**-24, np.float32)
    row[0] = 1
    # lane 0 holds 1 and seven small terms in four chains of two: (1 + s) + 2s + 2s + 2s = 1 + 6s;
    # lanes 1 to 7 add 8s each.
    assert total(row[None]).tolist() == [1 + (6 + 7 * 8) * 2.0**-24]


@pytest.mark.parametrize("n", [16, 63, 64, 256, 1000, 2048, 4099, 8192])
def test_total_is_torch_sum(n):
    rng = np.random.default_rng(n)
    rows = (rng.normal(size=(40, n)) * 10.0 ** rng.uniform(-3, 3, (40, n))).astype(np.float32)
    want = np.array([torch.from_numpy(row).sum().item() for row in rows], np.float32)
    assert (np.abs(rows).sum(axis=1) > 0).all()
    assert same(total(rows), want)


@pytest.mark.parametrize(("start", "end"), [(-3.0, 11.5), (1e6, 1e6 + 0.25), (1e-20, 4.0)])
def test_some_points_of_a_grid_are_those_of_the_whole(start, end):
    at = np.array([0, 1, 7, 128, 129, 130, 256])
    whole = linspace(np.float32(start), np.float32(end), 257)
    assert linspace(np.float32(start), np.float32(end), 257, at).tolist() == whole[at].tolist()
    assert whole.tolist() == torch.linspace(start, end, 257).tolist()
