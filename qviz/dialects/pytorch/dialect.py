"""PyTorch as it was measured, and the places its rules are taken from."""

from __future__ import annotations

from qviz.dialects import Dialect
from qviz.registry import Source

VERSION = "2.13.0"
MINMAX = Source("PyTorch", "torch.ao.quantization MinMaxObserver", VERSION)
MOVING_AVERAGE = Source("PyTorch", "torch.ao.quantization MovingAverageMinMaxObserver", VERSION)
HISTOGRAM = Source("PyTorch", "torch.ao.quantization HistogramObserver", VERSION)
FAKE_QUANTIZE = Source("PyTorch", "torch.fake_quantize_per_tensor_affine", VERSION)

DIALECT = Dialect(
    key="pytorch",
    prefix="torch.",
    title="PyTorch",
    documents=(MINMAX, MOVING_AVERAGE, HISTOGRAM, FAKE_QUANTIZE),
    rounding="half to even, the zero point added after rounding",
    compute_dtype="float32",
    configuration="PyTorch 2.13.0 CPU, x86-64 with fused multiply-add",
)
