"""Values of two captured models for many pairs of tensors, by few runs of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qviz.models.replays import PART, WORDS
from qviz.sources.base import TensorSource
from qviz.sources.captured.source import Captured

OPTION = 10  # characters of a command line beside a name
Two = tuple[TensorSource, TensorSource]
Names = tuple[str, str]  # in the first source, in the second


def needs_run(two: Two) -> bool:
    """Whether a model runs again before all values of both are read."""
    return any(lacks(source, name) for source in two for name in source.names)


def lacks(source: TensorSource, name: str) -> int:
    """Bytes of its values that a run of the model is to give."""
    return source.lacks(name) if isinstance(source, Captured) else 0


def groups(two: Two, pairs: Sequence[Names]) -> Iterator[list[Names]]:
    """The pairs in their order, as many at a time as one run of each model gives the values of."""
    group: list[Names] = []
    total, most = np.zeros(3, np.int64), np.array([PART, PART, WORDS])
    for names in pairs:
        needs = [lacks(source, name) for source, name in zip(two, names, strict=True)]
        more = np.array([*needs, OPTION + max(map(len, names)) if any(needs) else 0])
        if group and (total + more > most).any():
            yield group
            group, total = [], 0 * total
        group.append(names)
        total += more
    if group:
        yield group


def ahead(two: Two, group: Sequence[Names]) -> None:
    """Have the values of a group at hand; where a run fails, reading one of them says why."""
    for at, source in enumerate(two):
        if isinstance(source, Captured):
            source.ahead([names[at] for names in group])
