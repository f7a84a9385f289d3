"""NVIDIA's histogram calibrator as it was measured, and the place its rules are taken from."""

from __future__ import annotations

from qviz.dialects import Dialect
from qviz.registry import Source

CALIBRATOR = Source("NVIDIA ModelOpt", "quantization.calib HistogramCalibrator", "0.47.0")

DIALECT = Dialect(
    key="nvidia",
    prefix="nvidia.",
    title="NVIDIA ModelOpt",
    documents=(CALIBRATOR,),
    rounding="half to even",
    compute_dtype="float32",
    configuration="ModelOpt 0.47.0 on PyTorch 2.13.0 CPU; TensorRT itself was not run",
)
