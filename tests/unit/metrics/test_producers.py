import numpy as np
import pytest
import torch

from qviz.metrics.producers import BLOCK, Frame, of_cells, of_rows, of_rows_each, step_of
from qviz.quantizers.affine import Affine, typed
from qviz.spec import QuantSpec, Range
from qviz.stats.cells import Cells
from tests.unit.metrics.grids import Codebook, Numberless, Wrapping

X = [-1.0, 0.25, 0.5, 1.5, 3.0]  # step 1, codes 0..2: comes back as 0, 0, 0, 2, 2


def frame(rows):
    rows = np.asarray(rows, np.float64)
    there = np.isfinite(rows)
    lo = np.min(rows, axis=1, initial=np.inf, where=there)
    return Frame(lo, np.max(rows, axis=1, initial=-np.inf, where=there))


def totals(values, quantizer, dtype=np.float32):
    rows = np.atleast_2d(np.array(values, dtype))
    return of_rows(rows, quantizer, frame(rows))


SUMS = {
    "n": 5,
    "nonzero": 5,
    "x": 4.25,
    "xx": 1 + 0.0625 + 0.25 + 2.25 + 9,
    "m2": 1.85**2 + 0.6**2 + 0.35**2 + 0.65**2 + 2.15**2,
    "ax": 6.25,
    "e": 1 - 0.25 - 0.5 + 0.5 - 1,
    "ee": 1 + 0.0625 + 0.25 + 0.25 + 1,
    "ae": 3.25,
    "xy": 3 + 6,
    "yy": 8,
    "e_steps": -0.25,
    "ee_steps": 2.5625,
    "clipped_low": 1,
    "clipped_high": 1,
    "ee_low": 1,
    "ee_high": 1,
    "ee_inside": 0.5625,
    "zeroed": 3,
    "x_min": -1,
    "x_max": 3,
    "max_e": 1,
}


@pytest.mark.parametrize("name", SUMS)
def test_every_sum_by_hand(name):
    assert getattr(totals(X, typed(1.0, 0, 0, 2)), name)[0] == pytest.approx(SUMS[name], rel=1e-15)


def test_counts_by_hand():
    t = totals(X, typed(1.0, 0, 0, 2))
    assert t.codes.tolist() == [[3, 0, 2]]
    assert np.flatnonzero(t.x_bins[0]).tolist() == [0, 80, 96, 160, 255]
    assert t.y_bins[0, [64, 192]].tolist() == [3, 2]
    assert t.made == "exact"


def test_infinities_and_nan_are_left_out():
    odd = totals([np.nan, *X, np.inf, -np.inf], typed(1.0, 0, 0, 2))
    for name, value in SUMS.items():
        assert getattr(odd, name)[0] == pytest.approx(value, rel=1e-15), name
    assert odd.codes.tolist() == [[3, 0, 2]]
    assert odd.x_bins.sum() == odd.y_bins.sum() == 5


def test_one_grid_for_many_rows():
    t = totals([[1.0, 2.0], [0.4, -3.0]], typed(1.0, 0, 0, 1))
    assert t.n.tolist() == [2, 2]
    assert t.ee.tolist() == [1.0, pytest.approx(9.16)]
    assert t.codes.tolist() == [[0, 2], [2, 0]]


def test_many_grids_for_one_row():
    t = totals([1.0, 2.0], typed([1.0, 2.0, 4.0], 0, 0, 1))
    assert t.groups == 3
    assert t.x.tolist() == [3, 3, 3]
    assert t.ee.tolist() == [1.0, 1.0, 5.0]
    assert t.e_steps.tolist() == [-1.0, -0.5, -0.75]
    assert t.codes.tolist() == [[0, 2], [1, 1], [2, 0]]
    assert t.x_bins.shape == t.y_bins.shape == (3, 256)


def test_grids_at_once_are_those_one_by_one():
    rows = np.random.default_rng(5).standard_normal((1, 9000)).astype(np.float32)
    grids = [typed(s, 0, -8, 7) for s in (0.1, 0.3, 1.0)]
    for got, grid in zip(of_rows_each(rows, grids, frame(rows)), grids, strict=True):
        one = of_rows(rows, grid, frame(rows))
        for name, value in vars(one).items():
            assert np.array_equal(getattr(got, name), value), name


@pytest.mark.parametrize("bits", [4, 16])
def test_blocks_are_invisible(bits):
    rows = np.random.default_rng(1).standard_normal((1, 2 * BLOCK + 17))
    grid = Affine().quantizer(Range(-3.0, 2.5), QuantSpec(bits))
    whole, code = of_rows(rows, grid, frame(rows)), grid.quantize(rows)
    assert whole.n[0] == rows.size
    assert (whole.codes[0] == np.bincount(code[0].astype(int), minlength=2**bits)).all()
    e = grid.dequantize(code) - rows
    assert whole.ee[0] == pytest.approx(np.sum(e * e), rel=1e-12)
    assert whole.x_bins.sum() == whole.y_bins.sum() == rows.size


def test_bins_of_levels_are_those_of_elements():
    rows = np.random.default_rng(2).standard_normal((2, 600)).astype(np.float32)
    grid = typed([0.01, 0.02], [100, 128], 0, 255)
    t, y = of_rows(rows, grid, frame(rows)), grid.fake_quantize(rows)
    for g in range(2):
        low, high = frame(rows).lo[g], frame(rows).hi[g]
        at = np.clip(np.floor((y[g] - low) / ((high - low) / 256)), 0, 255).astype(int)
        assert (t.y_bins[g] == np.bincount(at, minlength=256)).all()


def test_short_rows_with_more_codes_than_elements():
    t = totals([[1.0, 2.0, 300.0]], typed(1.0, 0, 0, 255))
    assert t.codes.sum() == 3 and t.codes[0, [1, 2, 255]].tolist() == [1, 1, 1]
    assert t.y_bins[0, [0, 217]].tolist() == [2, 1]  # 1 and 2, and 255, of 1..300
    assert t.y_bins.sum() == 3


def test_cells_count_as_often_as_they_say():
    values = np.array([[-1.0, 0.0, 0.5, 2.0]])
    weight = np.array([[3, 2, 0, 5]])
    cells = Cells(values, values, weight, True)
    grid = typed(0.75, 1, 0, 3)
    got = of_cells(cells, grid, Frame(np.array([-1.0]), np.array([2.0])))
    long = of_rows(np.repeat(values, weight[0], axis=1), grid, frame([[-1.0, 2.0]]))
    for name, value in vars(long).items():
        if name != "made":
            assert np.allclose(getattr(got, name), value, rtol=1e-14, atol=1e-15), name


def test_cells_are_quantized_in_their_own_type():
    value = np.array([[0.1]])
    t = of_cells(
        Cells(value, value, np.array([[1]]), True, "float16"), typed(1.0, 0, 0, 1), frame(value)
    )
    assert t.x[0] == float(np.float16(0.1))


def test_an_uneven_grid_has_no_steps():
    t = totals([-3.0, -1.0, 0.2, 1.0, 7.0], Codebook())
    assert np.isnan(t.e_steps[0]) and np.isnan(t.ee_steps[0])
    assert (t.clipped_low[0], t.clipped_high[0]) == (1, 1)
    assert t.codes.tolist() == [[2, 1, 1, 1]]
    assert t.e[0] == pytest.approx(2 + 0 - 0.2 - 0.5 - 5)


def test_codes_that_wrap():
    t = totals([1.0, 5.0, -1.0], Wrapping())
    assert t.codes.tolist() == [[0, 2, 0, 1]]
    assert (t.clipped_low[0], t.clipped_high[0]) == (1, 1)
    assert t.ee_high[0] == 16.0  # 5 comes back as 1


def test_levels_that_are_no_numbers():
    t = totals([0.0, 1.0], Numberless())
    assert np.isnan(t.ee[0])
    assert t.codes is None and t.y_bins is None
    assert t.xx[0] == 1.0


@pytest.mark.parametrize("values", [[], [np.nan], [np.inf, -np.inf]])
def test_no_finite_element(values):
    t = totals([values], typed(1.0, 0, 0, 3))
    assert (t.n[0], t.xx[0], t.ee[0], t.codes.sum(), t.max_e[0]) == (0, 0, 0, 0, 0)
    assert (t.x_min[0], t.x_max[0]) == (np.inf, -np.inf)


def test_no_group():
    none = np.zeros((0, 4))
    assert of_rows(none, typed(1.0, 0, 0, 3), frame(none)).groups == 0


def test_tensors_are_read_as_arrays_are():
    rows = np.random.default_rng(3).standard_normal((2, 500)).astype(np.float32)
    rows[0, 7] = np.nan
    grid = typed([0.1, 0.2], [3, 9], 0, 15)
    ours, theirs = (of_rows(r, grid, frame(rows)) for r in (rows, torch.from_numpy(rows)))
    for name, value in vars(ours).items():
        assert np.array_equal(getattr(theirs, name), value), name


def test_step_of():
    assert step_of(typed([1.0, 2.0], 0, 0, 1)).tolist() == [1.0, 2.0]
    assert np.isnan(step_of(Codebook())).all()
