"""Try a transform: what comes back of the tensor, of the other one and of their product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from qviz.metrics.base import decibels
from qviz.observers.absmax import AbsMaxObserver
from qviz.observers.base import Observer
from qviz.pipeline.granularities import settled_tiles
from qviz.pipeline.output import of_chunks, token_chunks
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, Granularity, QuantSpec
from qviz.stats.stream import Stream
from qviz.transforms.base import NEXT, Change, Operand, Transform


class Unchanged(Transform):
    """No change: what the others are measured against."""

    def change(self, x: Operand, other: Operand | None) -> Change:
        return Change.none(x.channels)


@dataclass(frozen=True, eq=False)
class Trial:
    """What a transform comes to.

    ``changed`` is x', (tokens, channels); ``xx`` and ``ee`` are sums of squares of each channel
    of x and of what it is off by once the change is undone. ``other`` is the SQNR of the other
    tensor and ``output`` that of the product, in dB; None where there is none.
    """

    change: Change
    changed: np.ndarray
    xx: np.ndarray
    ee: np.ndarray
    other: float | None = None
    output: float | None = None

    @property
    def sqnr(self) -> float:
        """SQNR of the tensor in dB; +inf where nothing is lost, NaN without energy."""
        return float(decibels(self.xx.sum(), self.ee.sum()))

    @property
    def channels(self) -> np.ndarray:
        """SQNR of each channel in dB."""
        return decibels(self.xx, self.ee)


def trial(
    x: Operand,
    transform: Transform,
    observer: Observer,
    target: Target,
    other: Operand | None = None,
) -> Trial:
    """Change, quantize, undo, and compare with what went in; all exact.

    x' is quantized under ``observer`` and ``target``. An operand of the product has a symmetric
    range of its largest magnitude for each output channel, as wide as the target's codes; the
    next layer's weight goes as x does. For Home, with lesson 6's tensor and its weight::

        rule = TRANSFORMS.make("moved_factor")
        moved = trial(Operand(x, 1), rule, observer, target, Operand(w, 0))
        moved.sqnr, moved.output                      # the tensor's dB, and 40.2 dB of the product
        channel_map(Stream.of(moved.changed), 1, observer, target)     # its picture

    Raises
    ------
    QvizError
        The other tensor is needed and absent or does not fit, or a range cannot be taken.
    """
    change = transform.change(x, other)
    changed = (x.matrix - change.shift) / change.factor if change.moves else x.matrix
    changed = changed.astype(x.matrix.dtype, copy=False)
    there = replace(target, granularity=change.granularity)
    weight = None if other is None else _other(other, transform, change, observer, target)
    xx, ee = np.zeros(x.channels), np.zeros(x.channels)
    for at, y in _returned(x, changed, change, observer, there):
        exact = x.matrix[at].astype(np.float64, copy=False)
        xx += np.einsum("ij,ij->j", exact, exact)
        ee += np.einsum("ij,ij->j", y - exact, y - exact)
    if weight is None:
        return Trial(change, changed, xx, ee)
    w, v = weight
    known = float(decibels((w * w).sum(), ((v - w) ** 2).sum()))
    if transform.other == NEXT:
        return Trial(change, changed, xx, ee, known)
    pairs = ((x.matrix[at], y) for at, y in _returned(x, changed, change, observer, there))
    return Trial(change, changed, xx, ee, known, of_chunks(pairs, w, v))


def _other(
    other: Operand, transform: Transform, change: Change, observer: Observer, target: Target
) -> tuple[np.ndarray, np.ndarray]:
    """The other tensor (channels, outputs) and what comes back of it; float64."""
    w = other.matrix.T.astype(np.float64)
    scaled = w * change.factor[:, None]
    if transform.other == NEXT:
        pairs = settled_tiles(Stream.of(scaled), observer, replace(target, granularity=PER_TENSOR))
        _, settled = next(pairs)
    else:
        along = Granularity("per_channel", 1)
        spec = QuantSpec(target.spec.bits, signed=True, symmetric=True, narrow_range=True)
        weights = Target.of(spec, along)
        return w, _by_output(scaled, weights) / change.factor[:, None]
    flat = scaled.reshape(1, -1)
    back = flat if settled is None else settled.quantizer.fake_quantize(flat)
    return w, back.reshape(w.shape) / change.factor[:, None]


def _by_output(w: np.ndarray, target: Target) -> np.ndarray:
    """What comes back of a weight with a range for each output channel."""
    back = np.zeros(w.shape)
    for tile, settled in settled_tiles(Stream.of(w, target.granularity), AbsMaxObserver(), target):
        if settled is not None:
            at = tile.batches[0].tile
            back[:, at] = settled.quantizer.fake_quantize(w[:, at].T).T
    return back


def _returned(
    x: Operand, changed: np.ndarray, change: Change, observer: Observer, target: Target
) -> Iterator[tuple[slice, np.ndarray]]:
    """Tokens, some at a time, and what comes back of them once the change is undone; float64."""
    pairs = settled_tiles(Stream.of(changed, target.granularity), observer, target)
    for tile, settled in pairs:
        per_tensor = target.granularity == PER_TENSOR
        tokens, channels = changed.shape
        rows = token_chunks(tokens, channels, 1) if per_tensor else (tile.batches[0].tile,)
        for at in rows:
            part = changed[at]
            if settled is None:
                yield at, x.matrix[at].astype(np.float64)
                continue
            flat = part.reshape(1, -1) if per_tensor else part
            y = settled.quantizer.fake_quantize(flat).reshape(part.shape)
            yield at, y.astype(np.float64, copy=False) * change.factor + change.shift
