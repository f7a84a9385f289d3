"""ONNX Runtime's collector of histograms, over the same records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qviz import xp
from qviz.dialects.onnxruntime.distribution import OrtDistribution
from qviz.dialects.onnxruntime.entropy import OrtEntropy, searched
from qviz.dialects.onnxruntime.errors import FailedAssertion, InvalidValue
from qviz.dialects.onnxruntime.percentile import OrtPercentile
from qviz.dialects.onnxruntime.state import cut
from qviz.dialects.onnxruntime.tensors import TensorData, beside, joined, model_of
from qviz.dialects.onnxruntime.values import OrtHistogram
from qviz.stats.base import Batch
from qviz.xp import Array


@dataclass(eq=False)
class HistogramCollector:
    """Histograms of tensors by name, and what a method makes of them."""

    method: str
    symmetric: bool
    num_bins: int
    num_quantized_bins: int
    percentile: float
    scenario: str

    def __post_init__(self) -> None:
        observers = {
            "entropy": OrtEntropy(self.num_bins, self.num_quantized_bins),
            "percentile": OrtPercentile(self.percentile, self.num_bins, bool(self.symmetric)),
            "distribution": OrtDistribution(self.num_bins, self.scenario),
        }
        if self.method not in observers:
            known = ", ".join(observers)
            raise InvalidValue(f"No method is called {self.method!r}.", f"Known: {known}.")
        self.observer = observers[self.method]
        self._kept: dict[str, tuple[OrtHistogram, Array]] = {}

    def collect(self, name_to_arr: Mapping[str, Any]) -> None:
        """Count arrays, or lists of arrays that count as one call, by name.

        Raises
        ------
        InvalidValue, FailedAssertion
            float64 elements, or elements without a finite range.
        """
        (rule,) = self.observer.needs
        for name, given in name_to_arr.items():
            x = joined(given)
            if xp.dtype_name(x) == "float64":
                magnitudes = isinstance(self.observer, OrtPercentile) and self.observer.symmetric
                kind = FailedAssertion if magnitudes else InvalidValue
                raise kind("float64 is not collected.", "float32 and float16 are.", "Convert it.")
            state = rule.step(self._kept[name][0] if name in self._kept else rule.start(), Batch(x))
            if state.refused:
                raise InvalidValue(f"{name} cannot be collected.", state.refused)
            self._kept[name] = state, model_of(given)

    def get_histogram_dict(self) -> dict[str, tuple[Any, ...]]:
        """(counts, edges, min, max, threshold) by name."""
        return {name: _arrays(state, x) for name, (state, x) in self._kept.items()}

    def compute_collection_result(self) -> dict[str, Any]:
        """(lo, hi, counts, edges) by name; of the distribution method TensorData.

        The percentile method gives the first two counts in place of the last two, as there.
        """
        if not self._kept:
            raise InvalidValue("No histogram has been collected.", "", "Call collect() first.")
        return {name: self._result(state, x) for name, (state, x) in self._kept.items()}

    def _result(self, state: OrtHistogram, x: Array) -> Any:
        counts, edges, *_ = _arrays(state, x)
        if isinstance(self.observer, OrtDistribution):
            avg, std = (beside(v, x) for v in self.observer.avg_std(state))
            ends = {"lowest": edges.min(), "highest": edges.max()}
            return TensorData(avg=avg, std=std, hist=counts, hist_edges=edges, **ends)
        rest = (counts, edges) if isinstance(self.observer, OrtEntropy) else counts[:2]
        return (*(beside(end, x) for end in self.observer.ends(state)), *rest)

    def get_entropy_threshold(self, histogram: Sequence[Any], num_quantized_bins: int) -> Any:
        """(lo, hi) of a histogram (counts, edges, min, max, ...)."""
        counts, edges = (xp.host(v) for v in histogram[:2])
        lo, hi = (edges.dtype.type(v) for v in histogram[2:4])
        found = searched(counts, edges, num_quantized_bins)
        state = OrtHistogram(counts, edges, lo, hi, edges[-1])
        return cut(found.lo[found.best], found.hi[found.best], state)


def _arrays(state: OrtHistogram, x: Array) -> tuple[Any, ...]:
    return tuple(
        beside(v, x) for v in (state.counts, state.edges, state.lo, state.hi, state.threshold)
    )
