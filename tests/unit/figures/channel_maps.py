"""Channel maps for tests of figures."""

import numpy as np

from qviz.observers.base import OBSERVERS
from qviz.pipeline.channel_map import channel_map
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.stats.stream import Stream
from tests.unit.pipeline.loud import tensor

__all__ = ["mapped", "tensor"]


def mapped(x, axis=1, *, bits=8, rule="absmax", granularity="per_tensor", symmetric=True):
    """Channels of an array under a neutral rule."""
    spec = QuantSpec(bits, signed=symmetric, symmetric=symmetric)
    target = Target.of(spec, Granularity.parse(granularity))
    return channel_map(Stream.of(np.asarray(x)), axis, OBSERVERS.make(rule), target)
