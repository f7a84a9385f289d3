"""Values of captured models for many tensors, by few runs of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qviz.models.replays import PART, WORDS
from qviz.sources.base import TensorSource
from qviz.sources.captured.source import Captured

OPTION = 10  # characters of a command line beside a name
Sources = Sequence[TensorSource]
Names = tuple[str, ...]  # one in each source


def needs_run(two: Sources) -> bool:
    """Whether a model runs again before all values of both are read."""
    return any(lacks(source, name) for source in two for name in source.names)


def lacks(source: TensorSource, name: str) -> int:
    """Bytes of its values that a run of the model is to give."""
    return source.lacks(name) if isinstance(source, Captured) else 0


def groups(sources: Sources, rows: Sequence[Names]) -> Iterator[list[Names]]:
    """The rows in their order, as many at a time as one run of each model gives the values of."""
    group: list[Names] = []
    most = np.array([*[PART] * len(sources), WORDS])
    total = np.zeros(len(most), np.int64)
    for names in rows:
        needs = [lacks(source, name) for source, name in zip(sources, names, strict=True)]
        more = np.array([*needs, OPTION + max(map(len, names)) if any(needs) else 0])
        if group and (total + more > most).any():
            yield group
            group, total = [], 0 * total
        group.append(names)
        total += more
    if group:
        yield group


def ahead(sources: Sources, group: Sequence[Names]) -> None:
    """Have the values of a group at hand; where a run fails, reading one of them says why."""
    for at, source in enumerate(sources):
        if isinstance(source, Captured):
            source.ahead([names[at] for names in group])
