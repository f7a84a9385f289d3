"""torchao's granularities, and the blocks of a tensor that share a scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects.pytorch.errors import (
    TorchAssertionError,
    TorchIndexError,
    TorchRuntimeError,
    TorchValueError,
)
from qviz.dialects.pytorch.names import name_of
from qviz.xp import Array

Shape = tuple[int, ...]


@dataclass(frozen=True)
class PerTensor:
    """One scale for all."""


@dataclass(frozen=True)
class PerAxis:
    """A scale for each index of an axis."""

    axis: int


@dataclass(frozen=True)
class PerGroup:
    """A scale for each group of neighbours on the last axis."""

    group_size: int


@dataclass(frozen=True)
class PerRow:
    """A scale for each row along an axis, the last by default."""

    dim: int = -1


@dataclass(frozen=True)
class PerToken:
    """A scale for each row of the last axis."""


@dataclass(frozen=True)
class PerBlock:
    """A scale for each block of this size."""

    block_size: Shape


def get_block_size(input_shape: Shape, granularity: Any) -> Shape:
    """Size of the blocks that share a scale; the granularity is one of ours or of torchao's.

    Raises
    ------
    TorchAssertionError
        Groups that do not divide the last axis.
    TorchValueError
        Another granularity.
    TorchIndexError
        An axis that does not exist.
    """
    shape, kind = tuple(int(n) for n in input_shape), name_of(type(granularity))
    ones = [1] * len(shape)
    if kind == "PerTensor":
        return shape
    if kind == "PerBlock":
        return tuple(granularity.block_size)
    if kind == "PerAxis":
        whole = list(shape)
        whole[_axis(shape, granularity.axis)] = 1
        return tuple(whole)
    if kind == "PerGroup":
        ones[_axis(shape, -1)] = granularity.group_size
        Blocks.of(shape, tuple(ones))  # do they divide it?
    elif kind in ("PerRow", "PerToken"):
        axis = _axis(shape, getattr(granularity, "dim", -1))
        ones[axis] = shape[axis]
    else:
        raise TorchValueError(f"{kind} is no granularity.", "", "Choose PerTensor, PerAxis ...")
    return tuple(ones)


def _axis(shape: Shape, axis: int) -> int:
    if not -len(shape) <= axis < len(shape):
        raise TorchIndexError(f"Axis {axis} does not exist in a tensor of shape {shape}.")
    return axis


@dataclass(frozen=True)
class Blocks:
    """``view`` splits axes into (count, block); ``reduced`` are its axes inside the blocks."""

    view: Shape
    reduced: Shape

    @staticmethod
    def of(shape: Shape, block_size: Shape) -> Blocks:
        """Blocks of a tensor; an axis of block 1 is never reduced, even if its length is 1."""
        if len(block_size) != len(shape):
            raise TorchAssertionError(f"Blocks {block_size} do not fit a tensor of shape {shape}.")
        view: list[int] = []
        reduced: list[int] = []
        for extent, block in zip(shape, block_size, strict=True):
            if block == extent or block <= 1:
                reduced += [len(view)] * (block != 1)
                view.append(extent)
                continue
            if extent % block:
                raise TorchAssertionError(
                    f"Blocks of {block} do not divide an axis of {extent}.", "", "Choose others."
                )
            reduced.append(len(view) + 1)
            view += [extent // block, block]
        return Blocks(tuple(view), tuple(reduced))

    @property
    def shape(self) -> Shape:
        """Shape of the ranges; without an axis to reduce torchao reduces all."""
        if not self.reduced:
            return ()
        return tuple(n for i, n in enumerate(self.view) if i not in self.reduced)

    def rows(self, x: Array) -> Array:
        """(groups, elements): one row per range."""
        if not self.reduced:
            return x.reshape(1, -1)
        ends = range(-len(self.reduced), 0)
        moved = xp.namespace(x).moveaxis(x.reshape(self.view), self.reduced, tuple(ends))
        return moved.reshape(prod(self.shape), -1)

    def restore(self, rows: Array, x: Array) -> Array:
        """Give ``rows`` the shape of ``x``."""
        ends = tuple(range(-len(self.reduced), 0))
        inner = tuple(self.view[i] for i in self.reduced)
        moved = rows.reshape(self.shape + inner)
        return xp.namespace(rows).moveaxis(moved, ends, self.reduced).reshape(x.shape)

    def column(self, values: Any) -> np.ndarray:
        """Scales or zero points, one per row, (groups,).

        Raises
        ------
        TorchRuntimeError
            Their number is not that of the blocks.
        """
        flat = np.atleast_1d(np.asarray(values)).reshape(-1)
        wanted = prod(n for i, n in enumerate(self.view) if i not in self.reduced)
        if flat.size != wanted:
            raise TorchRuntimeError(f"{flat.size} scales do not fit {wanted} blocks.")
        return flat
