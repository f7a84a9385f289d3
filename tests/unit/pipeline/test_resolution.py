"""Values that crowd inside a cell are not smeared over it."""

import numpy as np
import pytest

from qviz.metrics.reading import read
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare
from qviz.pipeline.resolution import COARSE, FINE, ROUGH, roughness
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.stats.base import NOTHING
from qviz.stats.cells import Cells
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream

N = 1_000_000
RNG = np.random.default_rng(3)
SMOOTH = {
    "gauss": RNG.standard_normal(N),
    "laplace": RNG.laplace(size=N),
    "relu": np.maximum(RNG.standard_normal(N), 0),
    "uniform": RNG.uniform(-1, 1, N),
}
CROWDED = {
    "near 60": RNG.normal(60, 1, N),
    "kelvin": RNG.normal(293, 2, N),
    "near 1000": RNG.normal(1000, 1, N),
    "near 10000": RNG.normal(1e4, 1, N),
    "masks": np.where(RNG.random(N) < 0.013, -1e4, RNG.standard_normal(N)),
    "few masks": np.where(RNG.random(N) < 0.004, -3e4, RNG.standard_normal(N)),
    "a bound": np.clip(3 * RNG.standard_normal(N), 0, 6),
    "two heaps": np.where(RNG.random(N) < 0.5, 1, -1) * (1 + 1e-3 * RNG.standard_normal(N)),
}
OBSERVED = [OBSERVERS.make(s) for s in ("minmax", "mse", "sigma:k=6", "percentile:keep=99")]


def decibels(x, bits, exact):
    comparison = compare(Stream.of(x), OBSERVED, Target.of(QuantSpec(bits)), exact=exact)
    return [read("sqnr", row.totals)[0].value for row in comparison.rows]


@pytest.mark.parametrize("name", CROWDED)
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_crowded_values_are_judged_as_well_as_the_exact_pass(name, bits):
    x = CROWDED[name].astype(np.float32)
    live, exact = decibels(x, bits, False), decibels(x, bits, True)
    assert live == pytest.approx(exact, abs=0.002)


@pytest.mark.parametrize("name", CROWDED)
def test_the_search_is_not_beaten_on_crowded_values(name):
    minmax, mse, sigma, percentile = decibels(CROWDED[name].astype(np.float32), 4, True)
    assert mse >= max(minmax, sigma, percentile) - 0.02


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_data_needs_no_more_than_16_bits(name):
    x = SMOOTH[name].astype(np.float32)
    comparison = compare(Stream.of(x), OBSERVED[:1], Target.of(QuantSpec(4)))
    assert comparison.seen[COARSE].bits == 16


@pytest.mark.parametrize("name", CROWDED)
def test_percentiles_of_crowded_values_are_numpys(name):
    x = CROWDED[name].astype(np.float32)[:100_000]
    row = compare(Stream.of(x), OBSERVED[3:], Target.of()).rows[0]
    step = float(x.max() - x.min()) * 1e-3
    assert row.range.lo[0] == pytest.approx(np.quantile(x, 0.005), abs=step)
    assert row.range.hi[0] == pytest.approx(np.quantile(x, 0.995), abs=step)


def test_roughness_by_hand():
    edges = np.array([[0.0, 1.0, 2.0, 3.0]])
    even = Cells(edges, edges + 1, np.array([[10_000] * 4]), exact=False)
    # Only the two outer edges: 2 * (10000 - 2 * 100) / 40000.
    assert roughness(even) == pytest.approx(0.49)
    points = Cells(edges, edges, np.array([[10_000] * 4]), exact=True)
    assert roughness(points) == 0.0


def test_crowding_is_seen_in_both_sketches():
    x = CROWDED["near 1000"].astype(np.float32)[None]
    coarse, fine = (Sketch(r.bits).of(x, NOTHING).cells for r in (COARSE, FINE))
    assert roughness(coarse) > ROUGH[16]
    assert roughness(fine) > ROUGH[20]
