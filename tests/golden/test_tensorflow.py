"""What TensorFlow 2.21.0 recorded of its quantization ops, on either kind of array."""

from collections import Counter
from pathlib import Path

import pytest

from qviz.golden import replay
from qviz.golden.vectors import load

VECTORS = load(Path(__file__).parent / "tensorflow")
INFORMATIVE = 58  # results that depend on TensorFlow's vector lanes, and those of oneDNN
RECORDED = {
    "quantize": 1735,
    "dequantize": 780,
    "fake_quant_args": 291,
    "fake_quant_args_gradient": 294,
    "fake_quant_vars": 357,
    "fake_quant_vars_gradient": 361,
    "fake_quant_per_channel": 360,
    "fake_quant_per_channel_gradient": 364,
    "quantize_and_dequantize_v2": 324,
    "quantize_and_dequantize_v3": 209,
    "quantize_and_dequantize_v4": 1310,
    "quantize_and_dequantize_v4_grad": 44,
    "quantized_concat": 181,
}


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_every_recorded_case(backend):
    report = replay(VECTORS, backend)
    assert not report.failures
    assert not report.not_covered
    assert (report.passed, report.skipped) == (sum(RECORDED.values()), INFORMATIVE)


def test_what_is_recorded():
    binding = [case for case in VECTORS.cases if case.get("binding") is not False]
    assert Counter(case["op"] for case in binding) == RECORDED
