"""Channels of a case: extremes of all elements, and a sample on which errors are measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from qviz import xp
from qviz.doctor.axes import ENOUGH, SHORT, below, extremes_along, middle, thinned
from qviz.metrics.base import decibels
from qviz.pipeline.channel_facts import NEAR_DEAD, loud_channels
from qviz.quantizers.base import Quantizer
from qviz.spec import Granularity
from qviz.stats.minmax import MinMaxState
from qviz.stats.stream import Stream
from qviz.xp import Array

SAMPLE = 2**19  # elements on which errors of channels are measured, more where channels are many
BLOCK = 2**15  # elements that are quantized at a time
EACH, MOST = 64, 2**22  # elements of a channel that are wanted for it; elements of all at most
WIDE = 1000  # times as many short channels as each has elements: several may be
FAR = 6.0  # times the median channel, from which one is an outlier
FAINT = 0.05  # of the median channel, below which one is faint
BAD = 10.0  # dB, below which a channel is of little use
FEW = 0.1  # of the channels: more than these are no outliers but a spread
ALONG = Granularity("per_channel", 1)


@dataclass(frozen=True, eq=False)
class Channels:
    """Channels along ``axis`` of each batch; arrays are (channels,), ``facts`` are exact."""

    batches: tuple[Array, ...]
    axis: int
    facts: MinMaxState
    known: dict[int, tuple[Quantizer, np.ndarray]] = field(default_factory=dict, repr=False)

    @staticmethod
    def along(stream: Stream, axis: int) -> Channels:
        """Those along one axis of each batch."""
        return Channels(stream.batches, axis, extremes_along(stream, axis))

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
        chance = self.each < SHORT and self.count > WIDE * self.each
        return self.count > 1 and self.each >= ENOUGH and not chance

    @cached_property
    def median(self) -> float:
        """Largest magnitude of the median channel that is not dead."""
        return middle(self.amax)

    @cached_property
    def outliers(self) -> np.ndarray:
        """Channels over 6 times the median one, where these are at most a tenth (or just one)."""
        out = self.reach > FAR * self.median
        few = out.sum() <= max(1, FEW * self.count)
        return out if few else np.zeros(self.count, bool)

    @cached_property
    def reach(self) -> np.ndarray:
        """``amax``, at most twice the second largest: a lone value is no channel."""
        out, far = self.amax.copy(), np.flatnonzero(self.amax > FAR * self.median)
        if len(far):
            parts = [np.moveaxis(xp.host(xp.working(b)), self.axis, 0)[far] for b in self.batches]
            x = np.abs(np.concatenate([part.reshape(len(far), -1) for part in parts], axis=1))
            second = np.partition(np.where(np.isfinite(x), x, 0), -2, axis=1)[:, -2]
            out[far] = np.minimum(out[far], 2 * second)
        return out

    @property
    def lone(self) -> bool:
        """Whether lone values make channels outliers, and nothing else does."""
        far = FAR * self.median
        return self.count > 0 and bool(self.reach.max() <= far < self.amax.max())

    @cached_property
    def loud(self) -> np.ndarray:
        """Channels that set the step: the outliers, else those near the largest of unlike ones."""
        return self.outliers if self.outliers.any() else loud_channels(self.amax)

    @cached_property
    def faint(self) -> np.ndarray:
        """Channels below a twentieth of the median one, not mostly zeros nor as good as dead."""
        return self._filled & (self.amax < FAINT * self.median) & ~(self.near_dead | self.dead)

    @property
    def dead(self) -> np.ndarray:
        """Channels that hold nothing but 0."""
        return self.amax == 0

    @property
    def near_dead(self) -> np.ndarray:
        """Channels as good as dead, below 1e-4 of the median one: 80 dB below what it is added to.

        No sum over channels tells them from 0; only what reads each channel by itself does.
        """
        return ~self.dead & (self.amax < NEAR_DEAD * self.median)

    @cached_property
    def below(self) -> np.ndarray:
        """Channels of a faint group, a gap below all others, that are not mostly zeros."""
        return self._filled & below(self.amax)

    @property
    def _filled(self) -> np.ndarray:
        return self.facts.zero < self.facts.n / 2

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
        whole = np.ascontiguousarray(whole)
        return whole if np.isfinite(whole).all() else np.where(np.isfinite(whole), whole, 0)

    @cached_property
    def energy(self) -> np.ndarray:
        """Of each channel the sum of x^2, on the sample."""
        return np.einsum("ij,ij->j", self.matrix, self.matrix, dtype=np.float64)

    @property
    def judged(self) -> bool:
        """Whether the sample says something of each single channel."""
        return not self.sampled or len(self.matrix) >= EACH // 2

    @property
    def sampled(self) -> bool:
        """Whether the sample is less than all elements."""
        return self.matrix.size < sum(xp.size(batch) for batch in self.batches)

    def of_matrix(self, granularity: Granularity) -> Granularity:
        """A granularity of a batch as one of the sample; groups stay groups along the last axis."""
        rank = self.batches[0].ndim
        if granularity.kind == "per_channel":
            return ALONG if granularity.axis % rank == self.axis else ROWS
        rows = granularity == ROWS and rank == 2 and self.axis == 0
        return ALONG if rows else granularity

    def energies(self, quantizer: Quantizer) -> tuple[np.ndarray, np.ndarray]:
        """Of each channel the sums of x^2 and of e^2 under one quantizer, on the sample."""
        kept = self.known.get(id(quantizer))
        if kept is None:
            ee, rows = np.zeros(self.count), max(1, BLOCK // max(self.count, 1))
            for at in range(0, len(self.matrix), rows):
                x = self.matrix[at : at + rows]
                e = xp.host(quantizer.fake_quantize(x.reshape(1, -1))).reshape(x.shape) - x
                ee += np.einsum("ij,ij->j", e, e, dtype=np.float64)
            kept = self.known[id(quantizer)] = quantizer, ee
        return self.energy, kept[1]

    def sqnr(self, quantizer: Quantizer) -> np.ndarray:
        """SQNR of each channel under one quantizer, in dB, on the sample."""
        return decibels(*self.energies(quantizer))

    def _part(self, batch: Array) -> np.ndarray:
        total = sum(xp.size(other) for other in self.batches)
        wanted = min(max(SAMPLE, EACH * self.count), MOST)
        share = max(1, wanted * xp.size(batch) // max(total, 1))
        thin = thinned(batch, self.axis, share)
        thin = np.moveaxis(xp.host(xp.working(thin)), self.axis, -1)
        return thin.reshape(-1, thin.shape[-1])


ROWS = Granularity("per_token")
