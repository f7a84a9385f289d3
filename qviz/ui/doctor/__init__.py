"""The Doctor page: what is wrong with a tensor, and what repairs it."""

from qviz.ui.doctor.page import FIRST, body

__all__ = ["FIRST", "body"]
