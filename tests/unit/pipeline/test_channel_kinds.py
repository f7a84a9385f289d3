"""The same channels whatever holds the elements: element types, layouts, NumPy and torch."""

import numpy as np
import pytest

from qviz.pipeline.channel_map import channel_map
from qviz.pipeline.clipping_where import clipping_where, spreads
from qviz.pipeline.granularities import gain
from qviz.quantizers.affine import typed
from qviz.spec import Granularity
from qviz.stats.stream import Stream
from qviz.transforms import TRANSFORMS, Operand, trial
from tests.unit.pipeline.loud import ABSMAX, NARROW, tensor

torch = pytest.importorskip("torch")
X = np.round(16 * tensor()) / 16 * 0.5  # every kind below holds it, or holds 8 digits of it
X = X.astype(np.float16).astype(np.float32)
KINDS = {
    "float16": X.astype(np.float16),
    "big endian": X.astype(">f4"),
    "float64": X.astype(np.float64),
    "by column": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "torch": torch.from_numpy(X.copy()),
    "torch, transposed": torch.from_numpy(X.T.copy()).T,
}


@pytest.mark.parametrize("kind", KINDS)
def test_channels(kind):
    x, plain = KINDS[kind], channel_map(Stream.of(X), 1, ABSMAX, NARROW)
    found = channel_map(Stream.of(x), 1, ABSMAX, NARROW)
    np.testing.assert_allclose(found.shared.ee, plain.shared.ee, rtol=2e-5)
    np.testing.assert_allclose(found.own.xx, plain.own.xx, rtol=1e-9)
    assert (found.counts.counts == plain.counts.counts).all()
    token = gain(Stream.of(x), ABSMAX, NARROW, Granularity("per_token"))
    assert token.sqnr == pytest.approx(
        gain(Stream.of(X), ABSMAX, NARROW, Granularity("per_token")).sqnr, abs=1e-4
    )


@pytest.mark.parametrize("kind", KINDS)
def test_places_and_transforms(kind):
    x = KINDS[kind]
    for one, other in zip(spreads(Stream.of(x).batches[0]), spreads(X), strict=True):
        assert (one == other).all()
    found = clipping_where(Stream.of(x).batches[0], typed(0.1, 0, -127, 127))
    assert found.count == (np.abs(np.round(X.astype(float) / 0.1)) > 127).sum()
    done = trial(Operand(x, 1), TRANSFORMS.make("per_token"), ABSMAX, NARROW)
    same = trial(Operand(X, 1), TRANSFORMS.make("per_token"), ABSMAX, NARROW)
    assert done.sqnr == pytest.approx(same.sqnr, abs=1e-6)


def test_bfloat16_is_counted_as_what_it_stands_for():
    x = torch.from_numpy(X.copy()).bfloat16()
    found = channel_map(Stream.of(x), 1, ABSMAX, NARROW)
    plain = channel_map(Stream.of(x.float().numpy()), 1, ABSMAX, NARROW)
    np.testing.assert_allclose(found.shared.ee, plain.shared.ee)
    assert (spreads(x)[1] == spreads(x.float().numpy())[1]).all()
    assert Operand(x, 1).largest.tolist() == plain.amax.tolist()


def test_whole_numbers():
    x = np.arange(-60, 60).reshape(12, 10)
    found = channel_map(Stream.of(x), 0, ABSMAX, NARROW)
    assert found.facts.lo[0] == -60 and found.shared.n.tolist() == [10] * 12
