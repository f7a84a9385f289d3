"""Inputs that are made to a model's declared shapes and types, the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from shlex import quote

import numpy as np

from qviz.errors import QvizError
from qviz.models.model import Input, Model
from qviz.sources.onnx.meaning import STEPS, THROUGH

LARGEST = 2**28  # elements of an input that is made
USUAL, SIDE = 8, 64  # lengths that are proposed: of an axis; of a side of an image
SAME_ROWS = ("Identity", "Cast", "QuantizeLinear", "DequantizeLinear")
SHORT = 2  # whole numbers below it are made where no table says how many rows it has


def made_shapes(model: Model, axes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """The shapes of all inputs; the lengths of axes that are open are in ``axes``.

    Raises
    ------
    QvizError
        An open axis that is not there, one there that is not open, an input whose number of axes
        is not known, or that is too large.
    """
    _check(model, axes)
    lacking = {
        _called(one, at, name): SIDE if len(one.shape or ()) >= 4 and at >= 2 else USUAL
        for one in model.inputs
        for at, name in _open(one)
        if _length(one, at, name, axes) < 1
    }
    if lacking:
        given = " ".join(f"--axis {quote(f'{name}={n}')}" for name, n in lacking.items())
        many = f"s of axes {', '.join(lacking)} are" if len(lacking) > 1 else None
        what = f"The length{many or f' of axis {next(iter(lacking))} is'} open."
        raise QvizError(what, "", f"Give {'them' if many else 'it'}: {given}.")
    return {one.name: _shape(one, axes) for one in model.inputs}


def _check(model: Model, axes: Mapping[str, int]) -> None:
    found = [(one, at, name) for one in model.inputs for at, name in _open(one)]
    known = {word for one, at, name in found for word in (name, f"{one.name}:{at}")}
    for name in axes:
        if not name or name not in known:
            called = ", ".join(dict.fromkeys(_called(*place) for place in found))
            why = f"Open are {called}." if called else "No length is open; --batches 4 runs it."
            raise QvizError(f"No open axis is called {name}.", why, f"Leave out {name}.")
    for one in model.inputs:
        if one.shape is None:
            raise QvizError(
                f"The model does not say how many axes {one.name} has.",
                "Nothing can be made for it.", "Give the inputs in an .npz file.",
            )  # fmt: skip


def _open(one: Input) -> list[tuple[int, str]]:
    return [(at, name) for at, name in enumerate(one.shape or ()) if isinstance(name, str)]


def _called(one: Input, at: int, name: str) -> str:
    """How an open axis is asked for: by its place where it has no name that means anything."""
    return name if any(map(str.isalnum, name)) else f"{one.name}:{at}"


def _length(one: Input, at: int, name: str, axes: Mapping[str, int]) -> int:
    return axes.get(f"{one.name}:{at}", axes.get(name, 0) if name else 0)


def _shape(one: Input, axes: Mapping[str, int]) -> tuple[int, ...]:
    shape = tuple(
        n if isinstance(n, int) else _length(one, at, n, axes)
        for at, n in enumerate(one.shape or ())
    )
    if prod(shape) > LARGEST:
        raise QvizError(
            f"The input {one.name} would have {prod(shape)} elements.",
            f"At most {LARGEST} are made.", "Choose smaller axes.",
        )  # fmt: skip
    return shape


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
    name = one.name.lower()
    if one.dtype == "bool" or "mask" in name:  # all take part; a padding mask says who does not
        return (np.zeros if "pad" in name else np.ones)(shape, one.dtype)
    if np.dtype(one.dtype).kind == "f":
        return random.standard_normal(shape).astype(one.dtype)
    return random.integers(0, min(top, np.iinfo(one.dtype).max + 1), shape).astype(one.dtype)


def _rows(model: Model, name: str) -> int:
    """Rows of the smallest table that whole numbers of this input look up; 2 without one."""
    given = _reached(model, name)
    rows = [
        dims[0]
        for node in model.nodes
        if node.op == "Gather" and node.inputs[1:2] and node.inputs[1] in given
        if not node.numbers.get("axis", 0) and (dims := _dims(model, node.inputs[0]))
    ]
    return max(1, min(rows)) if rows else SHORT


def _reached(model: Model, name: str) -> set[str]:
    """The input and what has its numbers still, in another form or type."""
    found = {name}
    for node in model.nodes:  # each stands behind those that it reads
        if node.op in THROUGH and found & set(node.inputs[:1]):
            found |= set(node.outputs[:1])
    return found


def _dims(model: Model, name: str) -> list[int]:
    """The shape of a constant, or of one that is decoded; empty where none is known."""
    made = {out: node for node in model.nodes for out in node.outputs[:1]}
    for _ in range(STEPS):
        at = model.scope.places.get(name)
        if at is not None:
            return list(getattr(model.scope.constants[at][1], "dims", []))
        node = made.get(name)
        if node is None or node.op not in SAME_ROWS or not node.inputs:
            return []
        name = node.inputs[0]
    return []
