"""Channels of a case: extremes of all elements, and a sample on which errors are measured."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from qviz import xp
from qviz.metrics.base import decibels
from qviz.pipeline.channel_facts import loud_channels, median_of
from qviz.pipeline.clipping_where import spreads
from qviz.quantizers.base import Quantizer
from qviz.spec import Granularity, Role
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Stream
from qviz.xp import Array

SAMPLE = 2**17  # elements on which errors of channels are measured
ENOUGH = 8  # elements from which a channel's largest magnitude says something
FAR = 6.0  # times the median channel, from which one is an outlier
FAINT = 0.05  # of the median channel, below which one is faint
FEW = 0.1  # of the channels: more than these are no outliers but a spread
ALONG = Granularity("per_channel", 1)


@dataclass(frozen=True, eq=False)
class Channels:
    """Channels along ``axis`` of each batch; arrays are (channels,), ``facts`` are exact."""

    batches: tuple[Array, ...]
    axis: int
    facts: MinMaxState

    @property
    def count(self) -> int:
        """Number of channels."""
        return len(self.facts.n)

    @property
    def amax(self) -> np.ndarray:
        """Largest magnitude of each channel."""
        return self.facts.amax

    @property
    def each(self) -> float:
        """Elements of one channel."""
        return float(self.facts.n.min()) if self.count else 0.0

    @property
    def telling(self) -> bool:
        """Whether there are several channels, of enough elements to be set side by side."""
        return self.count > 1 and self.each >= ENOUGH

    @cached_property
    def median(self) -> float:
        """Largest magnitude of the median channel that is not dead."""
        return median_of(self.amax)

    @cached_property
    def outliers(self) -> np.ndarray:
        """Channels over 6 times the median one, where these are at most a tenth (or just one)."""
        out = self.amax > FAR * self.median
        few = out.sum() <= max(1, FEW * self.count)
        return out if few else np.zeros(self.count, bool)

    @cached_property
    def loud(self) -> np.ndarray:
        """Channels that set the step: the outliers, else those near the largest of unlike ones."""
        return self.outliers if self.outliers.any() else loud_channels(self.amax)

    @cached_property
    def faint(self) -> np.ndarray:
        """Channels below a twentieth of the median one that are not mostly zeros."""
        alive = self.facts.zero < self.facts.n / 2
        return alive & (self.amax > 0) & (self.amax < FAINT * self.median)

    @cached_property
    def quiet(self) -> np.ndarray:
        """Channels that do not set the step; the faint ones where no channel is loud."""
        return ~self.loud if self.loud.any() or not self.faint.any() else self.faint

    @property
    def unlike(self) -> bool:
        """Whether some channels pay for the step of others."""
        return self.telling and bool(self.loud.any() or self.faint.any())

    @cached_property
    def matrix(self) -> np.ndarray:
        """The sample: (others, channels), evenly spaced; what is not finite is 0."""
        parts = [self._part(batch) for batch in self.batches]
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return whole if np.isfinite(whole).all() else np.where(np.isfinite(whole), whole, 0)

    @property
    def stream(self) -> Stream:
        """The sample as a stream; its channels lie along axis 1."""
        return Stream.of(self.matrix)

    @property
    def sampled(self) -> bool:
        """Whether the sample is less than all elements."""
        return self.matrix.size < sum(xp.size(batch) for batch in self.batches)

    def of_matrix(self, granularity: Granularity) -> Granularity:
        """A granularity of a batch as one of the sample; groups stay groups along the last axis."""
        if granularity.kind == "per_channel":
            return ALONG if granularity.axis % self.batches[0].ndim == self.axis else ROWS
        return granularity

    def energies(self, quantizer: Quantizer) -> tuple[np.ndarray, np.ndarray]:
        """Of each channel the sums of x^2 and of e^2 under one quantizer, on the sample."""
        x = self.matrix
        y = xp.host(quantizer.fake_quantize(x.reshape(1, -1))).reshape(x.shape)
        x = x.astype(np.float64, copy=False)
        e = y - x
        return np.einsum("ij,ij->j", x, x), np.einsum("ij,ij->j", e, e)

    def sqnr(self, quantizer: Quantizer) -> np.ndarray:
        """SQNR of each channel under one quantizer, in dB, on the sample."""
        return decibels(*self.energies(quantizer))

    def _part(self, batch: Array) -> np.ndarray:
        total = sum(xp.size(other) for other in self.batches)
        share = max(1, SAMPLE * xp.size(batch) // max(total, 1))
        thin = thinned(batch, self.axis, share)
        thin = np.moveaxis(xp.host(xp.working(thin)), self.axis, -1)
        return thin.reshape(-1, thin.shape[-1])


ROWS = Granularity("per_token")


def thinned(x: Array, axis: int, most: int) -> Array:
    """About ``most`` elements of ``x``: slices of the longest axes, but never of ``axis``."""
    while xp.size(x) > most:
        others = [a for a in range(len(x.shape)) if a != axis and x.shape[a] > 1]
        if not others:
            break
        longest = max(others, key=lambda a: x.shape[a])
        stride = min(-(-xp.size(x) // most), x.shape[longest])
        x = x[(slice(None),) * longest + (slice(None, None, stride),)]
    return x


def custom_axis(rank: int, role: str) -> int:
    """Where channels lie by custom: 0 in weights, 1 in images, last in other activations."""
    if role != Role.ACTIVATION:
        return 0
    return 1 if rank == 4 else rank - 1


def extremes_along(stream: Stream, axis: int) -> MinMaxState:
    """Extremes and counts of each channel, all elements read."""
    along = Stream.of(list(stream.batches), Granularity("per_channel", axis))
    parts = [gather(tile, (MinMax(),))[MinMax()] for tile in along.tiles]
    names = [field.name for field in fields(MinMaxState)]
    return MinMaxState(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def apart(amax: np.ndarray) -> float:
    """Largest over median magnitude of channels that are not dead; 0 where all are."""
    median = median_of(amax)
    return float(amax.max(initial=0.0)) / median if median > 0 else 0.0


def spread_along(stream: Stream) -> tuple[float, ...]:
    """Of each axis of a batch how far its channels are apart; 0 where they are too short."""
    shapes = {tuple(batch.shape) for batch in stream.batches}
    if len({len(shape) for shape in shapes}) > 1:
        return ()
    first = stream.batches[0]
    total = xp.size(first)
    found = spreads(first)
    return tuple(
        apart(amax) if len(amax) > 1 and total // len(amax) >= ENOUGH else 0.0 for amax in found
    )


def most_apart(stream: Stream) -> int:
    """The axis of a batch along which channels differ most."""
    found = spread_along(stream)
    return int(np.argmax(found)) if found else 0


def axis_of(stream: Stream, role: str, axis: int | None) -> int | None:
    """The axis given, counted from 0, else that of custom, else the one along which they differ.

    None where a batch has fewer than two axes, or not that one.
    """
    rank = min(len(batch.shape) for batch in stream.batches)
    if rank < 2 or (axis is not None and not -rank <= axis < rank):
        return None
    if axis is not None:
        return axis % rank
    return custom_axis(rank, role) if role != Role.UNKNOWN else most_apart(stream)
