"""Small observers, and looks through whole figures for what a browser cannot draw."""

import math
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from qviz.observers.base import OBSERVERS, Observer
from qviz.pipeline import compare, with_channels
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.stream import Stream


@dataclass(frozen=True)
class Typed(Observer):
    """The same range whatever was seen."""

    lo: float = knob(0.0)
    hi: float = knob(3.0)

    def range(self, seen, target):
        return Range(self.lo, self.hi)


@dataclass(frozen=True)
class Shy(Observer):
    """Serves nobody."""

    def accepts(self, target):
        return "per channel only"

    def range(self, seen, target):
        raise NotImplementedError


def compared(values, *spellings, bits=2, granularity="per_tensor", axis=None, **spec):
    """A comparison of one float32 array under the neutral mode."""
    observers = [OBSERVERS.make(spelling) for spelling in spellings]
    target = Target.of(QuantSpec(bits, **spec), Granularity.parse(granularity))
    stream = Stream.of(np.asarray(values, np.float32), target.granularity)
    return with_channels(compare(stream, observers, target), stream, axis)


def numbers(part):
    """Every number anywhere in a figure."""
    if isinstance(part, np.ndarray):
        part = part.tolist()
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list | tuple):
        return [n for inner in part for n in numbers(inner)]
    return [part] if isinstance(part, int | float | np.number) else []


def drawable(figure):
    """The figure, once Plotly has taken every attribute and all its numbers are finite."""
    assert all(math.isfinite(n) for n in numbers(figure))
    return go.Figure(figure)


def payload(figure):
    """Bytes that a browser is sent."""
    bare = figure | {"layout": figure["layout"] | {"template": {}}}  # Plotly's default varies
    return len(go.Figure(bare).to_json().encode())


def texts(figure):
    """The words of all annotations."""
    return [note["text"] for note in figure["layout"]["annotations"]]
