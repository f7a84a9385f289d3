"""The data pass: read a tile as few times as its recipes allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np

from qviz import xp
from qviz.stats.base import NOTHING, Batch, PerBatch, Recipe, Running, Seen, Statistic
from qviz.stats.stream import Progress, Tile, chunks

States = dict[Recipe, Any]


def gather(
    tile: Tile,
    recipes: Iterable[Recipe],
    have: Seen = NOTHING,
    progress: Progress | None = None,
) -> Seen:
    """States of all recipes and of what they need, reading only what ``have`` lacks.

    One read serves all recipes without needs, Running and PerBatch included; each further depth
    of needs costs one more. Merges run in chunk order, so results are bitwise repeatable.
    """
    levels = _levels([r for r in _closure(recipes) if r not in have], have)
    states: States = dict(have.states)
    meter = _Meter(progress, tile.size * len(levels))
    with np.errstate(all="ignore"):
        for level in levels:
            _read(tile, level, states, meter)
    return Seen(states, len(tile.batches))


class _Meter:
    """Counts elements and reports them."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def add(self, elements: int) -> None:
        self._done += elements
        if self._progress is not None:
            self._progress(self._done, self._total)


def _closure(recipes: Iterable[Recipe]) -> list[Recipe]:
    found: dict[Recipe, None] = {}
    for recipe in recipes:
        if isinstance(recipe, Statistic):
            found |= dict.fromkeys(_closure(recipe.needs))
        found[recipe] = None
    return list(found)


def _levels(recipes: list[Recipe], have: Seen) -> list[list[Recipe]]:
    """Recipes by depth: those of depth d need only what lower depths, or ``have``, hold."""
    levels: list[list[Recipe]] = []
    left, known = recipes, set(have.states)
    while left:
        ready = [r for r in left if not isinstance(r, Statistic) or known.issuperset(r.needs)]
        levels.append(ready)
        known |= set(ready)
        left = [r for r in left if r not in known]
    return levels


def _read(tile: Tile, level: list[Recipe], states: States, meter: _Meter) -> None:
    whole = [r for r in level if isinstance(r, Statistic)]
    running = [r for r in level if isinstance(r, Running)]
    each = [r for r in level if isinstance(r, PerBatch)]
    stages = _levels(_closure([r.statistic for r in each]), NOTHING)
    first = list(dict.fromkeys(whole + (stages[0] if stages else [])))
    given = Seen(states)
    new: States = {r: r.start() for r in running}
    new |= {r: () for r in each}
    for batch in tile.read():
        own = _fold(batch, first, given, meter)
        if not first:
            meter.add(prod(batch.shape))
        for recipe in whole:
            new[recipe] = recipe.merge(new[recipe], own[recipe]) if recipe in new else own[recipe]
        for stage in stages[1:]:
            own |= _fold(batch, stage, Seen(own), _Meter(None, 0))
        for recipe in each:
            new[recipe] += (own[recipe.statistic],)
        for recipe in running:
            new[recipe] = recipe.step(new[recipe], batch)
    states |= new


def _fold(batch: Batch, statistics: list[Any], given: Seen, meter: _Meter) -> States:
    states: Mapping[Recipe, Any] = {}
    for rows in chunks(batch) if statistics else ():
        here = {s: s.of(rows, given) for s in statistics}
        states = {s: s.merge(states[s], here[s]) for s in here} if states else here
        meter.add(xp.size(rows))
    return dict(states)
