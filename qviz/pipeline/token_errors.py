"""Errors of channels where each token has a step of its own."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from qviz.pipeline.errors import MOST_MARKS, Errors, elements, mark
from qviz.pipeline.judging import Settled
from qviz.quantizers.base import Quantizer
from qviz.stats.stream import Tile


def channels_of(tile: Tile, axis: int) -> np.ndarray | None:
    """The channel of each token row of a tile; None where channels are the columns."""
    batch = tile.batches[0]
    shape = tuple(batch.x.shape)
    if axis == len(shape) - 1:
        return None
    tokens = np.arange(prod(shape[:-1]))[batch.tile]
    return tokens // prod(shape[axis + 1 : -1]) % shape[axis]


def by_channel_of_tokens(
    pairs: Iterable[tuple[Tile, Settled | None]], axis: int, channels: int
) -> tuple[Errors, np.ndarray | None]:
    """Errors of each channel under the quantizers of token tiles, and which codes it uses.

    Marks are (channels, codes), None where they would be too many.
    """
    total = Errors.nothing(channels)
    marks = None
    for tile, settled in pairs:
        if settled is None:
            continue
        quantizer = settled.quantizer
        low, high = quantizer.ends
        if marks is None and channels * (high - low + 1) <= MOST_MARKS:
            marks = np.zeros((channels, high - low + 1), bool)
        total = total + _of_tile(tile, quantizer, axis, channels, marks)
    return total, marks


def _of_tile(
    tile: Tile, quantizer: Quantizer, axis: int, channels: int, marks: np.ndarray | None
) -> Errors:
    rows_are, first = channels_of(tile, axis), 0
    total = Errors.nothing(channels)
    for rows in tile.chunks():
        with np.errstate(all="ignore"):
            block, kept = elements(rows, quantizer)
        if rows_are is None:
            here = np.arange(first, first + rows.shape[1])
            summed = block.summed(axis=0)
            at = here[None, :]
        else:
            here, summed = rows_are, block.summed(axis=1)
            at = here[:, None]
        first += rows.shape[1]
        total = total + summed.placed(here, channels)
        if marks is not None:
            mark(marks, kept - quantizer.ends[0], block.there, at)
    return total
