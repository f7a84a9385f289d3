"""Laws of the totals: plain arithmetic, chunks, cells, and how near the sketch comes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from qviz.metrics.base import METRICS, SUMS, TABLES, added, joined, overall
from qviz.metrics.producers import Frame, of_cells, of_rows, of_rows_each
from qviz.metrics.regions import of_sketch
from qviz.quantizers.affine import Affine, typed
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.base import NOTHING
from qviz.stats.sketch import Sketch
from tests.unit.metrics import plain

PER_GROUP = [name for name in METRICS if METRICS.entry(name).notes.get("rows") != "channel"]
EXTREMES = ("x_min", "x_max", "max_e")


def frame_of(rows):
    there = np.isfinite(rows)
    lo = rows.min(axis=1, initial=np.inf, where=there)
    hi = rows.max(axis=1, initial=-np.inf, where=there)
    return Frame(lo.astype(np.float64), hi.astype(np.float64))


def tensor(dtype, offset=0.0):
    x = np.random.default_rng(11).standard_t(4, size=(4, 10, 16)) + offset
    x[np.random.default_rng(12).random(x.shape) < 0.2] = 0.0
    return x.astype(dtype)


GRANULARITIES = ("per_tensor", "per_channel:0", "per_channel:1", "per_group:-1:8", "per_token")


@pytest.mark.parametrize("odd", [False, True], ids=["finite", "with NaN and infinities"])
@pytest.mark.parametrize("offset", [0.0, 50.0])
@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_exact_totals_are_plain_arithmetic(dtype, granularity, offset, odd):
    x = tensor(dtype, offset)
    if odd:
        x[0, :5, 0], x[1, :5, 1], x[2, 3] = np.nan, np.inf, -np.inf
    rows = Granularity.parse(granularity).rows(x)
    scale = np.random.default_rng(13).uniform(0.05, 0.5, len(rows))
    zero = np.random.default_rng(14).integers(0, 32, len(rows))
    t = of_rows(rows, typed(scale, zero, 0, 31), frame_of(rows))
    for g, row in enumerate(rows):
        values = row[np.isfinite(row)].astype(np.float64)
        if len(values):
            check_plain(t, g, values, (scale[g], zero[g], 0, 31))


def check_plain(totals, g, values, grid):
    code, y = plain.coded(values, *grid)
    expected = plain.metrics(values, y, code, grid[2:], grid[0])
    for name in PER_GROUP:
        got, wanted = METRICS[name](totals)[g], expected[name]
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True), (name, g)


@pytest.mark.parametrize("bits", [2, 8, 12, 16])
def test_one_grid_judges_every_channel(bits):
    rows = tensor("float32").reshape(4, -1)
    last = 2**bits - 1
    t = of_rows(rows, typed(8.0 / last, last // 2, 0, last), frame_of(rows))
    for g, row in enumerate(rows.astype(np.float64)):
        check_plain(t, g, row, (8.0 / last, last // 2, 0, last))


floats = st.floats(-1e3, 1e3, width=32) | st.sampled_from([0.0, -0.0, 0.5, 1.5, np.nan, np.inf])
many = arrays(np.float32, st.tuples(st.integers(1, 3), st.integers(0, 40)), elements=floats)
scales = st.sampled_from([1e-3, 0.1, 0.5, 1.0, 7.0, 1e4])


@given(many, scales, st.integers(0, 15), st.integers(0, 40), st.integers(0, 40))
def test_chunks_equal_the_whole(rows, scale, zero, a, b):
    quantizer, frame = typed(scale, zero, 0, 15), frame_of(rows)
    first, second = sorted((a, b))
    parts = [rows[:, :first], rows[:, first:second], rows[:, second:]]
    parts = [of_rows(part, quantizer, frame) for part in parts]
    whole = of_rows(rows, quantizer, frame)
    for made in (added(parts), parts[0] + (parts[1] + parts[2]), parts[2] + parts[0] + parts[1]):
        assert_same(made, whole)


def assert_same(got, wanted, rel=1e-12):
    scale = np.maximum(wanted.xx, wanted.yy)  # sums of signed terms are compared with these
    for name in (*SUMS, "m2"):
        room = rel * np.maximum(np.abs(getattr(wanted, name)), scale)
        if name.endswith("_steps"):
            room = np.maximum(room, rel * np.abs(wanted.ee_steps) + rel)
        assert (np.abs(getattr(got, name) - getattr(wanted, name)) <= room).all(), name
    for name in (*EXTREMES, *TABLES):
        assert np.array_equal(getattr(got, name), getattr(wanted, name)), name


@given(many, scales, st.integers(0, 15))
def test_cells_equal_rows(rows, scale, zero):
    quantizer, frame = typed(scale, zero, 0, 15), frame_of(rows)
    state = Sketch().of(rows, NOTHING)
    assert_same(of_cells(state.cells, quantizer, frame), of_rows(rows, quantizer, frame))


def test_cells_of_float16_equal_rows():
    rows = np.random.default_rng(15).standard_normal((1, 100_000)).astype(np.float16)
    cells = Sketch().of(rows, NOTHING).cells
    assert cells.exact and cells.lo.shape[1] < 40_000
    quantizer, frame = typed(0.03, 128, 0, 255), frame_of(rows)
    assert_same(of_cells(cells, quantizer, frame), of_rows(rows, quantizer, frame))


@given(many, scales, st.integers(0, 15))
def test_clipping_and_rounding_add_up(rows, scale, zero):
    t = of_rows(rows, typed(scale, zero, 0, 15), frame_of(rows))
    parts = METRICS["clip_mse"](t) + METRICS["round_mse"](t)
    assert np.allclose(parts, METRICS["mse"](t), rtol=1e-15, atol=0, equal_nan=True)
    clipped = METRICS["clipped_low"](t) + METRICS["clipped_high"](t)
    assert (METRICS["clipped"](t) == clipped).all()


@given(many, scales)
def test_tiles_and_groups(rows, scale):
    quantizer = typed(scale, 7, 0, 15)
    whole = of_rows(rows, quantizer, frame_of(rows))
    tiles = [of_rows(row[None], quantizer, frame_of(row[None])) for row in rows]
    assert_same(joined(tiles), whole)
    one = of_rows(rows.reshape(1, -1), quantizer, frame_of(rows.reshape(1, -1)))
    together = overall(whole)
    for name in ("n", "clipped_low", "zeroed", "nonzero", *EXTREMES, "codes"):
        assert np.array_equal(getattr(together, name), getattr(one, name)), name
    assert np.allclose(together.ee, one.ee, rtol=1e-12)
    assert np.allclose(together.m2, one.m2, rtol=1e-9, atol=1e-9 * one.xx)


DRAWS = {
    "gauss": lambda rng, n: rng.standard_normal(n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "t3": lambda rng, n: rng.standard_t(3, size=n),
    "relu": lambda rng, n: np.maximum(rng.standard_normal(n), 0),
    "uniform": lambda rng, n: rng.uniform(-1, 1, n),
}


def grids(x):
    """2, 4, 8 bits: min-max, 99.9 % affine, 99 % symmetric, half the range."""
    low, high = x.min(), x.max()
    inner, outer = np.quantile(x, [0.001, 0.999]), np.quantile(np.abs(x), 0.99)
    ranges = [
        (low, high, False),
        (*inner, False),
        (-outer, outer, True),
        (low / 2, high / 2, False),
    ]
    return [
        Affine().quantizer(Range(lo, hi), QuantSpec(bits, signed=even, symmetric=even))
        for lo, hi, even in ranges
        for bits in (2, 4, 8)
    ]


@pytest.mark.parametrize("n", [200_000, 1_000_000])
@pytest.mark.parametrize("kind", DRAWS)
def test_the_sketch_comes_near(kind, n):
    rows = DRAWS[kind](np.random.default_rng(7), n).astype(np.float32)[None]
    frame, zeros, quantizers = frame_of(rows), (rows == 0).sum(axis=1), grids(rows)
    exact = of_rows_each(rows, quantizers, frame)
    for bits, room in ((16, 0.02), (20, 0.002)):
        cells = Sketch(bits).of(rows, NOTHING).cells
        for quantizer, wanted in zip(quantizers, exact, strict=True):
            got = of_sketch(cells, quantizer, frame, zeros)
            for name in ("sqnr", "sqnr_centered", "psnr"):
                off = METRICS[name](got)[0] - METRICS[name](wanted)[0]
                assert abs(off) <= room, (name, bits, quantizer)
            check_rough(got, wanted, n, bits)


def check_rough(got, wanted, n, bits):
    """Counts and the largest error: approximate, but never far off."""
    cell = 2.0 ** -(bits - 9)
    assert got.n[0] == n and got.nonzero[0] == wanted.nonzero[0]
    assert abs(got.codes - wanted.codes).max() <= cell * n
    clipped = got.clipped_low + got.clipped_high - wanted.clipped_low - wanted.clipped_high
    assert abs(clipped[0]) <= 1e-3 * n
    largest = max(abs(wanted.x_min[0]), wanted.x_max[0])
    assert abs(got.max_e[0] - wanted.max_e[0]) <= cell * largest


def test_float16_is_exact_whatever_the_size():
    rows = np.random.default_rng(8).laplace(size=(1, 200_000)).astype(np.float16)
    cells, frame = Sketch().of(rows, NOTHING).cells, frame_of(rows)
    for quantizer in grids(rows.astype(np.float64)):
        got, wanted = of_cells(cells, quantizer, frame), of_rows(rows, quantizer, frame)
        for name in PER_GROUP:
            a, b = METRICS[name](got)[0], METRICS[name](wanted)[0]
            assert a == pytest.approx(b, rel=1e-9, abs=1e-14), name
