"""TF Quantize: what TensorFlow's modes do with a range, trip after trip, and in two more ops."""

from qviz.ui.tf_quantize.page import body

__all__ = ["body"]
