"""Where channels lie by custom, by the operation and the number of axes; and in torch modules."""

from __future__ import annotations

import re
from collections.abc import Iterable

from qviz.models.axes.mixing import FIRST, IMAGES, LAST, NORMS, PRODUCTS

Seen = tuple[tuple[int, ...], int | None]  # the shape of what a module gave, and its axis
_FIRST = re.compile(
    r"(Lazy|Quantized)?(Conv|BatchNorm|SyncBatchNorm|InstanceNorm|GroupNorm|Upsampl|Pixel)"
    r"|.*[1-3]d$|LocalResponseNorm$|ChannelShuffle$"
)
_LAST = re.compile(
    r"(.*(Linear|LayerNorm|RMSNorm|Embedding)|EmbeddingBag|(LSTM|GRU|RNN)(Cell)?"
    r"|MultiheadAttention|Conv1D)$|Transformer|Linear"  # Conv1D is a product with a matrix
)

_TURNED = re.compile(r".*ConvTranspose[1-3]d$|Conv1D$")
_TABLE = re.compile(r".*Embedding(Bag)?$")


def activation_axis(op: str, rank: int) -> int | None:
    """Where the channels of an activation lie: 1 of images and of convolutions, else the last."""
    if rank < 2:
        return None
    if op in PRODUCTS | LAST | NORMS:
        return rank - 1
    return 1 if rank >= 4 or op in IMAGES | FIRST or op == "PRelu" else rank - 1


def weight_axis(kind: str, shape: tuple[int, ...]) -> int | None:
    """The same of what a torch module of class ``kind`` holds: its outputs.

    Axis 0, but 1 of a transposed convolution, of a table of rows and of a product with a matrix.
    """
    if len(shape) < 2:
        return None
    return 1 if _TURNED.match(kind) or (_TABLE.match(kind) and len(shape) == 2) else 0


def module_axis(kind: str, shape: tuple[int, ...], before: Iterable[Seen]) -> int | None:
    """The same of what a torch module of class ``kind`` gives.

    ``before`` is what modules gave before it, the last one first. A module of another kind leaves
    channels where they were: in what last had the same shape, or the same lengths in another
    order, if one of them is that of its channels alone.
    """
    rank = len(shape)
    if rank < 2:
        return None
    if _LAST.match(kind):
        return rank - 1
    return 1 if _FIRST.match(kind) else _as_before(shape, before)


def _as_before(shape: tuple[int, ...], before: Iterable[Seen]) -> int | None:
    lengths = sorted(shape)
    for other, axis in before:
        if axis is not None and other == shape:
            return axis
        if axis is not None and sorted(other) == lengths and shape.count(other[axis]) == 1:
            return shape.index(other[axis])
    return activation_axis("", len(shape))
