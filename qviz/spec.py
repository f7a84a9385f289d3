"""What is asked for: granularity, codes, range, role."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isqrt, prod

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.xp import Array


class Role(StrEnum):
    """What a tensor is in its model."""

    WEIGHT = "weight"
    ACTIVATION = "activation"
    BIAS = "bias"
    UNKNOWN = "unknown"


KINDS = {"per_tensor": 0, "per_channel": 1, "per_group": 2, "per_token": 0}  # numbers after it


@dataclass(frozen=True)
class Granularity:
    """Which elements share a range: ``rows`` views a tensor as (groups, elements).

    ``kind`` is ``per_tensor``, ``per_channel`` (axis), ``per_group`` (axis, size) or
    ``per_token`` (all but the last axis). Written ``per_channel:0`` or ``per_group:-1:32``.
    """

    kind: str = "per_tensor"
    axis: int = 0
    size: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise QvizError(f"No granularity is {self.kind!r}.", f"Known: {', '.join(KINDS)}.")
        if self.kind == "per_group" and self.size < 1:
            raise QvizError(f"A group of {self.size} elements does not exist.", "Use 1 or more.")

    @classmethod
    def parse(cls, text: str) -> Granularity:
        """Read ``per_tensor``, ``per_channel:AXIS``, ``per_group:AXIS:SIZE`` or ``per_token``."""
        kind, *numbers = text.split(":")
        wrong = f"{text!r} is no granularity."
        try:
            given = [int(number) for number in numbers]
        except ValueError as error:
            raise QvizError(wrong, "Axis and size are integers.") from error
        if len(given) != KINDS.get(kind, len(given)):
            raise QvizError(wrong, "Write per_tensor, per_channel:0, per_group:-1:32 or per_token.")
        return cls(kind, *given)

    def __str__(self) -> str:
        return ":".join(map(str, (self.kind, self.axis, self.size)[: 1 + KINDS[self.kind]]))

    @property
    def spans_batches(self) -> bool:
        """Whether a group lives on across batches: per tensor and per channel only."""
        return self.kind in ("per_tensor", "per_channel")

    def groups(self, shape: tuple[int, ...]) -> int:
        """Number of groups of a tensor of this shape. Raises QvizError where it does not fit."""
        if self.kind == "per_tensor":
            return 1
        axis = self._axis(shape)
        if self.kind == "per_channel":
            return shape[axis]
        if self.kind == "per_token":
            return prod(shape[:-1])
        extent = shape[axis]
        if extent % self.size:
            low = [d for d in range(1, isqrt(extent) + 1) if extent % d == 0]
            both = {*low, *(extent // d for d in low)}
            near = sorted(both, key=lambda d: abs(np.log(d / self.size)))[:4]
            raise QvizError(
                f"Groups of {self.size} do not divide axis {axis} of {extent} elements.",
                "Each group must be whole.",
                f"Use {', '.join(map(str, sorted(near)))}.",
            )
        return prod(shape) // self.size

    def rows(self, x: Array, tile: slice = slice(None)) -> Array:
        """View ``x``, or a tile of its groups, as (groups, elements); see ``xp.cut``."""
        groups = self.groups(tuple(x.shape))
        if self.kind in ("per_channel", "per_group"):
            x = xp.namespace(x).moveaxis(x, self.axis, 0 if self.kind == "per_channel" else -1)
        elif self._transposes(x):
            x = x.T  # the order of elements is free here, and this order needs no copy
        return xp.cut(x, groups, tile)

    def restore(self, rows: Array, x: Array) -> Array:
        """Give ``rows`` the shape of ``x``; the inverse of ``rows``."""
        shape = list(x.shape)
        if self.kind in ("per_channel", "per_group"):
            axis = self._axis(tuple(shape))
            front = 0 if self.kind == "per_channel" else len(shape) - 1
            shape.insert(front, shape.pop(axis))
            return xp.namespace(rows).moveaxis(rows.reshape(shape), front, axis)
        return rows.reshape(shape[::-1]).T if self._transposes(x) else rows.reshape(shape)

    def _axis(self, shape: tuple[int, ...]) -> int:
        rank, axis = len(shape), -1 if self.kind == "per_token" else self.axis
        if not -rank <= axis < rank:
            why = (f"It has {rank} axes.", f"Use 0 to {rank - 1}.")
            why = why if rank != 1 else ("It has 1 axis.", "Use 0.")
            why = why if rank else ("It is a single value.", "Use per_tensor.")
            raise QvizError(f"Axis {axis} does not exist in a tensor of shape {shape}.", *why)
        return axis % rank

    def _transposes(self, x: Array) -> bool:
        flags = getattr(x, "flags", None)
        by_column = flags is not None and flags.f_contiguous and not flags.c_contiguous
        return by_column and self.kind == "per_tensor"


PER_TENSOR = Granularity()


@dataclass(frozen=True)
class QuantSpec:
    """Which codes there are.

    ``bits`` 1 to 16, or any custom ``quant_min``/``quant_max`` pair; ``narrow_range`` drops the
    lowest code; ``reduce_range`` halves both ends (7 bits in 8).
    """

    bits: int = 8
    signed: bool = False
    symmetric: bool = False
    narrow_range: bool = False
    quant_min: int | None = None
    quant_max: int | None = None
    reduce_range: bool = False

    def __post_init__(self) -> None:
        if self.bits not in range(1, 17):
            raise QvizError(f"{self.bits} bits are not offered.", "Choose 1 to 16 bits.")
        if (self.quant_min is None) != (self.quant_max is None):
            raise QvizError("Only one end of the code range was given.", "Give both, or none.")
        first, last = self.ends
        if first >= last:
            raise QvizError(f"Codes {first} to {last} are fewer than two.", "", "Use more bits.")
        if last - first > 65_535:
            raise QvizError(f"{last - first + 1:,} codes are too many.", "At most 65,536 are used.")

    @property
    def ends(self) -> tuple[int, int]:
        """(quant_min, quant_max): the smallest and the largest code."""
        if self.quant_min is not None and self.quant_max is not None:
            first, last = self.quant_min, self.quant_max
        elif self.signed:
            first, last = -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1
        else:
            first, last = 0, 2**self.bits - 1
        if self.reduce_range:
            first, last = first // 2, last // 2
        return first + self.narrow_range, last

    @property
    def levels(self) -> int:
        """Number of codes."""
        first, last = self.ends
        return last - first + 1


@dataclass(frozen=True, eq=False)
class Range:
    """Clipping range: reals in [lo, hi] survive. Shape (groups,), float64 on the host.

    ``exact`` is False where lo or hi were read off a sketch, or from a sample.
    """

    lo: np.ndarray
    hi: np.ndarray
    exact: bool = True

    def __post_init__(self) -> None:
        for name in ("lo", "hi"):
            value = np.atleast_1d(np.asarray(getattr(self, name), np.float64))
            object.__setattr__(self, name, value)
        if self.lo.shape != self.hi.shape:
            raise QvizError(f"lo has shape {self.lo.shape}, hi {self.hi.shape}.", "They differ.")

    def as_float32(self) -> Range:
        """Both ends rounded to float32, the type ranges have in every framework."""
        with np.errstate(over="ignore"):
            lo, hi = (v.astype(np.float32).astype(np.float64) for v in (self.lo, self.hi))
        return Range(lo, hi, self.exact)


def joined(ranges: list[Range]) -> Range:
    """Ranges of tiles, one after the other along groups."""
    lo, hi = (np.concatenate([getattr(r, end) for r in ranges]) for end in ("lo", "hi"))
    return Range(lo, hi, all(r.exact for r in ranges))
