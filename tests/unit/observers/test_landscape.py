"""Squared errors of many ranges, by each of its ways."""

from dataclasses import dataclass

import numpy as np
import pytest

from qviz.observers.landscape import Landscape
from qviz.observers.shrink import ShrinkObserver
from qviz.quantizers.affine import Affine, AffineQuantizer
from qviz.quantizers.base import Target
from tests.unit.observers.watching import CHANNELS, seen_of, target

RNG = np.random.default_rng(6)
LO, HI = np.array([[-1.0, -2, -0.5]]), np.array([[1.5, 3, 0.1]])


class OddQuantizer(AffineQuantizer):
    monotone = False


@dataclass(frozen=True)
class Odd(Affine):
    """The same grid, but it says that it is not monotone."""

    def quantizer(self, range, spec):
        q = super().quantizer(range, spec)
        return OddQuantizer(q.scale, q.zero_point, q.quant_min, q.quant_max, q.tie)


def landscape(*groups, aim=None, dtype=np.float32):
    return Landscape.of(seen_of(ShrinkObserver(), *groups, dtype=dtype), aim or target(4))


def plain(x, levels, lo=LO, hi=HI):
    """Value by value, each range by itself; ranges in float32."""
    x, out = x.astype(np.float64), []
    for a, b in zip(lo[0].astype(np.float32), hi[0].astype(np.float32), strict=True):
        step = (float(b) - float(a)) / (levels - 1)
        zero = np.rint(-float(a) / step)
        code = np.clip(np.rint(x / step) + zero, 0, levels - 1)
        out.append(np.square((code - zero) * step - x).sum())
    return out


@pytest.mark.parametrize("bits", [2, 4, 8, 11])
@pytest.mark.parametrize("elements", [50, 5000])
def test_exact_cells_give_exact_errors(bits, elements):
    x = RNG.standard_normal(elements).astype(np.float32)
    found = landscape(x, aim=target(bits)).errors(LO, HI)[0]
    assert found == pytest.approx(plain(x, 2**bits), rel=1e-9)


def test_each_group_has_its_own_ranges():
    x = RNG.standard_normal((2, 300)).astype(np.float32)
    lo, hi = np.vstack([LO, LO / 2]), np.vstack([HI, HI / 3])
    found = landscape(*x, aim=target(4)).errors(lo, hi)
    for g in (0, 1):
        assert found[g] == pytest.approx(plain(x[g], 16, lo[g : g + 1], hi[g : g + 1]), rel=1e-9)


@pytest.mark.parametrize("bits", [2, 4, 8, 12, 16])
@pytest.mark.parametrize("relu", [False, True])
def test_a_sketch_is_near(bits, relu):
    x = RNG.standard_normal(150_000).astype(np.float32)
    x = np.maximum(x, 0) if relu else x
    found = landscape(x, aim=target(bits)).errors(LO, HI)[0]
    assert found == pytest.approx(plain(x, 2**bits), rel=0.0046)  # 0.02 dB


def test_not_monotone_grids_are_judged_cell_by_cell():
    x = RNG.standard_normal(70_000).astype(np.float32)
    aim = Target(target(3).spec, CHANNELS, Odd())
    assert landscape(x, aim=aim).errors(LO, HI)[0] == pytest.approx(plain(x, 8), rel=0.01)


def test_few_distinct_values_of_many_elements_are_exact():
    x = RNG.choice(np.float32([0.1, 0.3, -0.7]), 70_000)
    found = landscape(x, aim=target(8))
    assert found.cells.exact
    assert found.cells.lo.shape == (1, 3)
    assert found.errors(LO, HI)[0] == pytest.approx(plain(x, 256), rel=1e-9)


def test_padding_counts_nothing():
    found = landscape([1, np.nan, 2], [np.nan] * 3, aim=target(1))
    # one bit over [0, 1.5]: both values become 1.5
    errors = found.errors(np.zeros((2, 1)), np.full((2, 1), 1.5))
    assert errors.tolist() == [[0.5], [0]]


def test_a_range_is_asked_for_in_the_type_in_which_it_is_kept():
    assert landscape([1, 2]).asked(np.array([0.1]), np.array([1e300])).hi[0] == np.finfo("f4").max
    assert landscape([1, 2]).asked(np.array([-0.0]), np.array([0.1])).hi[0] == np.float32(0.1)
    assert landscape([1, 2], dtype=np.float64).asked(np.array([0.0]), np.array([0.1])).hi[0] == 0.1


def test_sqnr_in_decibels_with_an_upper_end():
    found = landscape([3, 3, 4], aim=target(2))
    # sum x^2 = 34; [0, 3]: 4 is cut by 1; [0, 0]: nothing is left, step 1 up to 3
    sqnr = found.sqnr(np.zeros((1, 2)), np.array([[3.0, 1.5]]))[0]
    assert sqnr == pytest.approx([10 * np.log10(34), 10 * np.log10(34 / 10.75)])
    assert landscape([3, 3], aim=target(2)).sqnr(np.zeros((1, 1)), np.full((1, 1), 3.0)) == 200
    assert landscape([0, 0]).sqnr(np.zeros((1, 1)), np.ones((1, 1))) == 0


def test_part_is_the_landscape_of_some_groups():
    whole = landscape([1, 2], [3, 5], [7, 9])
    some = whole.part(np.array([False, True, True]))
    assert some.cells.lo.tolist() == [[3, 5], [7, 9]]
    assert some.target is whole.target
