"""What is asked for: granularity, codes, range, role."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

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
        kinds = ("per_tensor", "per_channel", "per_group", "per_token")
        if self.kind not in kinds:
            raise QvizError(f"No granularity is called {self.kind!r}.", f"Known: {', '.join(kinds)}.")
        if self.kind == "per_group" and self.size < 1:
            raise QvizError(f"A group of {self.size} elements does not exist.", "Use 1 or more.")

    @classmethod
    def parse(cls, text: str) -> Granularity:
        """Read ``per_tensor``, ``per_channel:AXIS``, ``per_group:AXIS:SIZE`` or ``per_token``."""
        kind, *numbers = text.split(":")
        try:
            given = [int(number) for number in numbers]
        except ValueError as error:
            raise QvizError(f"{text!r} is no granularity.", "Axis and size are integers.") from error
        wanted = {"per_channel": (1,), "per_group": (2,)}.get(kind, (0,))
        if len(given) not in wanted and kind in ("per_tensor", "per_channel", "per_group", "per_token"):
            raise QvizError(f"{text!r} is no granularity.", "Write per_channel:0 or per_group:-1:32.")
        return cls(kind, *given)

    def __str__(self) -> str:
        numbers = {"per_channel": f":{self.axis}", "per_group": f":{self.axis}:{self.size}"}
        return self.kind + numbers.get(self.kind, "")

    @property
    def spans_batches(self) -> bool:
        """Whether a group lives on across batches: per tensor and per channel only."""
        return self.kind in ("per_tensor", "per_channel")

    def groups(self, shape: tuple[int, ...]) -> int:
        """Number of groups of a tensor of this shape. Raises QvizError where it does not fit."""
        if self.kind == "per_tensor":
            return 1
        axis = self._axis(shape)
        total = int(np.prod(shape, dtype=object)) if shape else 1
        if self.kind == "per_channel":
            return shape[axis]
        if self.kind == "per_token":
            return total // shape[-1] if shape[-1] else 0
        if shape[axis] % self.size:
            extent = shape[axis]
            near = sorted((d for d in range(1, extent + 1) if extent % d == 0), key=self._far)[:4]
            raise QvizError(
                f"Groups of {self.size} do not divide axis {axis} of {extent} elements.",
                "Each group must be whole.",
                f"Use {', '.join(map(str, sorted(near)))}.",
            )
        return total // self.size

    def rows(self, x: Array, tile: slice = slice(None)) -> Array:
        """View ``x``, or a tile of its groups, as (groups, elements).

        A copy, of the tile only where it can be, if the layout forces one.
        """
        groups, ns = self.groups(tuple(x.shape)), xp.namespace(x)
        width = xp.size(x) // groups if groups else 0
        if self.kind == "per_channel":
            part = ns.moveaxis(x, self.axis, 0)[tile]
            return part.reshape(part.shape[0], width)
        if self.kind == "per_group":
            x = ns.moveaxis(x, self.axis, -1)
        elif self._transposes(x):
            x = x.T  # the order of elements is free here, and this order needs no copy
        return x.reshape(groups, width)[tile]

    def restore(self, rows: Array, x: Array) -> Array:
        """Give ``rows`` the shape of ``x``; the inverse of ``rows``."""
        ns, shape = xp.namespace(rows), list(x.shape)
        if self.kind == "per_channel":
            axis = self._axis(tuple(shape))
            shape.insert(0, shape.pop(axis))
            return ns.moveaxis(rows.reshape(shape), 0, axis)
        if self.kind == "per_group":
            axis = self._axis(tuple(shape))
            shape.append(shape.pop(axis))
            return ns.moveaxis(rows.reshape(shape), -1, axis)
        return rows.reshape(shape[::-1]).T if self._transposes(x) else rows.reshape(shape)

    def _axis(self, shape: tuple[int, ...]) -> int:
        rank, axis = len(shape), -1 if self.kind == "per_token" else self.axis
        if not -rank <= axis < rank:
            raise QvizError(
                f"Axis {axis} does not exist in a tensor of shape {shape}.",
                f"It has {rank} axes." if rank else "It is a single value.",
                f"Use 0 to {rank - 1}." if rank else "Use per_tensor.",
            )
        return axis % rank

    def _transposes(self, x: Array) -> bool:
        flags = getattr(x, "flags", None)
        column_major = flags is not None and flags.f_contiguous and not flags.c_contiguous
        return self.kind == "per_tensor" and column_major

    def _far(self, size: int) -> float:
        return abs(np.log(size / self.size))


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
        if not 1 <= self.bits <= 16:
            raise QvizError(f"{self.bits} bits are not offered.", "1 to 16 bits are.", "Choose one.")
        if (self.quant_min is None) != (self.quant_max is None):
            raise QvizError("Only one end of the code range was given.", "quant_min and quant_max go together.")
        first, last = self.ends
        if first >= last:
            raise QvizError(f"Codes from {first} to {last} are fewer than two.", "", "Use more bits.")
        if last - first > 65_535:
            raise QvizError(f"{last - first + 1:,} codes are too many.", "At most 65,536 are shown.")

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
            raise QvizError(f"lo has shape {self.lo.shape}, hi {self.hi.shape}.", "They must agree.")

    def as_float32(self) -> Range:
        """Both ends rounded to float32, the type ranges have in every framework."""
        with np.errstate(over="ignore"):
            lo, hi = (v.astype(np.float32).astype(np.float64) for v in (self.lo, self.hi))
        return Range(lo, hi, self.exact)


def joined(ranges: list[Range]) -> Range:
    """Ranges of tiles, one after the other along groups."""
    lo, hi = (np.concatenate([getattr(r, end) for r in ranges]) for end in ("lo", "hi"))
    return Range(lo, hi, all(r.exact for r in ranges))
