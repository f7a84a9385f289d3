"""The observer around the search: refusals, levels, decision; and PyTorch's own observer."""

import numpy as np
import pytest
import torch
from torch.ao.quantization.observer import HistogramObserver

from qviz.dialects.pytorch.histogram import TorchHistogramObserver, storage_levels
from qviz.dialects.pytorch.histogram_state import TorchHistogram
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare, gather
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.stats.base import Batch
from qviz.stats.stream import Stream

OBSERVER = TorchHistogramObserver(64)


def seen_of(*batches, observer=OBSERVER):
    return gather(Stream.of(list(batches)).tiles[0], observer.needs)


def growing(seed):
    """Three batches, each wider than the one before."""
    rng = np.random.default_rng(seed)
    draw = [rng.standard_normal, lambda n: rng.standard_t(2, n), lambda n: rng.exponential(1, n)]
    scale = 10.0 ** rng.uniform(-3, 3)
    return [(draw[seed % 3](2000 + k) * scale * (1 + k)).astype(np.float32) for k in range(3)]


@pytest.mark.parametrize("seed", range(30))
def test_torch_says_the_same(seed):
    spec = QuantSpec(8, signed=seed % 2 == 1, symmetric=seed % 5 == 0)
    theirs = HistogramObserver(
        dtype=torch.qint8 if spec.signed else torch.quint8,
        qscheme=torch.per_tensor_symmetric if spec.symmetric else torch.per_tensor_affine,
    )
    for x in growing(seed):
        theirs(torch.from_numpy(x))
    scale, zero = theirs.calculate_qparams()
    target, ours = Target.of(spec, mode="torch.affine"), OBSERVERS.make("torch.histogram")
    compared = compare(Stream.of(growing(seed)), [ours], target)
    state = compared.seen[ours.needs[0]]
    assert state.histogram.tolist() == theirs.histogram.tolist()
    assert (state.min, state.max) == (theirs.min_val.item(), theirs.max_val.item())
    assert compared.rows[0].qparams["scale"].tolist() == scale.tolist()
    assert compared.rows[0].qparams["zero_point"].tolist() == zero.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_counts_that_moved_often_are_added_in_torch_order(seed):
    # After five moves counts have more digits than float32: the order of additions shows.
    theirs, rule = HistogramObserver(bins=256), TorchHistogram(256)
    rng, state = np.random.default_rng(seed), rule.start()
    for k in range(8):
        x = (rng.standard_normal(60_000) * 1.1**k).astype(np.float32)
        theirs(torch.from_numpy(x))
        state = rule.step(state, Batch(x))
        assert state.histogram.tolist() == theirs.histogram.tolist()


def test_levels_are_those_of_the_storage_type():
    assert storage_levels(QuantSpec(4)) == storage_levels(QuantSpec(8, signed=True)) == 256
    assert storage_levels(QuantSpec(8, quant_min=-18, quant_max=43)) == 256
    assert storage_levels(QuantSpec(16, signed=True)) == storage_levels(QuantSpec(9)) == 65_536


def test_per_tensor_only():
    assert OBSERVER.accepts(Target.of()) is None
    assert "per tensor" in OBSERVER.accepts(Target.of(granularity=Granularity("per_channel", 0)))


def test_nan_is_refused_with_the_reason():
    seen = seen_of(np.float32([1, 2]), np.float32([1, np.nan]))
    with pytest.raises(QvizError, match=r"1 of 2 batches.*RuntimeError"):
        OBSERVER.range(seen, Target.of())


def test_nothing_finite_is_refused():
    with pytest.raises(QvizError, match="no finite element"):
        OBSERVER.range(seen_of(np.float32([np.inf])), Target.of())


def test_a_width_that_overflows_is_refused():
    with pytest.raises(QvizError, match="too wide"):
        OBSERVER.range(seen_of(np.float32([-3e38, 3e38])), Target.of())


def test_the_decision_shows_the_ranges_tried():
    x = np.concatenate([np.linspace(0, 1, 6400), [8]]).astype(np.float32)
    seen = seen_of(x)
    decision, found = OBSERVER.decision(seen, Target.of()), OBSERVER.range(seen, Target.of())
    assert (np.diff(decision.x) > 0).all()
    assert decision.chosen[0] == pytest.approx(found.hi[0] - found.lo[0])
    at = decision.x.tolist().index(decision.chosen[0])
    error = decision.curves["estimated error"]
    assert error[at] == error[at:].min()  # from wide to narrow it never grew
    assert error[at - 1] > error[at]
    assert "bins 0 to 62 of 64" in decision.words


def test_no_decision_where_nothing_was_weighed():
    assert OBSERVER.decision(seen_of(np.float32([1, 1])), Target.of()) is None


@pytest.mark.parametrize("peak", [1e38, 3e38])
def test_a_width_beyond_float32_is_refused_where_torch_gives_no_number(peak):
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    batches = [x, np.clip(x, -1, 1) * np.float32(peak) * np.float32(1.1)]
    theirs = HistogramObserver()
    for batch in batches:
        theirs(torch.from_numpy(batch))
    finite = torch.isfinite(theirs.calculate_qparams()[0]).item()
    refused = compare(Stream.of(batches), [OBSERVERS.make("torch.histogram")], Target.of()).rows[0]
    assert (refused.refused is None) == finite
