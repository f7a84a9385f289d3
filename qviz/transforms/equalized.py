"""Two weights in a row brought to the same ranges, channel by channel."""

from __future__ import annotations

from dataclasses import dataclass

from qviz.registry import Source
from qviz.spec import Role
from qviz.transforms.base import NEXT, TRANSFORMS, Change, Operand, Transform, balance, needed

SOURCE = Source("Data-free quantization, arXiv 1906.04721", "section 4.1", "2019")


@TRANSFORMS.register("equalized", title="Cross-layer equalization", source=SOURCE)
@dataclass(frozen=True)
class Equalized(Transform):
    """w1_k' = w1_k / s_k and w2_k' = w2_k s_k with s_k = sqrt(max|w1_k| / max|w2_k|).

    Channel k leaves the first layer and enters the second; between them only what commutes with
    a positive factor, such as a ReLU. The first layer's bias is divided as well.
    """

    other = NEXT
    roles = (Role.WEIGHT, Role.UNKNOWN)
    undone = "in the next layer's weight; the bias is divided too"

    def change(self, x: Operand, other: Operand | None) -> Change:
        following = needed(other, x, "the next layer's weight")
        return Change(balance(x.largest, following.largest, 0.5), Change.none(x.channels).shift)
