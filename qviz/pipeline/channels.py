"""Judge channel rows under the whole tensor's qparams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qviz.metrics.base import Totals, joined
from qviz.metrics.producers import Frame
from qviz.pipeline.judging import EXACT_BELOW, by_values
from qviz.pipeline.rows import Comparison
from qviz.quantizers.base import Quantizer
from qviz.spec import PER_TENSOR, Granularity
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream


def with_channels(
    comparison: Comparison, stream: Stream, axis: int | None, *, exact: bool = False
) -> Comparison:
    """The comparison with each row's channel totals along ``axis``.

    Where each channel has its range already, these are the row's own totals. Per tensor they
    are judged value by value, up to 1e6 elements or on request (``exact``). Otherwise, and
    without an axis, nothing is added.
    """
    granularity = comparison.target.granularity
    if axis is None:
        return comparison
    if granularity == Granularity("per_channel", axis):
        channels = [row.totals for row in comparison.rows]
    elif granularity == PER_TENSOR and (exact or stream.size < EXACT_BELOW):
        channels = by_channel([row.quantizer for row in comparison.rows], stream, axis)
    else:
        return comparison
    pairs = zip(comparison.rows, channels, strict=True)
    return replace(comparison, rows=tuple(replace(row, channels=c) for row, c in pairs))


def by_channel(
    quantizers: Sequence[Quantizer | None], stream: Stream, axis: int
) -> list[Totals | None]:
    """Totals of each channel, (channels,), for every quantizer of one group.

    None for a missing quantizer, and for all of them where the tensor has no channels, or where
    its channels differ in number from batch to batch.
    """
    shapes = [tuple(batch.shape) for batch in stream.batches]
    ranks_hold_it = all(-len(shape) <= axis < len(shape) > 1 for shape in shapes)
    if not ranks_hold_it or len({shape[axis] for shape in shapes}) > 1:
        return [None] * len(quantizers)
    there = [quantizer for quantizer in quantizers if quantizer is not None]
    parts = []
    for tile in Stream(stream.batches, Granularity("per_channel", axis)).tiles:
        spread = gather(tile, (MinMax(),))[MinMax()]
        with np.errstate(all="ignore"):
            parts.append(by_values(tile, there, Frame(spread.lo, spread.hi)))
    done = iter([joined(list(column)) for column in zip(*parts, strict=True)])
    return [None if quantizer is None else next(done) for quantizer in quantizers]
