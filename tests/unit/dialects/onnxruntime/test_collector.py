"""The collector under its own name."""

import numpy as np
import pytest
import torch

from qviz.dialects.onnxruntime import FailedAssertion, HistogramCollector, InvalidValue
from tests.unit.dialects.onnxruntime.peer import collected

X = np.random.default_rng(0).laplace(size=2000).astype(np.float32)
ARGUMENTS = {
    "symmetric": True,
    "num_bins": 512,
    "num_quantized_bins": 64,
    "percentile": 99.0,
    "scenario": "same",
}


def made(method, *batches, **options):
    collector = HistogramCollector(method, **ARGUMENTS | options)
    for x in batches:
        collector.collect({"x": x})
    return collector


@pytest.mark.parametrize("method", ["entropy", "percentile"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_results_are_onnxruntimes(method, symmetric):
    options = ARGUMENTS | {"symmetric": symmetric}
    _, theirs = collected([X, 2 * X], method, **options)
    ours = made(method, X, 2 * X, symmetric=symmetric).compute_collection_result()["x"]
    assert len(ours) == len(theirs) == 4
    for a, b in zip(ours, theirs, strict=True):
        assert np.array_equal(a, b) and a.dtype == b.dtype


def test_the_distribution_is_onnxruntimes():
    _, theirs = collected([X], "distribution", **ARGUMENTS)
    ours = made("distribution", X).compute_collection_result()["x"]
    for name in ("avg", "std", "hist", "hist_edges", "lowest", "highest"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert np.array_equal(a, b) and a.dtype == b.dtype
    assert ours.avg_std == (ours.avg, ours.std)
    assert ours.range_value == (ours.lowest, ours.highest)


def test_every_argument_matters():
    def entropy(**options):
        return tuple(map(float, made("entropy", X, **options).compute_collection_result()["x"][:2]))

    def percentile(**options):
        found = made("percentile", X, **options).compute_collection_result()["x"]
        return tuple(map(float, found[:2]))

    assert entropy() != entropy(num_bins=256)
    assert entropy() != entropy(num_quantized_bins=16)
    assert percentile() != percentile(symmetric=False)
    assert percentile() != percentile(percentile=50.0)
    stds = [
        made("distribution", X, scenario=s).compute_collection_result()["x"].std
        for s in ("same", "p3")
    ]
    assert stds[0] != stds[1]


def test_a_list_counts_as_one_call():
    parts = [X[:500], 3 * X[500:700]]
    together = made("percentile", parts).get_histogram_dict()["x"]
    whole = made("percentile", np.concatenate(parts)).get_histogram_dict()["x"]
    apart = made("percentile", *parts).get_histogram_dict()["x"]
    assert np.array_equal(together[0], whole[0]) and np.array_equal(together[1], whole[1])
    assert len(apart[0]) > len(whole[0])


def test_tensors_come_back_as_tensors():
    lo, hi, counts, edges = made("entropy", torch.from_numpy(X)).compute_collection_result()["x"]
    assert all(isinstance(v, torch.Tensor) for v in (lo, hi, counts, edges))
    numpy = made("entropy", X).compute_collection_result()["x"]
    assert float(lo) == float(numpy[0]) and torch.equal(counts, torch.from_numpy(numpy[2]))


def test_the_threshold_of_a_histogram():
    collector = made("entropy", X)
    histogram = collector.get_histogram_dict()["x"]
    assert [v.dtype.name for v in histogram] == ["int64", *["float32"] * 4]
    found = collector.get_entropy_threshold(histogram, 64)
    assert found == collector.compute_collection_result()["x"][:2]
    assert found != collector.get_entropy_threshold(histogram, 16)


def test_what_is_refused():
    with pytest.raises(InvalidValue, match="No method"):
        HistogramCollector("minmax", *ARGUMENTS.values())
    with pytest.raises(InvalidValue, match=r"Call collect\(\) first"):
        made("entropy").compute_collection_result()
    with pytest.raises(InvalidValue, match="x cannot be collected"):
        made("entropy", np.float32([np.inf]))
    with pytest.raises(FailedAssertion, match="float64"):
        made("percentile", X.astype(np.float64))
    with pytest.raises(InvalidValue, match="float64"):
        made("percentile", X.astype(np.float64), symmetric=False)
