"""TI's range utilities by their own names, and its PACT2 layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.dialects.ti.errors import TiAssertionError
from qviz.dialects.ti.extrema import (
    ends_of,
    extrema,
    extrema_fast,
    extrema_hist_search,
    float32_of,
    histogram_of,
    source_of,
    tensor_histogram,
)
from qviz.dialects.ti.pact2 import START, Pact2Quantizer, limits, moved, pact2_quantizer
from qviz.dialects.ti.percentile import Ends, shrunk
from qviz.errors import QvizError
from qviz.xp import Array

__all__ = ["Pact2", "extrema", "extrema_fast", "extrema_hist_search", "tensor_histogram"]


class Pact2:
    """TI's activation layer: clips that follow the batches, and codes with zero point 0.

    Parameters
    ----------
    inplace : bool
        Accepted; the input is never changed.
    signed : bool, optional
        None: signed as soon as the lower clip is below 0.
    range_shrink_activations : float
        Percent of the elements of a batch cut on each side.
    clip_range : pair of float, optional
        Fixed: clips are -/+ the next power of two of its larger magnitude.
    power2_activation_range : bool
        Limits and scale are powers of two.
    batch_quant : bool
        In training, the batch's own range instead of the running clips.
    bits, seed : int
        Bits of a code; of the row and column starts (None: Python's own ``random``).

    Attributes
    ----------
    clips : numpy.ndarray
        Running range, float32 (2,).
    num_batches_tracked : int
        -1 before the first batch in training.
    """

    def __init__(
        self,
        inplace: bool = False,
        signed: bool | None = None,
        range_shrink_activations: float = 0.01,
        clip_range: Sequence[float] | None = None,
        power2_activation_range: bool = True,
        batch_quant: bool = False,
        *,
        bits: int = 8,
        seed: int | None = None,
    ) -> None:
        self.signed, self._start = _start(signed, clip_range)
        self.clips = self._start.copy()
        self.range_shrink_activations = range_shrink_activations
        self.power2_activation_range, self.batch_quant = power2_activation_range, batch_quant
        self.bits, self.fixed_range, self.training = bits, clip_range is not None, True
        self.num_batches_tracked = -1
        self._source, self._batch = source_of(seed), None

    def train(self, mode: bool = True) -> Pact2:
        """Switch to training, in which a layer starts; gives the layer itself."""
        self.training = bool(mode)
        return self

    def eval(self) -> Pact2:
        """Switch to evaluation: clips stay as they are."""
        return self.train(False)

    def freeze_range(self) -> None:
        """Keep the clips as they are, in training too."""
        self.fixed_range = True

    def __call__(self, x: Array, update_activation_range: bool = True) -> Array:
        """``x`` quantized and dequantized, float32; in training the clips move first."""
        x = float32_of(x)
        self._batch = None
        if self.training and update_activation_range:
            self.num_batches_tracked += 1
            if not self.fixed_range:
                self._update(x)
        return self.quantizer().fake_quantize(x.reshape(1, -1)).reshape(x.shape)

    @np.errstate(all="ignore")
    def get_clips_act(self) -> np.ndarray:
        """Limits in use, float32 (2,): (-m, m), or (0, m) where unsigned."""
        now = self.clips if self._batch is None or not self.batch_quant else self._batch
        return limits(now, self.signed, self.power2_activation_range)

    def quantizer(self) -> Pact2Quantizer:
        """The qparams as they stand: ``scale`` in steps per unit, (1,), limits and codes."""
        low, high = self.get_clips_act()
        m, power2 = np.array([high], np.float32), self.power2_activation_range
        return pact2_quantizer(m, self.bits, bool(low < 0), power2)

    def gradients(self, x: Array, dout: Array) -> Array:
        """``dout`` where ``x`` is inside the limits, ends included, else 0: straight-through."""
        x, dout = float32_of(x), float32_of(dout)
        if tuple(x.shape) != tuple(dout.shape):
            raise QvizError(
                f"x has shape {tuple(x.shape)}, dout {tuple(dout.shape)}.", "They differ."
            )
        grads = self.quantizer().backward(x.reshape(1, -1), dout.reshape(1, -1))
        return grads.input.reshape(x.shape)

    def _update(self, x: Array) -> None:
        batch = self._range(x)
        with np.errstate(all="ignore"):
            self.clips = moved(self.clips, batch, self.num_batches_tracked)
            self._batch = np.array(batch, np.float32)

    def _range(self, x: Array) -> Ends:
        if not self.range_shrink_activations:
            lo, hi = (np.float32(float(end)) for end in ends_of(x))
            return lo, hi
        made = histogram_of(x, True, self._source)
        return shrunk(made, self.range_shrink_activations)


def _start(
    signed: bool | None, clip_range: Sequence[float] | None
) -> tuple[bool | None, np.ndarray]:
    """Signedness and clips of a new layer."""
    if clip_range is None:
        return signed, np.array([0 if signed is False else -START, START], np.float32)
    ends = np.asarray(clip_range, np.float64)
    if ends.shape != (2,) or not np.isfinite(ends).all() or not ends.any():
        raise QvizError(
            f"{clip_range!r} is no range.", "Two finite numbers are needed, not both 0."
        )
    below = bool(ends[0] < 0)
    if signed is not None and signed != below:
        raise TiAssertionError(
            f"signed is {signed}, but clip_range is {clip_range!r}.",
            "A range that starts below 0 is signed, any other is not.",
            "Leave signed out.",
        )
    m = np.exp2(np.ceil(np.log2(np.abs(ends).max())))
    return below, np.array([-m if below else 0, m], np.float32)
