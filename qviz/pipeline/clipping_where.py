"""Where the clipped elements lie: their number and their energy along every axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.pipeline.errors import elements
from qviz.pipeline.largest import largest_along
from qviz.quantizers.base import Quantizer
from qviz.xp import Array

PIECE = 2**18  # elements judged at a time


@dataclass(frozen=True, eq=False)
class AlongAxis:
    """Clipped elements by index of one axis: how many, and their squared error; (extent,)."""

    axis: int
    count: np.ndarray
    energy: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """Share of all clipped elements at each index; 0 where nothing is clipped."""
        return self.count / max(self.count.sum(), 1)

    @property
    def energies(self) -> np.ndarray:
        """Share of all clipped energy at each index; 0 where nothing is lost by clipping."""
        whole = self.energy.sum()
        return self.energy / whole if whole > 0 else np.zeros(len(self.energy))

    @property
    def top(self) -> int:
        """Index that holds the most clipped energy."""
        return int(np.argmax(self.energy))


@dataclass(frozen=True, eq=False)
class Clipping:
    """All clipped elements of a tensor, exact: ``energy`` is their squared error.

    ``of`` is the number of finite elements, ``signal`` the sum of their squares.
    """

    count: int
    energy: float
    of: int
    signal: float
    axes: tuple[AlongAxis, ...]


def clipping_where(x: Array, quantizer: Quantizer) -> Clipping:
    """Clipped elements of the whole tensor under one group's qparams, along each of its axes."""
    shape = tuple(x.shape)
    counts, energies = ([np.zeros(extent) for extent in shape] for _ in range(2))
    count, of, energy, signal = 0, 0, 0.0, 0.0
    for at, piece in pieces(x):
        with np.errstate(all="ignore"):
            block, _ = elements(xp.working(piece).reshape(1, -1), quantizer)
        signal += float((block.x * block.x).sum())
        of += block.x.size if block.there is None else int(block.there.sum())
        if block.out is None:
            continue
        found = np.flatnonzero(block.out[0])
        lost = block.ee[0, found]
        count, energy = count + len(found), energy + float(lost.sum())
        for axis, place in enumerate(_places(found, at, tuple(piece.shape))):
            counts[axis] += np.bincount(place, minlength=shape[axis])
            energies[axis] += np.bincount(place, lost, shape[axis])
    axes = zip(range(len(shape)), counts, energies, strict=True)
    return Clipping(count, energy, of, signal, tuple(AlongAxis(*one) for one in axes))


def _places(found: np.ndarray, at: tuple[int, ...], shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """Index along each axis of the tensor of flat places in a piece that starts ``at``."""
    yield from (np.full(len(found), index) for index in at[:-1])
    inside = np.unravel_index(found, shape)
    yield inside[0] + at[-1]
    yield from inside[1:]


def spreads(x: Array) -> tuple[np.ndarray, ...]:
    """Largest magnitude of the finite elements at each index of each axis; one read for all."""
    shape = tuple(x.shape)
    out = tuple(np.zeros(extent) for extent in shape)
    for at, piece in pieces(x):
        block = np.abs(xp.host(xp.working(piece)))
        block = np.where(np.isfinite(block), block, 0)
        found = largest_along(block)
        for axis, kept in enumerate(out):
            own = axis - len(at) + 1
            here = slice(at[axis], at[axis] + 1) if own < 0 else slice(None)
            here = slice(at[-1], at[-1] + len(block)) if own == 0 else here
            kept[here] = np.maximum(kept[here], block.max(initial=0) if own < 0 else found[own])
    return out


def pieces(x: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Parts of about 2^18 elements, in order: the index where a part starts, and the part.

    The last number of the index counts along the part's first axis.
    """
    shape = tuple(x.shape)
    if len(shape) == 0:
        return
    inner = xp.size(x) // max(shape[0], 1)
    if inner > PIECE and len(shape) > 1:
        for i in range(shape[0]):
            yield from (((i, *at), part) for at, part in pieces(x[i]))
        return
    tall = max(1, PIECE // max(inner, 1))
    for start in range(0, shape[0], tall):
        yield (start,), x[start : start + tall]
