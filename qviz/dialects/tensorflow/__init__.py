"""TensorFlow: the quantization ops of its CPU kernels."""
