"""The Layers page: a model's tensors, what quantizing each costs, and which one hurts."""

from qviz.ui.layers.page import body

__all__ = ["body"]
