"""What onnxruntime 1.32.0, nvidia-modelopt 0.47.0 and the closed forms recorded."""

from collections import Counter
from pathlib import Path

import pytest

from qviz.golden import replay
from qviz.golden.vectors import load

VECTORS = load(Path(__file__).parent / "calibrators")
RECORDED = {
    "entropy.ort": 16,
    "percentile.ort": 20,
    "distribution.ort": 8,
    "float8_scale.ort": 1,
    "moving_average.ort": 4,
    "entropy.nvidia": 3,
    "percentile.nvidia": 8,
    "mse.histogram": 4,
    "aciq": 5,
    "mean_sigma": 4,
    "lsq_init": 8,
    "mse_search": 8,
    "group_int4": 16,
}


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_every_calibrator_and_closed_form(backend):
    report = replay(VECTORS, backend)
    assert not report.failures
    assert report.passed == sum(RECORDED.values()) and not report.skipped
    assert not set(report.not_covered) & set(RECORDED)


def test_what_is_recorded():
    counts = Counter(case["op"] for case in VECTORS.cases)
    assert {op: counts[op] for op in RECORDED} == RECORDED
