"""The one cached store: statistics by recipe, rows by observer and target.

Keys hold a fingerprint of the content, never a name; values are frozen. A comparison reads only
what no earlier one has read, and judges only rows that are new.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from qviz.observers.base import Observer
from qviz.pipeline import Comparison, compare, gather, with_channels
from qviz.stats.base import NOTHING, Recipe, Seen
from qviz.stats.stream import Progress, Stream
from qviz.ui.choice import Choice
from qviz.ui.compute import gave_up
from qviz.ui.device import FAILURES, HOST

T = TypeVar("T")
LIMIT = 256 * 2**20  # bytes of states and rows kept for all sessions together


class Store:
    """Least recently used values up to a number of bytes; safe between sessions."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit, self._held = limit, 0
        self._values: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """The value, or None."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][1]

    def put(self, key: Hashable, value: Any) -> None:
        """Keep a value; the least recently used go first."""
        size = weight(value)
        with self._lock:
            self._held -= self._values.pop(key, (0, None))[0]
            self._values[key] = (size, value)
            self._held += size
            while self._held > self._limit and len(self._values) > 1:
                self._held -= self._values.popitem(last=False)[1][0]


def weight(value: Any) -> int:
    """Bytes of the arrays in a record, a list or a mapping; 64 for anything else."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple | list):
        return sum(weight(part) for part in value)
    if isinstance(value, Mapping):
        return sum(weight(part) for part in value.values())
    if is_dataclass(value):
        return sum(weight(getattr(value, f.name)) for f in fields(value))
    return 64


@st.cache_resource(show_spinner=False)
def store() -> Store:
    """The store of this server."""
    return Store()


def compared(
    choice: Choice,
    observers: Sequence[Observer],
    *,
    exact: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """The comparison of these observers under the current choice, from what is known already."""
    made = {o: store().get(_row_key(choice, o, exact)) for o in observers}
    facts = store().get((choice.key, "facts"))
    missing = [o for o in made if made[o] is None]
    if missing or facts is None:
        have = known(choice)

        def work(stream: Stream) -> Comparison:
            done = compare(
                stream, missing, choice.target, have=have, exact=exact, progress=progress
            )
            return with_channels(done, stream, choice.channel_axis, exact=exact)

        fresh = _there(choice, work)
        _keep(choice, fresh, exact)
        made |= {row.observer: row for row in fresh.rows}
        facts = fresh.facts
    return Comparison(tuple(made[o] for o in observers), choice.target, facts, known(choice))


def known(choice: Choice) -> Seen:
    """All statistics gathered so far of the chosen tensor, as one view."""
    recipes = store().get((choice.key, "recipes")) or ()
    states = {recipe: store().get((choice.key, recipe)) for recipe in recipes}
    return Seen({r: s for r, s in states.items() if s is not None}, 1) if states else NOTHING


def gathered(choice: Choice, recipes: Sequence[Recipe]) -> Seen:
    """Statistics of the first tile; what is not known is read."""
    have = known(choice)
    if all(recipe in have for recipe in recipes):
        return have
    seen = _there(choice, lambda stream: gather(stream.tiles[0], recipes, have))
    _keep_states(choice, seen)
    return seen


def _there(choice: Choice, work: Callable[[Stream], T]) -> T:
    """What ``work`` gives of the stream on the chosen device, on the processor where that fails."""
    where = choice.place
    if where == HOST:
        return work(choice.stream())
    try:
        return work(choice.stream(where))
    except FAILURES as error:
        gave_up(choice.item, where, error)
        return work(choice.stream())


def _keep(choice: Choice, fresh: Comparison, exact: bool) -> None:
    store().put((choice.key, "facts"), fresh.facts)
    if fresh.seen is not None:
        _keep_states(choice, fresh.seen)
    for row in fresh.rows:
        store().put(_row_key(choice, row.observer, exact), row)


def _keep_states(choice: Choice, seen: Seen) -> None:
    for recipe, state in seen.states.items():
        store().put((choice.key, recipe), state)
    store().put((choice.key, "recipes"), tuple(seen.states))


def _row_key(choice: Choice, observer: Observer, exact: bool) -> tuple[Hashable, ...]:
    return choice.key, observer, choice.target, choice.channel_axis, exact
