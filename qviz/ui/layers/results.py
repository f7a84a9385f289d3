"""Rows of a set of tensors, and how far each reaches: computed once, kept in the store."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.figures.layers_reach import Reach, reach_of
from qviz.models.facts import facts_of
from qviz.models.layers import LayerRow, layer_rows
from qviz.models.pairs import Pairs, pairs
from qviz.models.scheme import Schemes
from qviz.sources.base import TensorSource
from qviz.ui.layers.subject import Subject
from qviz.ui.state import store

Told = Callable[[int, int], None]


def key_of(source: TensorSource) -> tuple[Hashable, ...]:
    """Stands for the names and the content of a source in the store."""
    return tuple((name, info.fingerprint) for name, info in source.infos.items())


def rows(subject: Subject, schemes: Schemes) -> tuple[LayerRow, ...]:
    """A row for each tensor under the schemes, in the source's order."""
    key = (key_of(subject.source), "layers", str(schemes.weights), str(schemes.activations))
    return _kept(key, "Reading the tensors", lambda told: layer_rows(subject.source, schemes, told))


def reaches(subject: Subject, names: list[str]) -> list[Reach]:
    """How far the magnitudes of each tensor reach; tensors without any are left out."""
    source = subject.source
    key = (key_of(source), "reach", tuple(names))

    def work(told: Told) -> list[Reach]:
        found = []
        for at, name in enumerate(names):
            told(at, len(names))
            found.append(_reach(source, name))
        return [one for one in found if one is not None]

    return _kept(key, "Reading the magnitudes", work)


def paired(a: TensorSource, b: TensorSource) -> Pairs:
    """Each tensor of the first beside its namesake in the second."""
    return _kept((key_of(a), "pairs", key_of(b)), "Comparing", lambda told: pairs(a, b, told))


def _reach(source: TensorSource, name: str) -> Reach | None:
    try:
        return reach_of(name, facts_of(source, name).cells)
    except QvizError:  # its row in the table says why
        return None


def _kept(key: Hashable, words: str, work: Callable[[Told], Any]) -> Any:
    found = store().get(key)
    if found is None:
        place = st.empty()

        def told(done: int, count: int) -> None:
            place.progress(done / max(count, 1), f"{words}: {done} of {count}")

        found = work(told)
        place.empty()
        store().put(key, found)
    return found
