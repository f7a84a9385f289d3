"""What is known of a tensor before it is quantized."""

from typing import ClassVar

import numpy as np
import pytest

from qviz.models.facts import axis_of, bars, facts_of, kurtosis
from qviz.models.tally import Tally
from qviz.sources.base import TensorInfo, TensorSource, open_file
from qviz.stats.cells import Cells
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream

RNG = np.random.default_rng(3)


def cells(x):
    (tile,) = Stream.of(x).tiles
    from qviz.stats.gather import gather

    return gather(tile, (Sketch(16),))[Sketch(16)].cells


def fourth(x):
    off = x.astype(np.float64) - x.mean(dtype=np.float64)
    return np.mean(off**4) / np.mean(off**2) ** 2


def test_kurtosis_by_hand():
    # 0, 0, 0, 4: mean 1, second moment 3, fourth (3 + 81) / 4 = 21
    assert kurtosis(cells(np.array([0.0, 0, 0, 4]))) == pytest.approx(21 / 9)


@pytest.mark.parametrize("scale", [1.0, 1e30, 1e-30])
def test_kurtosis_of_a_sketch_is_that_of_the_values(scale):
    x = (RNG.laplace(size=300_000) * scale).astype(np.float32)
    assert kurtosis(cells(x)) == pytest.approx(fourth(x), rel=1e-3)


@pytest.mark.parametrize("degrees", [2.5, 4, 30])
def test_kurtosis_of_a_file_and_of_a_capture(degrees, tmp_path):
    """Heavy tails too: a few elements make the fourth moment."""
    x = RNG.standard_t(degrees, size=(300, 1000)).astype(np.float32)
    np.savez(tmp_path / "a.npz", x=x)
    wanted = pytest.approx(fourth(x), rel=5e-4)
    assert facts_of(open_file(tmp_path / "a.npz"), "x").kurtosis == wanted
    tally = Tally(x[:40])
    for at in range(40, 300, 130):
        tally.add(x[at : at + 130])
    assert kurtosis(tally.gathered().seen()[Sketch(16)].cells) == wanted


@pytest.mark.parametrize("x", [np.zeros(0), np.zeros(5), np.full(5, 3.0), np.full(3, np.nan)])
def test_without_spread_there_is_no_kurtosis(x):
    assert kurtosis(cells(x)) is None


def test_bars_hold_every_element_once():
    x = RNG.normal(size=1000).astype(np.float32)
    found = bars(cells(x), (float(x.min()), 0.0, float(x.max())))
    assert found == tuple(np.histogram(x, 26)[0].tolist())
    assert bars(cells(x), (1.0, 1.0, 1.0)) == () and bars(cells(x), None) == ()


def test_bars_of_padded_cells():
    made = Cells(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0]]), np.array([[3, 0]]), True)
    assert bars(made, (0.0, 0.5, 1.0))[0] == 3


@pytest.mark.parametrize(
    ("shape", "role", "batch_axis", "axis"),
    [
        ((6, 4), "weight", None, 0),
        ((6,), "bias", None, None),
        ((5, 6), "activation", None, 1),
        ((5, 6), "activation", 0, None),
        ((2, 5, 6), "activation", 0, 1),
        ((5, 6, 7, 7), "activation", None, 1),
    ],
)
def test_channels_lie_where_they_do_by_custom(shape, role, batch_axis, axis):
    info = TensorInfo("t", shape, "float32", "f", role=role, batch_axis=batch_axis)

    class Held(TensorSource):
        infos: ClassVar = {"t": info}

        def read(self, name):
            return pytest.fail("no value is needed")

    assert axis_of(Held(), "t") == axis


def test_channels_of_a_weight(tmp_path):
    x = RNG.normal(size=(6, 40)).astype(np.float32)
    x[2] *= 50
    np.savez(tmp_path / "a.npz", **{"fc.weight": x})
    facts = facts_of(open_file(tmp_path / "a.npz"), "fc.weight")
    amax = np.abs(x).max(axis=1)
    assert facts.loudest == 2 and facts.loud == (2,)
    assert facts.ratio == pytest.approx(amax[2] / np.median(amax))
    ends = np.quantile(x, [0, 0.01, 0.5, 0.99, 1])
    np.testing.assert_allclose(facts.ends, ends, rtol=1e-6)


def test_a_vector_has_no_channels_and_nothing_has_no_ends(tmp_path):
    np.savez(tmp_path / "a.npz", v=np.arange(4.0), n=np.zeros((0, 3)), bad=np.full((2, 2), np.nan))
    source = open_file(tmp_path / "a.npz")
    vector = facts_of(source, "v")
    assert (vector.ratio, vector.loudest, vector.loud) == (None, None, ())
    assert facts_of(source, "n").ends is None and facts_of(source, "bad").ends is None
    assert facts_of(source, "bad").ratio is None
