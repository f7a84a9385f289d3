"""TensorFlow as it was measured, and the places its rules are taken from."""

from __future__ import annotations

from qviz.dialects import Dialect
from qviz.registry import Source

VERSION = "2.21.0"
QUANTIZE = Source("TensorFlow", "tf.quantization.quantize and dequantize", VERSION)

DIALECT = Dialect(
    key="tensorflow",
    prefix="tf.",
    title="TensorFlow",
    documents=(QUANTIZE,),
    rounding="half away from zero unless the op is told otherwise",
    compute_dtype="float32",
    configuration="TensorFlow 2.21.0 CPU, x86-64, oneDNN off",
)
