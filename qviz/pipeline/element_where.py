"""Where an element lies: its flat index, and its group and place in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.spec import PER_TENSOR, Granularity
from qviz.stats.stream import CHUNK
from qviz.xp import Array

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """A group, and the element's number in it, both from 0; batches follow one another."""

    group: int
    at: int


@dataclass(frozen=True, eq=False)
class Whole:
    """A tensor with its groups. ``granularity`` is that of a batch, a slice of ``batch_axis``."""

    x: Array
    granularity: Granularity = PER_TENSOR
    batch_axis: int | None = None

    @property
    def shape(self) -> Shape:
        """Of the tensor."""
        return tuple(self.x.shape)

    @property
    def batches(self) -> int:
        """Number of batches."""
        return 1 if self.batch_axis is None else self.shape[self.batch_axis]

    @property
    def batch_shape(self) -> Shape:
        """Of one batch."""
        axis = self.batch_axis
        return self.shape if axis is None else self.shape[:axis] + self.shape[axis + 1 :]

    @property
    def groups(self) -> int:
        """Number of groups; where they do not span batches, those of all batches."""
        each = self.granularity.groups(self.batch_shape)
        return each if self.granularity.spans_batches else each * self.batches

    def group(self, number: int) -> list[Array]:
        """The elements of one group, one row (1, elements) for each batch it lives in."""
        if self.granularity.spans_batches:
            return [self._row(batch, number) for batch in range(self.batches)]
        batch, number = divmod(number, self.granularity.groups(self.batch_shape))
        return [self._row(batch, number)]

    def _row(self, batch: int, number: int) -> Array:
        x = self.x
        if self.batch_axis is not None:
            x = xp.namespace(x).moveaxis(x, self.batch_axis, 0)[batch]
        if self.granularity == PER_TENSOR:
            return x.reshape(1, -1)  # in C order, unlike the rows of statistics
        return self.granularity.rows(x, slice(number, number + 1))

    def place(self, index: int) -> Place:
        """Group and number of the element at a flat index (C order).

        Raises
        ------
        QvizError
            The tensor is empty, or has no element of this index.
        """
        self.check(index)
        at = [int(i) for i in np.unravel_index(index, self.shape)] if self.shape else []
        batch = 0 if self.batch_axis is None else at.pop(self.batch_axis)
        moved, shape = self._moved(at), self._moved(list(self.batch_shape))
        flat = int(np.ravel_multi_index(moved, shape)) if shape else 0
        each = self.granularity.groups(self.batch_shape)
        long = math.prod(shape) // each
        group, within = divmod(flat, long)
        if self.granularity.spans_batches:
            return Place(group, batch * long + within)
        return Place(batch * each + group, within)

    def index(self, place: Place) -> int:
        """Flat index of a place: the inverse of ``place``."""
        shape = self._moved(list(self.batch_shape))
        each = self.granularity.groups(self.batch_shape)
        long = math.prod(shape) // each
        if self.granularity.spans_batches:
            (batch, within), group = divmod(place.at, long), place.group
        else:
            (batch, group), within = divmod(place.group, each), place.at
        flat = group * long + within
        at = self._back([int(i) for i in np.unravel_index(flat, shape)] if shape else [])
        if self.batch_axis is not None:
            at.insert(self.batch_axis, batch)
        return int(np.ravel_multi_index(at, self.shape)) if self.shape else 0

    def check(self, index: int) -> None:
        """Refuse an index that the tensor does not have (see ``place``)."""
        n = xp.size(self.x)
        if n == 0:
            why = "There is no element to ask about."
            raise QvizError("The tensor is empty.", why, "Choose another tensor.")
        if not 0 <= index < n:
            raise QvizError(f"There is no element {index:,}.", "", f"Use 0 to {n - 1:,}.")

    def value(self, index: int) -> Array:
        """The element at a flat index, shape (1,), in its own type."""
        self.check(index)
        return self.x[np.unravel_index(index, self.shape)].reshape(1) if self.shape else (
            self.x.reshape(1)
        )  # fmt: skip

    def _moved(self, axes: list[int]) -> list[int]:
        """Entries per axis in the order in which groups are cut."""
        kind = self.granularity.kind
        if kind in ("per_channel", "per_group") and axes:
            entry = axes.pop(self.granularity.axis)
            axes.insert(0 if kind == "per_channel" else len(axes), entry)
        return axes

    def _back(self, axes: list[int]) -> list[int]:
        kind = self.granularity.kind
        if kind in ("per_channel", "per_group") and axes:
            axes.insert(
                self.granularity.axis % len(axes), axes.pop(0 if kind == "per_channel" else -1)
            )
        return axes


def pieces(rows: list[Array], start: int = 0, limit: int | None = None) -> Iterator[
    tuple[int, np.ndarray]
]:  # fmt: skip
    """Place of the first element, and the elements, in pieces of at most 2^20.

    From place ``start`` on, at most ``limit`` elements; in the type they are counted in.
    """
    before, left = 0, math.inf if limit is None else limit
    for row in rows:
        n = row.shape[1]
        at = max(start - before, 0)
        while at < n and left > 0:
            width = int(min(CHUNK, n - at, left))
            yield before + at, xp.host(xp.working(row[0, at : at + width]))
            at, left = at + width, left - width
        before += n
