"""ONNX Runtime's distribution calibrator, made for float8."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.dialects.onnxruntime.dialect import COLLECTOR
from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.dialects.onnxruntime.float8 import LARGEST, float8_scale
from qviz.dialects.onnxruntime.state import Ends, refusal, usable
from qviz.dialects.onnxruntime.values import OrtHistogram, OrtValues
from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import knob
from qviz.spec import Range
from qviz.stats.base import Seen

LEAST_BINS = 512


@np.errstate(all="ignore")
def avg_std(counts: np.ndarray, edges: np.ndarray, scenario: str) -> Ends:
    """Mean and standard deviation of the bins' middles v, rounded to the type of the edges.

    ``same`` takes v itself, ``p3`` its cube root with its sign. sum(h v) / sum(h), and
    sqrt(sum(h v^2) / sum(h) - avg^2) in float64. NaN where that cancels below 0.

    Raises
    ------
    InvalidValue
        Another scenario.
    """
    if scenario not in ("same", "p3"):
        raise InvalidValue(f"No scenario is called {scenario!r}.", "Known: same, p3.")
    middles = (edges[:-1] + edges[1:]) * edges.dtype.type(0.5)
    if scenario == "p3":
        sign = np.where(middles == 0, middles.dtype.type(1), np.sign(middles))
        middles = np.abs(middles) ** (1.0 / 3.0) * sign
    avg = (counts * middles).sum() / counts.sum()
    std = ((counts * middles**2).sum() / counts.sum() - avg**2) ** 0.5
    return edges.dtype.type(avg), edges.dtype.type(std)


@OBSERVERS.register(
    "ort.distribution", title="ORT Distribution", source=COLLECTOR, golden="distribution.ort"
)
@dataclass(frozen=True)
class OrtDistribution(Observer):
    """lo, hi = ∓ 448 * std / s8: what float8 E4M3 codes reach with ONNX Runtime's scale.

    std is that of a histogram's middles (or of their cube roots), s8 = 100.06 that of the 254
    finite E4M3 values; so about 4.48 standard deviations to each side of 0.

    Differs: ONNX Runtime uses the scale for float8 only and gives no clipping range; here the
    range that its codes would span meets whatever mode is chosen.
    """

    num_bins: int = knob(2048, low=LEAST_BINS, high=8192, help="bins of the first histogram")
    scenario: str = knob("same", options=("same", "p3"), help="values, or their cube roots")

    @property
    def needs(self) -> Needs:
        return (OrtValues(self.num_bins),)

    def accepts(self, target: Target) -> str | None:
        return refusal(target)

    def range(self, seen: Seen, target: Target) -> Range:
        _, std = self.avg_std(seen[OrtValues(self.num_bins)])
        if not np.isfinite(std):
            raise InvalidValue(
                "ONNX Runtime's standard deviation is not a number here.",
                "The mean square of a nearly constant tensor rounds below the squared mean.",
                "Choose another observer.",
            )
        reach = LARGEST * float(float8_scale(std))
        return Range(np.asarray(-reach), np.asarray(reach))

    def avg_std(self, state: OrtHistogram) -> Ends:
        """Mean and standard deviation as ONNX Runtime gives them."""
        if self.num_bins < LEAST_BINS:
            raise InvalidValue(f"{self.num_bins} bins are too few.", f"Use {LEAST_BINS} or more.")
        return avg_std(usable(state), state.edges, self.scenario)
