"""What the tests of observers share: rows in, what was seen out."""

import numpy as np

from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.stats.gather import gather
from qviz.stats.stream import Stream

CHANNELS = Granularity("per_channel", 0)


def target(bits=8, mode="affine", **spec):
    return Target.of(QuantSpec(bits, **spec), CHANNELS, mode)


def seen_of(observer, *groups, dtype=np.float32):
    """What an observer needs of groups of equal length."""
    x = np.array(groups, dtype)
    return gather(Stream.of(x, CHANNELS).tiles[0], observer.needs)


def ends(observer, *groups, aim=None, dtype=np.float32):
    """The range of each group: [[lo, hi], ...]."""
    chosen = observer.range(seen_of(observer, *groups, dtype=dtype), aim or target())
    return np.stack([chosen.lo, chosen.hi], axis=1).tolist()
