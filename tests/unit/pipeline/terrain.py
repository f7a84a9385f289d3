"""Landscapes of values, as a page makes them."""

from qviz.observers.landscape import NEEDS, Landscape
from qviz.pipeline import gather
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream


def landscape(x, target, *, symmetric=False):
    """The landscape of an array under a target, or under so many bits."""
    return seen(x, target, symmetric=symmetric)[0]


def seen(x, target, *, symmetric=False):
    """The landscape and the extremes."""
    if isinstance(target, int):
        target = Target.of(QuantSpec(target, symmetric=symmetric, signed=symmetric))
    found = gather(Stream.of(x).tiles[0], NEEDS)
    return Landscape.of(found, target), found[MinMax()]
