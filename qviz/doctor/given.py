"""What may be known besides values: qparams as they were written down, and a bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.errors import QvizError
from qviz.observers.base import Needs, Observer
from qviz.observers.typed import TypedObserver
from qviz.quantizers.affine import typed
from qviz.quantizers.base import Quantizer, Target
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax


@dataclass(frozen=True, eq=False)
class Given:
    """Qparams as somebody wrote them down, unchecked; ``scale`` and ``zero_point`` (groups,).

    ``stored`` is the element type that scales are kept in, empty where it is not known.
    """

    scale: np.ndarray
    zero_point: np.ndarray
    quant_min: int = 0
    quant_max: int = 255
    stored: str = ""

    @staticmethod
    def of(
        scale: Any, zero_point: Any = 0, ends: tuple[int, int] = (0, 255), stored: str = ""
    ) -> Given:
        """From numbers or lists."""
        s, z = (np.atleast_1d(np.asarray(v, np.float64)) for v in (scale, zero_point))
        s, z = np.broadcast_arrays(s, z)
        return Given(s, z, *ends, stored)

    @property
    def sound(self) -> bool:
        """Whether every scale is a positive finite number."""
        return bool((np.isfinite(self.scale) & (self.scale > 0)).all())

    @property
    def observer(self) -> Observer:
        """What gives these qparams, whatever the data."""
        if self.scale.size > 1:
            return EachObserver(self)
        zero = int(self.zero_point[0])
        return TypedObserver(float(self.scale[0]), zero, self.quant_min, self.quant_max)


@dataclass(frozen=True, eq=False)
class EachObserver(Observer):
    """Qparams for each group, as given. Raises QvizError where there are more or fewer groups."""

    given: Given

    @property
    def needs(self) -> Needs:
        return (MinMax(),)

    def range(self, seen: Seen, target: Target) -> Quantizer:
        groups, one = len(seen[MinMax()].n), self.given
        if groups != one.scale.size:
            raise QvizError(f"There are {one.scale.size} scales for {groups} groups.")
        return typed(one.scale, one.zero_point.astype(np.int64), one.quant_min, one.quant_max)


@dataclass(frozen=True, eq=False)
class Bias:
    """A layer's bias (outputs,) and its input's scale.

    ``weight_scale`` is given where the case does not hold the weight itself.
    """

    values: np.ndarray
    input_scale: float
    weight_scale: np.ndarray | None = None
