"""Batches as they come back from quantization."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz import xp
from qviz.observers.base import Observer
from qviz.pipeline.granularities import settled_tiles
from qviz.quantizers.base import Target
from qviz.stats.stream import Stream


def fake_quantized(
    batches: Sequence[np.ndarray], observer: Observer, target: Target
) -> list[np.ndarray]:
    """The batches of one tensor, quantized and dequantized, each of the same shape and type.

    A range is sought over all batches. What is not finite stays as it is.

    Raises
    ------
    QvizError
        As of ``settle``: the observer or its mode refuses the target, no element is finite.
    """
    stream = Stream.of(list(batches), target.granularity)
    at = {id(batch): i for i, batch in enumerate(stream.batches)}
    rows = [np.array(target.granularity.rows(batch)) for batch in stream.batches]
    for tile, settled in settled_tiles(stream, observer, target):
        if settled is None:
            continue
        for batch in tile.batches:
            here, x = rows[at[id(batch.x)]], xp.working(batch.rows)
            with np.errstate(all="ignore"):
                y = settled.quantizer.fake_quantize(x)
            here[batch.tile] = np.where(np.isfinite(x), y, x)
    pairs = zip(rows, stream.batches, strict=True)
    return [np.ascontiguousarray(target.granularity.restore(row, batch)) for row, batch in pairs]
