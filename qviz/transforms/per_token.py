"""A step of its own for each token."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.registry import Source
from qviz.spec import Granularity, Role
from qviz.transforms.base import TRANSFORMS, Change, Operand, Transform

SOURCE = Source("qviz", "per token", "1")


@TRANSFORMS.register("per_token", title="Per token", source=SOURCE)
@dataclass(frozen=True)
class PerToken(Transform):
    """The values stay; each token has a range, taken when the model runs.

    A token's step is one factor of its whole row of the product, so it is undone after the sum.
    """

    roles = (Role.ACTIVATION, Role.UNKNOWN)
    undone = "after the sum, one factor a row"

    def change(self, x: Operand, other: Operand | None) -> Change:
        return Change.none(x.channels, Granularity("per_token"))
