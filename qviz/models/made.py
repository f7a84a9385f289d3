"""Inputs that are made to a model's declared shapes and types, the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

import numpy as np

from qviz.errors import QvizError
from qviz.models.model import Input, Model

LARGEST = 2**28  # elements of an input that is made
SHORT = 2  # whole numbers below it are made where no table says how many rows it has


def made_shape(one: Input, axes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of an input. Raises QvizError where an axis is open and ``axes`` lack it."""
    if one.shape is None:
        raise QvizError(
            f"The model does not say how many axes {one.name} has.", "Nothing can be made for it.",
            "Give the inputs in an .npz file.",
        )  # fmt: skip
    shape = tuple(
        n if isinstance(n, int) else _length(one, at, n, axes) for at, n in enumerate(one.shape)
    )
    if prod(shape) > LARGEST:
        raise QvizError(
            f"The input {one.name} would have {prod(shape)} elements.",
            f"At most {LARGEST} are made.", "Choose smaller axes.",
        )  # fmt: skip
    return shape


def _length(one: Input, at: int, name: str, axes: Mapping[str, int]) -> int:
    place = f"{one.name}:{at}"
    length = axes.get(place, axes.get(name) if name else None)
    if length is None or length < 1:
        ask = f"Give it: --axis {name or place}=8."
        raise QvizError(f"The length of axis {name or place} is open.", "", ask)
    return length


def made_batches(
    model: Model, shapes: Mapping[str, tuple[int, ...]], seed: int
) -> Iterator[dict[str, np.ndarray]]:
    """Batches without end."""
    random = np.random.default_rng(seed)
    tops = {one.name: _rows(model, one.name) for one in model.inputs}
    while True:
        yield {
            one.name: _values(random, one, shapes[one.name], tops[one.name]) for one in model.inputs
        }


def _values(
    random: np.random.Generator, one: Input, shape: tuple[int, ...], top: int
) -> np.ndarray:
    if one.dtype == "bool":
        return np.ones(shape, bool)
    if np.dtype(one.dtype).kind == "f":
        return random.standard_normal(shape).astype(one.dtype)
    masks = "mask" in one.name.lower()
    return np.ones(shape, one.dtype) if masks else random.integers(0, top, shape).astype(one.dtype)


def _rows(model: Model, name: str) -> int:
    """Rows of the smallest table that whole numbers of this input look up; 2 without one."""
    rows = [2**31]
    for node in model.nodes:
        if node.op == "Gather" and node.inputs[1:2] == [name]:
            at = model.scope.places.get(node.inputs[0])
            dims = [] if at is None else getattr(model.scope.constants[at][1], "dims", [])
            rows += dims[:1] if node.numbers.get("axis", 0) == 0 else []
    return max(1, min(rows)) if len(rows) > 1 else SHORT
