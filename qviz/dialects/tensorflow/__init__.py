"""TensorFlow: the quantization ops of its CPU kernels, under TensorFlow's own names."""

from qviz.dialects.tensorflow.concat import quantized_concat
from qviz.dialects.tensorflow.door import (
    dequantize,
    quantize,
    quantize_and_dequantize,
    quantize_and_dequantize_v2,
    quantize_and_dequantize_v3,
    quantize_and_dequantize_v4_grad,
)
from qviz.dialects.tensorflow.fake_quant_door import (
    fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient,
)

__all__ = [
    "dequantize",
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "quantize",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
    "quantize_and_dequantize_v3",
    "quantize_and_dequantize_v4_grad",
    "quantized_concat",
]
