"""PyTorch's HistogramObserver: the range with the smallest estimated squared error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.pytorch.dialect import HISTOGRAM
from qviz.dialects.pytorch.histogram_search import Walk, search
from qviz.dialects.pytorch.histogram_state import TorchHistogram
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Decision, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import QuantSpec, Range
from qviz.stats.base import Seen


def storage_levels(spec: QuantSpec) -> int:
    """Codes that the search reckons with: all of the storage type, 2^8 or 2^16."""
    return 2**8 if spec.bits <= 8 else 2**16


@OBSERVERS.register(
    "torch.histogram",
    title="torch Histogram",
    source=HISTOGRAM,
    golden="observer:cls=HistogramObserver",
)
@dataclass(frozen=True)
class TorchHistogramObserver(Observer):
    """Walk in from both ends of a growing histogram while the L2 error does not grow.

    The error is estimated for an affine grid of all codes of the storage type, whatever
    quant_min, quant_max and symmetry say. With the mode ``torch.affine`` the scale and zero
    point are PyTorch's.
    """

    bins: int = knob(2048, low=16, high=8192, help="bins of the histogram")

    @property
    def needs(self) -> Needs:
        return (TorchHistogram(self.bins),)

    def accepts(self, target: Target) -> str | None:
        if target.granularity.kind != "per_tensor":
            return "PyTorch's HistogramObserver is per tensor only"
        return None

    def range(self, seen: Seen, target: Target) -> Range:
        walk = self._walk(seen, target)
        if not (np.isfinite(walk.lo) and np.isfinite(walk.hi)):
            raise QvizError(
                "The range is too wide for PyTorch's HistogramObserver.",
                "max - min overflows float32 and every count is lost.",
                "Choose another observer.",
            )
        return Range(np.asarray(walk.lo), np.asarray(walk.hi))

    def decision(self, seen: Seen, target: Target) -> Decision | None:
        walk, state = self._walk(seen, target), seen[TorchHistogram(self.bins)]
        if walk.errors.size < 2 or state.min == state.max:
            return None
        bin_width = (float(state.max) - float(state.min)) / self.bins
        widths = (walk.ends - walk.starts + 1)[::-1] * bin_width
        words = (
            f"{walk.errors.size} ranges were tried from wide to narrow, up to the first with a "
            f"larger error; bins {walk.start} to {walk.end} of {self.bins} were kept."
        )
        return Decision(
            "width of the range (tensor units)",
            "estimated squared error (tensor units²)",
            widths,
            {"estimated error": walk.errors[::-1]},
            ((walk.end - walk.start + 1) * bin_width,),
            words,
        )

    def _walk(self, seen: Seen, target: Target) -> Walk:
        state = seen[TorchHistogram(self.bins)]
        if state.refused:
            raise QvizError(
                f"PyTorch's HistogramObserver refuses {state.refused} of {seen.batches} batches.",
                "It stops with a RuntimeError at NaN and at ends beyond float32.",
                "Remove such elements, or choose another observer.",
            )
        if state.unseen:
            raise QvizError(
                "There is no finite element to take a range from.",
                "PyTorch's HistogramObserver leaves out infinite elements.",
                "Look at where the tensor comes from.",
            )
        return search(state.histogram, state.min, state.max, storage_levels(target.spec))
