"""NVIDIA's histogram MSE calibration: as it is meant, and as it was released."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.nvidia.dialect import CALIBRATOR
from qviz.dialects.nvidia.errors import FailedRun
from qviz.dialects.nvidia.float32 import total
from qviz.dialects.nvidia.histogram import NvidiaHistogram, NvidiaMagnitudes
from qviz.dialects.nvidia.search import squared_errors
from qviz.dialects.nvidia.state import around_zero, candidates, refusal, usable
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.observers.thinning import thinned
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen

EPSILON = 2.0**-24  # clips up to this quantize everything to 0 in the released code
PARTS = 16  # of the candidates, one after another: their table stays small
Curve = tuple[np.ndarray, np.ndarray]  # candidate clips and their errors


def middles(state: NvidiaHistogram) -> tuple[np.ndarray, np.ndarray]:
    """Counts, and the middle of each bin in float32.

    Raises
    ------
    FailedRun
        The histogram has grown to one edge too many; the original stops there.
    """
    counts = usable(state)
    found = (state.edges[1:] + state.edges[:-1]) / np.float32(2)
    if len(found) != len(counts):
        raise FailedRun(
            f"{len(found)} middles do not match {len(counts)} counts.",
            "Growing left one edge too many, and NVIDIA's search stops at that.",
            "Let the first batch be as wide as the others.",
        )
    return counts, found


@OBSERVERS.register("nvidia.mse", title="NVIDIA MSE", source=CALIBRATOR, golden="mse.histogram")
@dataclass(frozen=True)
class NvidiaMse(Observer):
    """The middle of a bin of |x| at which cutting leaves the least squared error.

    Candidates are the middles of bins ``start_bin``, ``start_bin`` + ``stride`` .. to the last;
    with scale = candidate / (2^(bits - 1) - 1) the first least sum of count * (middle - quantized
    middle)^2 wins, in float64; half to even. lo, hi = -amax, amax.

    Differs: this is the search that is meant. The released one passes the number of bits where a
    bias belongs: see nvidia.mse_released.
    """

    num_bins: int = knob(2048, low=16, high=8192, help="bins of the first histogram")
    start_bin: int = knob(128, low=1, high=8191, help="bin of the least candidate")
    stride: int = knob(1, low=1, high=512, help="bins from one candidate to the next")
    unsigned: bool = knob(False, help="codes without a sign: twice as many")
    skip_zeros: bool = knob(False, help="leave zeros out of the histogram")

    @property
    def needs(self) -> Needs:
        return (NvidiaMagnitudes(self.num_bins, self.skip_zeros),)

    def accepts(self, target: Target) -> str | None:
        return _refusal(target, self.start_bin, self.num_bins, self.unsigned)

    def range(self, seen: Seen, target: Target) -> Range:
        state = seen[NvidiaMagnitudes(self.num_bins, self.skip_zeros)]
        return around_zero(self.amax(state, target.spec.bits))

    def amax(self, state: NvidiaHistogram, bits: int) -> np.floating:
        """The threshold in float32."""
        clips, errors = self._curve(state, bits)
        return clips[errors.argmin()]

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        state = seen[NvidiaMagnitudes(self.num_bins, self.skip_zeros)]
        clips, errors = self._curve(state, target.spec.bits)
        if state.edges[-1] == 0 or len(clips) < 2:
            return None
        best = int(errors.argmin())
        shown, amax = thinned(len(clips), best), float(clips[best])
        return Decision(
            "clip, tensor units",
            "mean squared error, tensor units²",
            clips[shown].astype(np.float64),
            {"of the bins' middles": errors[shown] / usable(state).sum()},
            (amax,),
            f"Of {len(clips)} clips the first with the least squared error was kept.",
            {"largest magnitude": float(state.edges[-1])},
            log_y=True,
        )

    def _curve(self, state: NvidiaHistogram, bits: int) -> Curve:
        counts, found = middles(state)
        clips = found[candidates(len(found), self.start_bin, self.stride)]
        last = 2 ** (bits - 1 + self.unsigned) - 1
        wide = (found.astype(np.float64), clips.astype(np.float64))
        return clips, squared_errors(counts, *wide, last)


@OBSERVERS.register(
    "nvidia.mse_released",
    title="NVIDIA MSE as is",
    source=CALIBRATOR,
    presets={},
    golden="mse.histogram",
)
@dataclass(frozen=True)
class NvidiaMseReleased(Observer):
    """What the released search finds: the candidate c with the least sum count * (c + bits - v)^2.

    v are the middles of the bins, c those from bin ``start_bin`` on; so mostly the first of them,
    and of data far from 0 the one next to their mean less the number of bits. Unsigned: the first.

    Differs: the number of bits is taken for a bias, and the codes have 0 bits, so that every
    value comes back as c + bits.
    """

    num_bins: int = knob(2048, low=16, high=8192, help="bins of the first histogram")
    start_bin: int = knob(128, low=1, high=8191, help="bin of the least candidate")
    stride: int = knob(1, low=1, high=512, help="bins from one candidate to the next")
    unsigned: bool = knob(False, help="codes without a sign")
    skip_zeros: bool = knob(False, help="leave zeros out of the histogram")

    @property
    def needs(self) -> Needs:
        return (NvidiaMagnitudes(self.num_bins, self.skip_zeros),)

    def accepts(self, target: Target) -> str | None:
        return _refusal(target, self.start_bin, self.num_bins, True)

    def range(self, seen: Seen, target: Target) -> Range:
        state = seen[NvidiaMagnitudes(self.num_bins, self.skip_zeros)]
        return around_zero(self.amax(state, target.spec.bits))

    def amax(self, state: NvidiaHistogram, bits: int) -> np.floating:
        """The threshold in float32."""
        counts, found = middles(state)
        clips = found[candidates(len(found), self.start_bin, self.stride)]
        if self.unsigned:
            return clips[0]  # no code at all: every error is NaN
        half = np.float32(-0.5)  # 2^(0 - 1) - 1, the last code of 0 bits
        with np.errstate(all="ignore"):
            back = np.where(clips <= EPSILON, half, half / (half / clips)) + np.float32(bits)
            errors = [_mean(part, found, counts) for part in np.array_split(back, PARTS)]
        return np.float32(clips[np.concatenate(errors).argmin()])


def _mean(back: np.ndarray, found: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The released error of candidates, as PyTorch adds it up in float32."""
    off = back[:, None] - found
    return total(off * off * counts.astype(np.float32)) / np.float32(len(found))


def _refusal(target: Target, start_bin: int, num_bins: int, unsigned: bool) -> str | None:
    if start_bin >= num_bins:
        return "start_bin lies beyond the histogram: lower it, or raise num_bins"
    if target.spec.bits == 1 and not unsigned:
        return "one bit with a sign has no code above 0: use 2 bits or more"
    return refusal(target)
