"""The Fake quant page: how the modes differ, forward, backward and in training."""

from qviz.ui.fake_quant.page import body

__all__ = ["body"]
