import numpy as np
import pytest

from qviz.metrics.base import METRICS
from qviz.metrics.bins import Frame
from qviz.metrics.producers import of_rows
from qviz.metrics.regions import of_sketch, squared_errors
from qviz.quantizers.affine import Affine, typed
from qviz.spec import QuantSpec, Range
from qviz.stats.base import NOTHING
from qviz.stats.cells import Cells
from qviz.stats.sketch import Sketch
from tests.unit.metrics.grids import Codebook

UNIFORM = Cells(np.array([[0.0]]), np.array([[2.0]]), np.array([[1000]]), False)  # even on [0, 2]
EDGES = Frame(np.array([0.0]), np.array([2.0]))
NONE = np.array([0])


def both(x, quantizer, bits=20):
    """Totals from the sketch, and value by value."""
    rows = np.asarray(x, np.float32)[None]
    finite = rows[:, np.isfinite(rows[0])].astype(np.float64)
    frame = Frame(finite.min(axis=1), finite.max(axis=1))
    cells = Sketch(bits).of(rows, NOTHING).cells
    return of_sketch(cells, quantizer, frame, (rows == 0).sum(1)), of_rows(rows, quantizer, frame)


def grid(lo, hi, bits=8, **spec):
    return Affine().quantizer(Range(lo, hi), QuantSpec(bits, **spec))


def test_integrals_by_hand():
    t = of_sketch(UNIFORM, typed(1.0, 0, 0, 1), EDGES, NONE)  # 0 to 1/2, 1/2 to 3/2, 3/2 to 2
    assert t.n[0] == 1000
    assert t.codes[0] == pytest.approx([250, 750], rel=1e-6)
    assert t.clipped_high[0] == pytest.approx(250, rel=1e-6)
    assert t.x[0] == pytest.approx(1000) and t.ax[0] == pytest.approx(1000)
    assert t.xx[0] == pytest.approx(4000 / 3)
    assert t.m2[0] == pytest.approx(1000 / 3)
    assert t.e[0] == pytest.approx(-250)
    assert t.ee_inside[0] == pytest.approx(500 * (0.125 / 3 + 0.25 / 3), rel=1e-6)
    assert t.ee_high[0] == pytest.approx(500 * (1 - 0.125) / 3, rel=1e-6)
    assert t.ae[0] == pytest.approx(500 * (0.125 + 0.25 + 0.375), rel=1e-6)
    assert t.xy[0] == pytest.approx(500 * 1.875, rel=1e-6)
    assert t.yy[0] == pytest.approx(750, rel=1e-6)
    assert t.zeroed[0] == pytest.approx(250, rel=1e-6)
    assert t.max_e[0] == pytest.approx(1.0)
    assert (t.clipped_low[0], t.ee_low[0], t.made) == (0, 0, "sketch")


def test_bins_by_hand():
    t = of_sketch(UNIFORM, typed(1.0, 0, 0, 1), EDGES, NONE)
    assert t.x_bins[0] == pytest.approx(np.full(256, 1000 / 256))
    assert t.y_bins[0, [0, 128]] == pytest.approx([250, 750], rel=1e-6)


def test_candidates_are_those_one_by_one():
    scales = np.array([0.3, 0.5, 0.7])
    whole = of_sketch(UNIFORM, typed(scales, 1, 0, 3), EDGES, NONE)
    for g, scale in enumerate(scales):
        one = of_sketch(UNIFORM, typed(scale, 1, 0, 3), EDGES, NONE)
        for name in ("ee", "ae", "e_steps", "clipped_high", "max_e", "codes", "x_bins", "y_bins"):
            assert getattr(whole, name)[g] == pytest.approx(getattr(one, name)[0], rel=1e-12), name


def test_an_uneven_grid():
    x = np.random.default_rng(0).standard_normal(100_000) * 1.5
    sketch, exact = both(x, Codebook())
    assert sketch.ee[0] == pytest.approx(exact.ee[0], rel=1e-3)
    assert np.isnan(sketch.e_steps[0])


def test_no_cell_beyond_the_extremes_is_clipped():
    x = np.random.default_rng(1).uniform(-0.999, 0.999, 100_000)
    for bits in (16, 20):
        sketch, exact = both(x, grid(x.min(), x.max(), 2), bits)
        assert exact.clipped_low[0] == exact.clipped_high[0] == 0
        assert sketch.clipped_low[0] == sketch.clipped_high[0] == 0
        assert sketch.ee_low[0] == sketch.ee_high[0] == 0


def test_half_the_elements_are_zero():
    x = np.maximum(np.random.default_rng(2).standard_normal(200_000), 0)
    x[:50_000] = -0.0
    sketch, exact = both(x, grid(0.0, 3.0, 4))
    assert sketch.nonzero[0] == exact.nonzero[0] == (x != 0).sum()
    assert sketch.zeroed[0] == pytest.approx(exact.zeroed[0], rel=2e-3)
    for name in ("sqnr", "sqnr_centered", "psnr"):
        got, wanted = (METRICS[name](t)[0] for t in (sketch, exact))
        assert got == pytest.approx(wanted, abs=0.002), name


def test_a_grid_that_moves_zero():
    class Shifted(Codebook):
        def encode(self, rows):
            return super().encode(np.asarray(rows) - 1)  # 0 comes back as -1, and 1 as 0

    sketch, exact = both(np.repeat([0.0, 1.001], [70_000, 30_000]), Shifted())
    assert exact.zeroed[0] == 30_000
    assert sketch.zeroed[0] == pytest.approx(30_000)


@pytest.mark.parametrize("mask", [-1e9, -3.4e38])
def test_masked_scores_leave_the_rounding_error_readable(mask):
    x = np.random.default_rng(3).standard_normal(200_000)
    x[::3] = mask
    sketch, exact = both(x, grid(-4.0, 4.0))
    assert sketch.ee_inside[0] == pytest.approx(exact.ee_inside[0], rel=1e-3)
    assert sketch.ee[0] == pytest.approx(exact.ee[0], rel=1e-3)


def test_everything_is_clipped():
    x = np.random.default_rng(4).uniform(1e8, 2e8, 100_000)
    sketch, exact = both(x, grid(-1.0, 1.0))
    assert sketch.clipped_high[0] == exact.clipped_high[0] == 100_000
    assert sketch.ee_inside[0] == exact.ee_inside[0] == 0
    assert sketch.ee[0] == pytest.approx(exact.ee[0], rel=1e-4)


def test_a_constant_between_levels():
    sketch, exact = both(np.full(70_000, 0.1), grid(-1.0, 1.0, 3))
    assert sketch.ee[0] == pytest.approx(exact.ee[0], rel=2e-3)
    assert sketch.m2[0] < 1e-6 * sketch.xx[0]
    assert sketch.max_e[0] == pytest.approx(exact.max_e[0], rel=1e-12)  # its ends are known
    assert np.isnan(METRICS["js"](sketch)[0]) and np.isnan(METRICS["sqnr_centered"](sketch)[0])


def test_spread_around_a_large_mean():
    x = np.random.default_rng(5).uniform(1000, 1001, 100_000)
    sketch, exact = both(x, grid(0.0, 1001.0))
    assert sketch.m2[0] == pytest.approx(exact.m2[0], rel=0.05)  # cells are half a unit wide


def test_no_finite_element():
    cells = Cells(*(np.zeros((1, 0)) for _ in range(3)), False)
    frame = Frame(np.array([np.inf]), np.array([-np.inf]))
    t = of_sketch(cells, grid(-1.0, 1.0, 2), frame, NONE)
    assert (t.n[0], t.ee[0], t.codes.sum(), t.made) == (0, 0, 0, "sketch")


@pytest.mark.parametrize("bits", [4, 12])
def test_squared_errors_rank_as_totals_do(bits):
    x = np.random.default_rng(6).laplace(size=100_000)
    grids = grid(-np.arange(2.0, 11.0), np.arange(2.0, 11.0), bits)
    rows = x.astype(np.float32)[None]
    cells = Sketch(20).of(rows, NOTHING).cells
    frame = Frame(rows.min(1).astype(float), rows.max(1).astype(float))
    got = squared_errors(cells, grids)
    exact = of_rows(rows, grids, frame).ee
    assert got == pytest.approx(exact, rel=2e-3)
    assert np.argmin(got) == np.argmin(exact)
