"""One quantizer in the words of many tools."""

from qviz.rosetta.conventions.base import CONVENTIONS, Convention, Expressed, Grid, expressed

__all__ = ["CONVENTIONS", "Convention", "Expressed", "Grid", "expressed"]
