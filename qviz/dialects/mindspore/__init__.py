"""MindSpore: FakeQuantWithMinMaxObserver, in three readings."""

from qviz.dialects.mindspore.door import FakeQuantWithMinMaxObserver, Gradients, QuantDtype

__all__ = ["FakeQuantWithMinMaxObserver", "Gradients", "QuantDtype"]
