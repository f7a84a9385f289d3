"""The sketch: exact below 65,536 elements and for short types, cells of known width above."""

import numpy as np
import pytest
import torch

from qviz import xp
from qviz.stats import sketch
from qviz.stats.base import NOTHING
from qviz.stats.sketch import SMALL, Sketch

INF, NAN = np.inf, np.nan


def of(rows, bits=16):
    return Sketch(bits).of(rows, NOTHING)


def tally(cells, group=0):
    """Count by value of cells that are single values."""
    found = {}
    assert (cells.lo[group] == cells.hi[group]).all()
    for value, count in zip(cells.lo[group].tolist(), cells.count[group].tolist(), strict=True):
        found[value] = found.get(value, 0) + count
    return {value: count for value, count in found.items() if count}


def counted(monkeypatch):
    """Count by pattern from the first element on."""
    monkeypatch.setattr(sketch, "SMALL", 1)


def test_few_elements_are_kept_sorted():
    state = of(np.array([[3, NAN, -1, 2, INF], [5, 4, 3, 2, 1]], np.float32))
    assert state.values[0, :3].tolist() == [-1, 2, 3]
    assert np.isnan(state.values[0, 3:]).all()
    assert state.values[1].tolist() == [1, 2, 3, 4, 5]
    assert (state.exact, state.n, state.kind) == (True, 5, "float32")
    cells = state.cells
    assert cells.lo.tolist() == [[-1, 2, 3, 3, 3], [1, 2, 3, 4, 5]]
    assert cells.count.tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    assert (cells.exact, cells.dtype) == (True, "float32")


def test_groups_without_finite_elements_have_no_counts():
    cells = of(np.array([[NAN, INF], [1, -INF]], np.float32)).cells
    assert cells.total.tolist() == [0, 1]
    assert np.isfinite(cells.lo).all()


def test_no_elements():
    assert of(np.zeros((2, 0), np.float32)).cells.total.tolist() == [0, 0]
    assert of(np.zeros((0, 0), np.float32)).cells.groups == 0


def test_cells_of_counts_by_hand(monkeypatch):
    counted(monkeypatch)
    rows = [[1.0, 1.001, 1.0078125, -1.5, -1.501, 0.0, -0.0, 1e-41, NAN, INF, -INF]]
    state = of(np.array(rows, np.float32))
    cells = state.cells
    below = 2.0**-7 - 2.0**-23  # from the first to the last float of a cell in [1, 2)
    assert cells.lo[0].tolist() == [-1.5 - below, 0, 1, 1.0078125]
    assert cells.hi[0].tolist() == [-1.5, 0, 1 + below, 1.0078125 + below]
    assert cells.count[0].tolist() == [2, 3, 2, 1]
    assert (state.exact, cells.exact, state.n) == (False, False, 11)
    assert state.counts.sum() == 8  # what is not finite is not counted


def test_counts_are_exact_where_no_digit_is_dropped(monkeypatch):
    counted(monkeypatch)
    state = of(np.array([[-3, -2.5, 0, -0.0, 255, 255, NAN]], np.float32))
    assert state.exact
    assert tally(state.cells) == {-3: 1, -2.5: 1, 0: 2, 255: 2}


@pytest.mark.parametrize(("bits", "width"), [(16, 2.0**-7), (20, 2.0**-11)])
def test_cells_hold_their_elements_and_are_narrow(bits, width):
    x = np.random.default_rng(3).standard_t(3, (2, 100_000)).astype(np.float32)
    cells = of(x, bits).cells
    assert not cells.exact
    assert (cells.hi - cells.lo <= np.abs(cells.lo) * width).all()
    assert (cells.lo[:, 1:] > cells.hi[:, :-1]).all()
    for group in (0, 1):
        upto = np.searchsorted(np.sort(x[group]), cells.hi[group].astype(np.float32), "right")
        assert (cells.cumulative[group] == upto).all()


def test_every_float16_is_its_own_cell():
    patterns = np.arange(65_536, dtype=np.uint16).view(np.float16)
    rows = np.concatenate([patterns, patterns[:100], np.zeros(5, np.float16)])[None]
    state = of(rows, 20)
    assert state.bits == 16
    assert state.exact
    values, counts = np.unique(rows[np.isfinite(rows)].astype(np.float64), return_counts=True)
    assert tally(state.cells) == dict(zip(values.tolist(), counts.tolist(), strict=True))


def test_every_bfloat16_is_its_own_cell():
    patterns = torch.arange(-32_768, 32_768, dtype=torch.int16).view(torch.bfloat16)
    rows = xp.working(torch.cat([patterns, patterns[:500]])[None])
    assert rows.dtype == np.float32
    state = of(rows)
    assert state.exact
    values, counts = np.unique(rows[np.isfinite(rows)].astype(np.float64), return_counts=True)
    assert tally(state.cells) == dict(zip(values.tolist(), counts.tolist(), strict=True))


def test_float64_is_sketched_as_float32_and_says_so():
    x = np.random.default_rng(4).normal(size=(1, 70_000))
    state = of(x)
    assert (state.kind, state.exact, state.cells.dtype) == ("float64", False, "float64")
    assert (state.counts == of(x.astype(np.float32)).counts).all()
    assert of(x[:, :100]).cells.lo.tolist() == [sorted(x[0, :100].tolist())]


def test_float64_that_float32_holds_is_exact():
    x = np.tile(np.array([0.5, -3.0, NAN, INF]), (1, 20_000))
    state = of(x)
    assert state.exact
    assert tally(state.cells) == {0.5: 20_000, -3: 20_000}


def test_float64_beyond_float32_is_counted_apart():
    x = np.tile(np.array([1e300, -1e300, 2.0, INF, -INF, NAN, 1e300]), (1, 10_000))
    state = of(x)
    assert not state.exact
    assert tally_count(state.cells) == 10_000
    ladder = state.ladder
    assert ladder.total.tolist() == [40_000]
    assert (ladder.lo[0, 0], ladder.count[0, 0]) == (-INF, 10_000)
    assert (ladder.lo[0, -1], ladder.count[0, -1]) == (INF, 20_000)


def tally_count(cells):
    return int(cells.count.sum())


def test_the_ladder_reaches_over_zero_on_both_sides(monkeypatch):
    counted(monkeypatch)
    ladder = of(np.array([[1e-41, 0, -1e-41, 1.001]], np.float32)).ladder
    at = ladder.count[0].tolist().index(3)
    assert (ladder.lo[0, at], ladder.hi[0, at]) == (-65_535 * 2.0**-149, 65_535 * 2.0**-149)


def test_merging_crosses_to_counts_at_65536_elements():
    x = np.random.default_rng(5).normal(size=(1, SMALL)).astype(np.float32)
    a, b, last = of(x[:, :40_000]), of(x[:, 40_000:-1]), of(x[:, -1:])
    almost = Sketch(16).merge(a, b)
    assert almost.values.shape == (1, SMALL - 1)
    assert almost.counts is None
    whole = Sketch(16).merge(almost, last)
    assert whole.values is None
    assert (whole.counts == of(x).counts).all()
    assert (whole.n, whole.exact) == (SMALL, False)


def test_the_sum_of_small_exact_states_knows_dropped_digits():
    one, many = np.full((1, 10), 257.0, np.float32), np.ones((1, SMALL), np.float32)
    assert Sketch(16).merge(of(many), of(many)).exact
    assert not Sketch(16).merge(of(many), of(one)).exact
    assert not Sketch(16).merge(of(one), of(many)).exact


@pytest.mark.parametrize("bits", [16, 20])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.25, 0.5, 0.9, 0.999, 1.0])
def test_quantiles_of_cells_are_off_by_a_cell_at_most(bits, share):
    x = np.random.default_rng(6).laplace(size=(1, 200_000)).astype(np.float32)
    got, true = of(x, bits).cells.quantile(share)[0], np.quantile(x.astype(np.float64), share)
    assert abs(got - true) <= abs(true) * 2.0 ** (9 - bits)
