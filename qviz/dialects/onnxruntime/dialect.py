"""ONNX Runtime's calibrators as they were measured, and the places their rules are taken from."""

from __future__ import annotations

from qviz.dialects import Dialect
from qviz.registry import Source

VERSION = "1.32.0"
COLLECTOR = Source("ONNX Runtime", "quantization.calibrate HistogramCollector", VERSION)
CALIBRATER = Source("ONNX Runtime", "quantization.calibrate MinMaxCalibrater", VERSION)
QPARAMS = Source("ONNX Runtime", "quantization.quant_utils compute_scale_zp", VERSION)

DIALECT = Dialect(
    key="onnxruntime",
    prefix="ort.",
    title="ONNX Runtime",
    documents=(COLLECTOR, CALIBRATER, QPARAMS),
    rounding="half to even, the zero point added after rounding",
    compute_dtype="float32",
    configuration="ONNX Runtime 1.32.0 CPU, calibrators in Python on NumPy 2.4.6",
)
