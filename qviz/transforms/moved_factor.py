"""A factor of each channel moved from the activation into the weight."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.registry import Source, knob
from qviz.spec import Role
from qviz.transforms.base import (
    OPERAND,
    TRANSFORMS,
    Change,
    Operand,
    Transform,
    balance,
    needed,
)

SOURCE = Source("SmoothQuant, arXiv 2211.10438", "equation 4", "2023")


@TRANSFORMS.register("moved_factor", title="Moved factor", source=SOURCE)
@dataclass(frozen=True)
class MovedFactor(Transform):
    """x_k' = x_k / f_k and w_k' = w_k f_k with f_k = max|x_k|^alpha / max|w_k|^(1 - alpha).

    At alpha 0.5, f_k = sqrt(max|x_k| / max|w_k|). The product stays as it is, and the activation
    keeps one step for the tensor.
    """

    other = OPERAND
    roles = (Role.ACTIVATION, Role.UNKNOWN)
    undone = "in the weight, and in the norm or layer before"

    alpha: float = knob(0.5, low=0.0, high=1.0, help="0: all stays in the activation; 1: all moves")

    def change(self, x: Operand, other: Operand | None) -> Change:
        weight = needed(other, x, "the weight that x is multiplied with")
        made = Change.none(x.channels)
        return Change(balance(x.largest, weight.largest, self.alpha), made.shift)
