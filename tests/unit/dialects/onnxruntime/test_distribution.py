"""The distribution calibrator and its float8 scale."""

import numpy as np
import pytest
import torch
from onnx import TensorProto
from onnxruntime.quantization.quant_utils import compute_scale_zp_float8 as theirs

from qviz.dialects.onnxruntime.distribution import OrtDistribution, avg_std
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.dialects.onnxruntime.float8 import e4m3fn, float8_scale
from qviz.quantizers.base import Target
from qviz.spec import Granularity
from qviz.stats.base import Seen
from tests.unit.dialects.onnxruntime.peer import collected, state_of

EDGES = np.array([-2, 0, 2, 4], np.float32)  # middles -1, 1, 3


def test_moments_of_the_middles_by_hand():
    avg, std = avg_std(np.array([1, 2, 1]), EDGES, "same")
    assert (avg, std) == (1, np.float32(np.sqrt(2)))  # squares 1 1 1 9: mean 3, less 1
    avg, _ = avg_std(np.array([1, 0, 1]), EDGES, "p3")
    assert avg == pytest.approx((-1 + 3 ** (1 / 3)) / 2, rel=1e-6)
    assert avg.dtype == np.float32
    with pytest.raises(InvalidValue, match="No scenario"):
        avg_std(np.array([1, 0, 1]), EDGES, "p2")


@pytest.mark.parametrize("scenario", ["same", "p3"])
@pytest.mark.parametrize("bins", [512, 513])
def test_moments_are_onnxruntimes(scenario, bins):
    rng = np.random.default_rng(bins)
    observer = OrtDistribution(bins, scenario)
    (rule,) = observer.needs
    for centre in (0, 5, -0.25, 100):
        batches = [(centre + rng.standard_normal(300)).astype(np.float32) for _ in range(2)]
        batches.append(np.full(3, centre, np.float32))
        for given in (batches, batches[2:]):  # the last alone is constant: NaN for some
            _, found = collected(given, "distribution", num_bins=bins, scenario=scenario)
            avg, std = observer.avg_std(state_of(rule, given))
            assert np.array_equal([avg, std], [found.avg, found.std], equal_nan=True)


def test_all_values_of_e4m3():
    cast = torch.arange(256, dtype=torch.uint8).view(torch.float8_e4m3fn).float().numpy()
    assert e4m3fn().tolist() == cast[np.isfinite(cast)].tolist()
    assert len(e4m3fn()) == 254


@pytest.mark.parametrize("std", [1.0, 0.37, 1e-30, 3e38])
def test_scale_is_onnxruntimes(std):
    _, scale = theirs(TensorProto.FLOAT8E4M3FN, np.array(std, np.float32))
    assert float8_scale(np.float32(std)) == scale


def test_the_range_is_what_the_scale_reaches():
    x = np.random.default_rng(0).standard_normal(5000).astype(np.float32)
    observer = OrtDistribution()
    (rule,) = observer.needs
    found = observer.range(Seen({rule: state_of(rule, [x])}, 1), Target.of())
    assert found.hi[0] == pytest.approx(4.477 * x.std(), rel=1e-3) and found.lo[0] == -found.hi[0]


def test_what_is_refused():
    observer = OrtDistribution(128)
    (rule,) = observer.needs
    state = state_of(rule, [np.float32([1, 2])])
    with pytest.raises(InvalidValue, match="128 bins are too few"):
        observer.avg_std(state)
    zeros = OrtDistribution(scenario="p3")
    (rule,) = zeros.needs
    seen = Seen({rule: state_of(rule, [np.zeros(9, np.float32)])}, 1)
    with pytest.raises(InvalidValue, match="not a number"):
        zeros.range(seen, Target.of())
    channels = Target.of(granularity=Granularity("per_channel", 0))
    assert "per tensor only" in observer.accepts(channels)
