"""The Rosetta page: one range under every rule."""

from qviz.ui.rosetta.page import body

__all__ = ["body"]
