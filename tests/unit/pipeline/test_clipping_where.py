import numpy as np
import pytest

from qviz.pipeline.clipping_where import clipping_where, spreads
from qviz.quantizers.affine import typed

Q = typed(1.0, 0, -2, 2)  # clips beyond 2.5


def test_the_first_token_holds_the_clipped_energy():
    x = np.ones((4, 3))
    x[0, 1], x[2, 2] = 12.0, -3.0
    found = clipping_where(x, Q)
    assert (found.count, found.energy, found.of) == (2, 101.0, 12)
    assert found.signal == 10 + 144 + 9
    tokens, channels = found.axes
    assert tokens.count.tolist() == [1, 0, 1, 0] and tokens.energy.tolist() == [100, 0, 1, 0]
    assert channels.energy.tolist() == [0, 100, 1]
    assert tokens.top == 0 and tokens.energies[0] == pytest.approx(100 / 101)
    assert channels.counts.tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("shape", [(7,), (3, 5, 11), (2, 600, 700), (3, 1, 2, 300_000)])
def test_every_axis_of_every_shape(shape):
    x = 1.4 * np.random.default_rng(0).standard_normal(shape)
    x.flat[0] = np.nan
    found = clipping_where(x, Q)
    clipped = np.abs(np.round(np.nan_to_num(x))) > 2
    lost = np.where(clipped, (np.clip(np.round(x), -2, 2) - x) ** 2, 0)
    assert found.count == clipped.sum() and found.of == x.size - 1
    for along in found.axes:
        others = tuple(a for a in range(x.ndim) if a != along.axis)
        assert (along.count == clipped.sum(axis=others)).all()
        np.testing.assert_allclose(along.energy, lost.sum(axis=others), rtol=1e-9)


def test_nothing_clipped():
    found = clipping_where(np.ones((2, 2)), Q)
    assert found.count == 0 and found.energy == 0
    assert found.axes[0].counts.tolist() == [0, 0] == found.axes[0].energies.tolist()


@pytest.mark.parametrize("shape", [(7,), (3, 5, 11), (2, 600, 700)])
def test_spreads_along_every_axis(shape):
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    x.flat[[1, 2]] = np.inf, np.nan
    size = np.where(np.isfinite(x), np.abs(x), 0)
    for axis, largest in enumerate(spreads(x)):
        others = tuple(a for a in range(x.ndim) if a != axis)
        assert (largest == size.max(axis=others)).all()
