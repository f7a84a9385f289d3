"""TensorFlow as it was measured, and the places its rules are taken from."""

from __future__ import annotations

from qviz.dialects import Dialect
from qviz.registry import Source

VERSION = "2.21.0"
QUANTIZE = Source("TensorFlow", "tf.quantization.quantize and dequantize", VERSION)
FAKE_QUANT = Source("TensorFlow", "tf.quantization.fake_quant_with_min_max_*", VERSION)
ROUND_TRIP = Source("TensorFlow", "tf.quantization.quantize_and_dequantize, V2 to V4", VERSION)
CONCAT = Source("TensorFlow", "tf.quantization.quantized_concat", VERSION)
QUANTIZE_TEXT = Source("TensorFlow documentation", "tf.quantization.quantize", VERSION)
FAKE_QUANT_TEXT = Source(
    "TensorFlow documentation", "tf.quantization.fake_quant_with_min_max_vars", VERSION
)

DIALECT = Dialect(
    key="tensorflow",
    prefix="tf.",
    title="TensorFlow",
    documents=(QUANTIZE, FAKE_QUANT, ROUND_TRIP, CONCAT, QUANTIZE_TEXT, FAKE_QUANT_TEXT),
    rounding="half away from zero unless the op is told otherwise",
    compute_dtype="float32",
    configuration="TensorFlow 2.21.0 CPU, x86-64, oneDNN off",
)
