"""Recipes for what is gathered from a stream of batches, and the view of what was seen.

A Statistic is free of order: it may be cut into chunks and merged. A Running recipe is not: it
takes one step per batch. PerBatch keeps a statistic's states batch by batch. All are frozen and
hashable, hold no array, and are the key under which their state is found again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

from qviz import xp
from qviz.errors import QvizError
from qviz.spec import PER_TENSOR, Granularity
from qviz.xp import Array

S = TypeVar("S")


class Statistic(ABC, Generic[S]):
    """Order-free recipe. ``merge(of(A), of(B)) = of(A ++ B)``, commutative and associative."""

    @property
    def needs(self) -> tuple[Statistic[Any], ...]:
        """Statistics whose states must be complete first: one more read per depth."""
        return ()

    @abstractmethod
    def of(self, rows: Array, given: Seen) -> S:
        """State of one chunk, shape (groups, elements); ``given`` holds the finished needs."""

    @abstractmethod
    def merge(self, a: S, b: S) -> S:
        """State of both."""


@dataclass(frozen=True, eq=False)
class Batch:
    """One piece of a stream, whole: ``x`` in its original shape and as ``rows``.

    Inside a tile ``rows`` are that tile's groups; ``x`` is always the uncut batch.
    """

    x: Array
    granularity: Granularity = PER_TENSOR
    tile: slice = field(default_factory=lambda: slice(None))

    @cached_property
    def rows(self) -> Array:
        """(groups, elements); a view where the layout allows, else a copy that lives as long."""
        return self.granularity.rows(self.x, self.tile)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of ``rows``, without making them."""
        groups = self.granularity.groups(tuple(self.x.shape))
        return len(range(groups)[self.tile]), xp.size(self.x) // max(groups, 1)


class Running(ABC, Generic[S]):
    """Recipe in which the order of batches, or the uncut batch, matters. Never merged."""

    @abstractmethod
    def start(self) -> S:
        """State before any data."""

    @abstractmethod
    def step(self, state: S, batch: Batch) -> S:
        """State after one more batch."""


@dataclass(frozen=True)
class PerBatch(Generic[S]):
    """The tuple of a small statistic's states, batch by batch."""

    statistic: Statistic[S]


Recipe = Statistic[Any] | Running[Any] | PerBatch[Any]


@dataclass(frozen=True, eq=False)
class Seen:
    """What was gathered of one tensor (or one tile of its groups): states by recipe."""

    states: Mapping[Recipe, Any] = field(default_factory=dict)
    batches: int = 0

    @overload
    def __getitem__(self, recipe: Statistic[S]) -> S: ...
    @overload
    def __getitem__(self, recipe: Running[S]) -> S: ...
    @overload
    def __getitem__(self, recipe: PerBatch[S]) -> tuple[S, ...]: ...
    def __getitem__(self, recipe: Any) -> Any:
        if recipe not in self.states:
            raise QvizError(f"{recipe} was not gathered.", "An observer must list it in its needs.")
        return self.states[recipe]

    def __contains__(self, recipe: Recipe) -> bool:
        return recipe in self.states

    def upto(self, count: int) -> Seen:
        """What the first ``count`` batches show: PerBatch states only."""
        cut: dict[Recipe, Any] = {
            r: s[:count] for r, s in self.states.items() if isinstance(r, PerBatch)
        }
        return Seen(cut, min(count, self.batches))


NOTHING = Seen()
