"""Known qparams, typed or read from a file: a row like any other."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS, Observer
from qviz.quantizers.affine import AffineQuantizer, typed
from qviz.quantizers.base import Target
from qviz.registry import Source, knob
from qviz.stats.base import Seen

SOURCE = Source("qviz", "typed qparams", "1")


@OBSERVERS.register("typed", title="Typed qparams", source=SOURCE, presets={})
@dataclass(frozen=True)
class TypedObserver(Observer):
    """The quantizer with this scale, zero point and codes; mode and codes of the target yield."""

    scale: float = knob(0.1, help="step between levels, in input units")
    zero_point: int = knob(0, help="code of real 0")
    quant_min: int = knob(-128, help="smallest code")
    quant_max: int = knob(127, help="largest code")

    def accepts(self, target: Target) -> str | None:
        try:
            self._quantizer()
        except QvizError as error:
            return str(error)
        return None

    def range(self, seen: Seen, target: Target) -> AffineQuantizer:
        return self._quantizer()

    def _quantizer(self) -> AffineQuantizer:
        return typed(self.scale, self.zero_point, self.quant_min, self.quant_max)
