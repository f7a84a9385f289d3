"""What channels lose under steps of their own, their ranges taken from all of their elements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qviz import xp
from qviz.doctor.channels import ALONG, MOST, Channels
from qviz.doctor.remedies import sqnr
from qviz.errors import QvizError
from qviz.observers.base import Observer
from qviz.pipeline.errors import energies_of
from qviz.pipeline.granularities import is_cheap, settled_tiles
from qviz.pipeline.judging import settle
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import Granularity
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream


def own_energies(
    there: Channels, observer: Observer, target: Target
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of x^2 and of e^2 of each channel under a step of its own, on the sample.

    Its range is taken from all of its elements.
    Raises QvizError where the observer or its mode refuses.
    """
    if not is_cheap(observer):
        return _settled_energies(there, observer, target)
    seen, kind = Seen({MinMax(): there.facts}), xp.working_name(there.batches[0])
    made = settle(observer, seen, replace(target, granularity=ALONG), kind).quantizer
    x = np.ascontiguousarray(there.matrix.T)
    y = xp.host(made.fake_quantize(x))
    x = x.astype(np.float64, copy=False)
    e = y - x
    return np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", e, e)


def exact_sqnr(there: Channels, quantizer: Quantizer, channel: int) -> float:
    """SQNR of one channel under one quantizer in dB, from all of its elements."""
    at = (slice(None),) * there.axis + (channel,)
    x = np.concatenate([xp.host(xp.working(b[at])).reshape(-1) for b in there.batches])
    x = np.where(np.isfinite(x), x, 0)
    y = xp.host(quantizer.fake_quantize(x[None]))[0]
    x = x.astype(np.float64, copy=False)
    return sqnr(np.sum(x * x), np.sum((y - x) ** 2))


def _settled_energies(
    there: Channels, observer: Observer, target: Target
) -> tuple[np.ndarray, np.ndarray]:
    if sum(xp.size(batch) for batch in there.batches) > MOST:
        raise QvizError(f"Only up to {MOST:,} elements are counted for ranges of channels.")
    granularity, parts = Granularity("per_channel", there.axis), []
    along = Stream.of(list(there.batches), granularity)
    target = replace(target, granularity=granularity)
    for tile, settled in settled_tiles(along, observer, target):
        nothing = np.zeros(tile.groups)
        made = None if settled is None else energies_of(tile, settled.quantizer)
        parts.append((nothing, nothing) if made is None else made)
    xx, ee = (np.concatenate(column) for column in zip(*parts, strict=True))
    return xx, ee
