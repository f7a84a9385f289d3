"""A stream of batches, and the tiles and chunks in which it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from qviz import xp
from qviz.errors import QvizError
from qviz.spec import PER_TENSOR, Granularity
from qviz.stats.base import Batch
from qviz.xp import Array

CHUNK = 2**20  # elements of a chunk and of a tile; fixed, so that results never depend on threads
Progress = Callable[[int, int], None]  # elements read so far, elements in all


@dataclass(frozen=True, eq=False)
class Stream:
    """Batches of one tensor under a granularity; may be read as often as needed.

    Parameters
    ----------
    batches : tuple of arrays
        Entered arrays (see ``Stream.of``).
    granularity : Granularity
        Groups live across batches per tensor and per channel only; otherwise each batch is a
        stream of its own.
    """

    batches: tuple[Array, ...]
    granularity: Granularity = PER_TENSOR

    @staticmethod
    def of(x: Any, granularity: Granularity = PER_TENSOR, batch_axis: int | None = None) -> Stream:
        """A stream from an array, or from a list of arrays (the batches).

        With ``batch_axis`` the slices of one array along that axis are the batches.

        Raises
        ------
        QvizError
            No batch at all, elements that are no real numbers, an axis that does not exist, or
            batches whose channel counts or float types differ.
        """
        batches = _slices(xp.enter(x), batch_axis) if batch_axis is not None else x
        if not isinstance(batches, list | tuple) or _is_numbers(batches):
            batches = [batches]
        if not batches:
            raise QvizError("There is no batch.", "At least one array is needed.", "Add one.")
        stream = Stream(tuple(xp.enter(batch) for batch in batches), granularity)
        kinds = sorted({xp.working_name(batch) for batch in stream.batches})
        if len(kinds) > 1:
            raise QvizError(
                f"Batches are counted as {' and '.join(kinds)}.",
                "Counts of two float types do not add up.",
                "Convert them to one type.",
            )
        counts = {granularity.groups(tuple(b.shape)) for b in stream.batches}
        if granularity.spans_batches and len(counts) > 1:
            raise QvizError(
                f"Batches have {', '.join(map(str, sorted(counts)))} channels.",
                "A channel lives on from batch to batch, so counts must agree.",
                "Choose another axis, or compare per tensor.",
            )
        return stream

    @property
    def size(self) -> int:
        """Number of elements in all batches."""
        return sum(xp.size(batch) for batch in self.batches)

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """Tiles of about 2^20 elements, whole groups each."""
        if self.granularity.spans_batches:
            return tuple(self._tiles(self.batches))
        return tuple(tile for batch in self.batches for tile in self._tiles((batch,)))

    def _tiles(self, batches: Sequence[Array]) -> Iterator[Tile]:
        groups = self.granularity.groups(tuple(batches[0].shape))
        total = sum(xp.size(batch) for batch in batches)
        tall = max(1, CHUNK // max(total // max(groups, 1), 1))
        for start in range(0, max(groups, 1), tall):
            cut = slice(start, start + tall)
            yield Tile(tuple(Batch(batch, self.granularity, cut) for batch in batches))


@dataclass(frozen=True, eq=False)
class Tile:
    """Some groups of a stream, through all its batches."""

    batches: tuple[Batch, ...]

    @property
    def size(self) -> int:
        """Number of elements."""
        return sum(groups * n for groups, n in (batch.shape for batch in self.batches))

    @property
    def groups(self) -> int:
        """Number of groups."""
        return self.batches[0].shape[0]

    def read(self) -> Iterator[Batch]:
        """All batches, in order, as new ones: what they copy goes with them."""
        return (replace(batch) for batch in self.batches)

    def chunks(self) -> Iterator[Array]:
        """All chunks of all batches, in order."""
        return (chunk for batch in self.read() for chunk in chunks(batch))


def chunks(batch: Batch) -> Iterator[Array]:
    """Pieces (groups, elements) of at most 2^20 elements in the type they are counted in."""
    rows = batch.rows
    groups, n = rows.shape
    width = n if groups * n <= CHUNK else max(CHUNK // max(groups, 1), 1)
    for start in range(0, max(n, 1), max(width, 1)):
        yield xp.working(rows[:, start : start + width])


def _is_numbers(batches: Iterable[Any]) -> bool:
    return all(isinstance(b, bool | int | float) for b in batches) and bool(batches)


def _slices(x: Array, axis: int) -> list[Array]:
    if not -x.ndim <= axis < x.ndim:
        raise QvizError(
            f"Batch axis {axis} does not exist in a tensor of shape {tuple(x.shape)}.",
            f"It has {x.ndim} axes.",
            "Choose one of them.",
        )
    return [xp.namespace(x).moveaxis(x, axis, 0)[i] for i in range(x.shape[axis])]
