"""What a transform is: a factor and a shift for each channel, undone elsewhere in the layer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.registry import Registry
from qviz.spec import PER_TENSOR, Granularity, Role
from qviz.xp import Array

TRANSFORMS = Registry("transform", "qviz.transforms")
MOST = 2**24  # elements of a tensor that is changed: the changed one is a copy
WIDE = 2**22  # elements up to which the copy is float64
OPERAND, NEXT = "operand", "next"  # the other tensor that a transform needs
ANY = (Role.ACTIVATION, Role.WEIGHT, Role.BIAS, Role.UNKNOWN)


@dataclass(frozen=True, eq=False)
class Operand:
    """A tensor and the axis of its channels: those that are added up in the product."""

    x: Array
    axis: int

    def __post_init__(self) -> None:
        if xp.size(self.x) > MOST:
            raise QvizError(
                f"{xp.size(self.x):,} elements are too many to change.",
                f"The changed tensor is a copy; up to {MOST:,} elements are copied.",
                "Choose a smaller tensor, or a part of it.",
            )

    @cached_property
    def matrix(self) -> np.ndarray:
        """(others, channels), float64 up to 2^22 elements, else float32; what is no number is 0."""
        kind = "float64" if xp.size(self.x) <= WIDE else "float32"
        x = xp.host(xp.astype(self.x, kind))
        x = np.moveaxis(x, self.axis, -1).reshape(-1, x.shape[self.axis])
        return x if np.isfinite(x).all() else np.where(np.isfinite(x), x, 0)

    @cached_property
    def largest(self) -> np.ndarray:
        """Largest magnitude of each channel, float64."""
        x = self.matrix
        return np.maximum(x.max(axis=0, initial=0.0), -x.min(axis=0, initial=0.0)).astype(float)

    @property
    def channels(self) -> int:
        """Number of channels."""
        return self.x.shape[self.axis]


@dataclass(frozen=True, eq=False)
class Change:
    """x' = (x - shift) / factor, channel by channel; the other tensor is multiplied by factor.

    ``granularity`` is that of x', whose tokens are rows and whose channels lie last.
    """

    factor: np.ndarray
    shift: np.ndarray
    granularity: Granularity = PER_TENSOR

    @staticmethod
    def none(channels: int, granularity: Granularity = PER_TENSOR) -> Change:
        """A change that leaves the values as they are."""
        return Change(np.ones(channels), np.zeros(channels), granularity)

    @property
    def moves(self) -> bool:
        """Whether any value changes."""
        return bool((self.factor != 1).any() or (self.shift != 0).any())


class Transform(ABC):
    """A rule that chooses the change; a frozen dataclass whose fields are knobs.

    ``other`` says which other tensor it needs: the product's ``operand``, the ``next`` layer's
    weight, or none. ``roles`` are those it serves, ``undone`` says in words where it is undone.
    """

    other: ClassVar[str] = ""
    roles: ClassVar[tuple[Role, ...]] = ANY
    undone: ClassVar[str] = ""

    @abstractmethod
    def change(self, x: Operand, other: Operand | None) -> Change:
        """The change. Raises QvizError where the other tensor is needed and absent."""


def needed(other: Operand | None, x: Operand, what: str) -> Operand:
    """The other tensor, where it is there and has as many channels.

    Raises
    ------
    QvizError
        It is absent, or its channels differ in number.
    """
    if other is None:
        raise QvizError(f"This needs {what}.", "The factor is moved there.", "Choose it.")
    if other.channels != x.channels:
        what = f"{x.channels:,} channels meet {other.channels:,}."
        raise QvizError(what, "They are multiplied one by one.", "Choose another tensor.")
    return other


def balance(a: np.ndarray, b: np.ndarray, alpha: float) -> np.ndarray:
    """Factor a^alpha / b^(1 - alpha) of each channel; 1 where either is 0."""
    some = (a > 0) & (b > 0)
    a, b = np.where(some, a, 1.0), np.where(some, b, 1.0)
    return np.where(some, a**alpha / b ** (1 - alpha), 1.0)
