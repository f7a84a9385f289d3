"""Hills, fields and dots of given heights for tests of their pictures."""

import numpy as np

from qviz.figures.bars import Bar
from qviz.figures.landscape_marks import Dot
from qviz.pipeline.landscape import Parts
from qviz.pipeline.landscape_views import BOTH, Field, Hill

CLIP = np.geomspace(1.0, 100.0, 21)  # 10 at index 10


def hill(side=BOTH, sqnr=None):
    """Clipping falls tenfold per decade, rounding rises; alike at 10, where SQNR is 20 dB."""
    if sqnr is not None:
        clipping, rounding = np.zeros(21), 1000 / 10 ** (np.array(sqnr) / 10)
    else:
        clipping, rounding = 50 / CLIP, CLIP / 2
    return Hill(side, CLIP, Parts(clipping, rounding, 10 / CLIP, 1000.0, 50.0))


def field():
    """A round summit of 20 dB at [-10, 10], 6 dB lower a decade away; balance by the width."""
    lower, upper = np.geomspace(1, 100, 21), np.geomspace(1, 1000, 31)
    x, y = np.meshgrid(np.log10(lower) - 1, np.log10(upper) - 1)
    return Field(lower, upper, 20 - 6 * (x * x + y * y), np.clip(-10 * (x + y), -30, 30))


def dot(name, lo, hi, value, **rest):
    """A row; without a value it loses nothing, with ``refused`` it has no place."""
    text = "exact" if value is None else f"{value:.1f}"
    facts = {"approximate": rest.pop("approximate", False), "refused": rest.pop("refused", None)}
    bar = Bar(name.title(), lo, hi, lo, hi, value, text, name, **facts)
    return Dot(bar, **{"clipped": 0.25, "share": 0.5} | rest)


DOTS = (
    dot("mse", -10.0, 10.0, 20.0),
    dot("percentile", -20.0, 20.0, 18.0),
    dot("sigma", -5.0, 4.0, 17.0),
    dot("minmax", -90.0, 80.0, 12.0),
    dot("shy", 0.0, 0.0, None, refused="per channel only"),
)
HIGHLIGHTS = ["mse", "minmax"]
