"""One tensor that a loader met, and the tensors made of it: parts of complex, reals of codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qviz.sources.arrays import magnitude
from qviz.sources.base import guess_role
from qviz.sources.codes import VALUES, Scaled, dequantize, is_integer

PART_DTYPE = {"complex64": "float32", "complex128": "float64"}


@dataclass(frozen=True, eq=False)
class Found:
    """One tensor of a file: what is known of it, and how to read it later.

    ``role`` is empty where it is guessed from the name; ``mark`` stands for content that lies
    outside the file; ``parameter`` marks the scale or zero point of another tensor.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    read: Callable[[], Any]
    about: str = ""
    role: str = ""
    qparams: Scaled | None = None
    batch_axis: int | None = None
    splits: tuple[int, ...] = ()
    mark: str = ""
    parameter: bool = False

    @property
    def coded(self) -> bool:
        """Whether the elements are codes whose reals are known."""
        codes = is_integer(self.dtype) or self.dtype.startswith("float8")
        return codes and self.qparams is not None


def parts_of(found: Found) -> Iterator[Found]:
    """A complex tensor as three: real part, imaginary part, magnitude."""
    for part, pick in (("real", np.real), ("imag", np.imag), ("abs", magnitude)):
        yield _part(found, part, pick)


def values_of(found: Found) -> Found:
    """The reals that codes stand for, as a tensor of its own."""
    q, read = found.qparams, found.read
    return replace(
        found,
        name=found.name + VALUES,
        dtype="float32",
        read=lambda: dequantize(read(), q) if q else read(),
        about=f"Dequantized from {found.dtype} codes: {q.words if q else ''}.",
        role=found.role or guess_role(found.name, found.shape),
    )


def _part(found: Found, part: str, pick: Callable[[Any], np.ndarray]) -> Found:
    return replace(
        found,
        name=f"{found.name}.{part}",
        dtype=PART_DTYPE[found.dtype],
        read=lambda: pick(found.read()),
        about=f"{part} of complex {found.name}",
        role=guess_role(found.name, found.shape),
    )
