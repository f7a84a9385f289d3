"""The error of a range in its parts, against arithmetic on the values themselves."""

import numpy as np
import pytest

from qviz.observers.landscape import Landscape
from qviz.pipeline.landscape import Parts, even_parts, parts, unsnapped
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import QuantSpec
from qviz.stats.cells import Cells
from tests.unit.pipeline.terrain import landscape

LO, HI = np.array([-1.0, -2.0, -0.5, -9.0]), np.array([1.5, 3.0, 0.25, 9.0])


def plain(x, lo, hi, levels):
    """Sums of squared error clipped and rounded, and the clipped; 0 snapped to a level."""
    out = []
    for a, b in zip(np.float32(lo).astype(float), np.float32(hi).astype(float), strict=True):
        step = (b - a) / (levels - 1)
        zero = np.rint(-a / step)
        code = np.rint(x / step) + zero
        off = np.square((np.clip(code, 0, levels - 1) - zero) * step - x)
        clipped = (code < 0) | (code > levels - 1)
        out.append((off[clipped].sum(), off[~clipped].sum(), clipped.sum()))
    return np.array(out)


def values(n, seed=0):
    return np.random.default_rng(seed).laplace(0, 0.7, n).astype(np.float32)


@pytest.mark.parametrize("n", [300, 9000])
@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_exact_cells_give_exact_parts(bits, n):
    x = values(n)
    found = parts(landscape(x, bits), LO, HI)
    expected = plain(x.astype(float), LO, HI, 2**bits)
    assert found.clipping == pytest.approx(expected[:, 0], rel=1e-9, abs=1e-12)
    assert found.rounding == pytest.approx(expected[:, 1], rel=1e-7)
    assert found.clipped.tolist() == expected[:, 2].tolist()
    assert found.energy == pytest.approx(np.square(x.astype(float)).sum())
    assert found.n == n


@pytest.mark.parametrize("bits", [2, 4, 8, 12])
def test_a_sketch_gives_parts_within_a_fiftieth_of_a_decibel(bits):
    x = values(150_000)
    found = parts(landscape(x, bits), LO, HI)
    expected = plain(x.astype(float), LO, HI, 2**bits)
    sqnr = 10 * np.log10(np.square(x.astype(float)).sum() / expected[:, :2].sum(axis=1))
    assert not landscape(x, 4).one_by_one
    assert np.abs(found.sqnr - sqnr).max() < 0.02
    assert found.share == pytest.approx(expected[:, 0] / expected[:, :2].sum(axis=1), abs=0.003)
    assert found.clipped == pytest.approx(expected[:, 2], abs=0.0005 * len(x))


@pytest.mark.parametrize("name", QUANTIZERS)
def test_every_mode_has_its_own_parts(name):
    x = values(5000, seed=3)
    specs = [QuantSpec(8), QuantSpec(8, signed=True, symmetric=True, narrow_range=True)]
    targets = [Target.of(spec, mode=name) for spec in specs]
    served = [target for target in targets if target.mode.accepts(target) is None]
    for target in served:
        grid = Landscape.grid(landscape(x, target), LO, HI)
        codes, (low, high) = grid.encode(x[None]), grid.ends
        off = np.square(grid.fake_quantize(x[None]).astype(float) - x.astype(float))
        clipped = (codes < low) | (codes > high)
        found = parts(landscape(x, target), LO, HI)
        total = off.sum(axis=1)
        assert found.clipping + found.rounding == pytest.approx(total, rel=1e-4)
        assert found.clipping == pytest.approx((off * clipped).sum(axis=1), rel=1e-3, abs=1e-3)
    assert served or all(target.mode.accepts(target) for target in targets)


def test_codes_that_change_off_half_way_are_judged_by_value():
    x = values(150_000)
    assert landscape(x, Target.of(QuantSpec(8), mode="tf.min_combined@doc")).one_by_one
    assert not landscape(x, Target.of(QuantSpec(8), mode="tf.min_combined")).one_by_one


def test_a_grid_that_does_not_hold_zero():
    cells = Cells(*(np.array([[-1.0, 0.1, 1.0, 4.0]]),) * 2, np.array([[1, 2, 1, 1]]), True)
    found = even_parts(cells, unsnapped(np.array([-0.5]), np.array([2.5]), 4))
    # levels -0.5, 0.5, 1.5, 2.5: -1 is half a step below the first, 4 a step and a half above
    assert found.clipping == pytest.approx([1.5**2])
    assert found.rounding == pytest.approx([0.5**2 + 2 * 0.4**2 + 0.5**2])
    assert found.clipped == pytest.approx([1.0])


def test_parts_in_decibels_and_shares():
    found = Parts(np.array([3.0, 0.0]), np.array([1.0, 0.0]), np.array([2.0, 0.0]), 400.0, 9.0)
    assert found.sqnr.tolist() == [20.0, np.inf]
    assert found.only_rounding[0] == pytest.approx(26.0206, abs=1e-4)
    assert found.only_clipping[0] == pytest.approx(10 * np.log10(400 / 3))
    assert found.share.tolist() == [0.75, 0.0]
