"""Mean plus or minus a number of standard deviations."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.observers.base import OBSERVERS, Needs, Observer
from qviz.quantizers.base import Target
from qviz.registry import Source, knob
from qviz.spec import Range
from qviz.stats.base import Seen
from qviz.stats.moments import Moments

SOURCE = Source("qviz", "neutral mean and standard deviation", "1")
PRESETS = {f"sigma_{k}": {"k": float(k)} for k in (3, 4, 6)}


@OBSERVERS.register("sigma", title="Sigma", source=SOURCE, presets=PRESETS)
@dataclass(frozen=True)
class SigmaObserver(Observer):
    """lo, hi = mean ∓ k * std, with the unbiased (n - 1) standard deviation.

    Not cut to the data: a range wider than the data spends codes on nothing, and shows it. The
    mean alone for a single element, [0, 0] for none; not finite where squares overflow float64.
    """

    k: float = knob(3.0, low=0.5, high=12.0, help="half width in standard deviations")

    @property
    def needs(self) -> Needs:
        return (Moments(),)

    def range(self, seen: Seen, target: Target) -> Range:
        moments = seen[Moments()]
        half = self.k * moments.std
        return Range(moments.mean - half, moments.mean + half)
