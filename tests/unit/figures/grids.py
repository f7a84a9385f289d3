"""Grids and elements to draw, by hand."""

import numpy as np

from qviz.figures.bins import linear_bins
from qviz.figures.grid import grid_data
from qviz.figures.grid_words import GridFacts
from qviz.pipeline import Settled, gather, judge
from qviz.pipeline.element import Element, explain
from qviz.pipeline.judging import ALWAYS
from qviz.quantizers.affine import typed
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec, Range
from qviz.stats.minmax import MinMax
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream

FOUR = typed(1.0, 1, 0, 3)  # levels -1, 0, 1, 2
X = np.float32([-4, -1, -0.9, 0, 0.4, 0.6, 5])  # codes -3, 0, 0, 1, 1, 2, 6: two are clipped


def seen(x=X):
    tile = Stream.of(np.asarray(x, np.float32)).tiles[0]
    return tile, gather(tile, ALWAYS)


def data(quantizer=FOUR, view=(-3.0, 4.0), asked=None, x=X, bins=14):
    tile, known = seen(x)
    totals = judge(tile, known, quantizer)
    return grid_data(linear_bins(known[Sketch(16)].cells, *view, bins), quantizer, asked,
                     totals.codes[0])  # fmt: skip


def facts(quantizer=FOUR, asked=None, x=X, target=None, **spec):
    tile, known = seen(x)
    settled = Settled(None if asked is None else Range(*asked), quantizer)
    target = target or Target.of(QuantSpec(**({"bits": 2} | spec)))
    return GridFacts(settled, judge(tile, known, quantizer), target, known[MinMax()])


def why(x=0.052941177, lo=-0.5, hi=2.5, mode="affine", quantizer=None, **spec):
    target = Target.of(QuantSpec(**spec), mode=mode)
    found = Range(lo, hi).as_float32()
    return explain(Element.of(np.float32([x]), 4217), found, target, quantizer)
