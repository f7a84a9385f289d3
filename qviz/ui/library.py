"""What can be looked at: this session's files, then the samples."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from qviz.figures.theme import clean
from qviz.sources.base import TensorInfo, TensorSource
from qviz.sources.folder import open_bundled
from qviz.sources.synthetic import Samples
from qviz.ui.derived import derived
from qviz.ui.files import SAMPLES, opened, tensor_id
from qviz.xp import Array

FIRST = "synthetic::student_t"
STORIES = ("teaching", "synthetic")  # their titles say it all
LARGE = 100_000  # elements from which a generated sample stands beside a bundled namesake


@dataclass(frozen=True, eq=False)
class Item:
    """One tensor that can be chosen. ``private`` items never reach an address bar."""

    id: str
    label: str
    info: TensorInfo
    source: TensorSource
    private: bool

    def array(self) -> Array:
        """Its elements, read-only; mapped where the file allows it.

        Those of a private file are kept by its source alone, so that they go with the session.
        """
        return self.source[self.info.name] if self.private else _array(self.info.fingerprint, self)


def items() -> dict[str, Item]:
    """Everything that can be chosen, by id, in the order of the list.

    A file of one's own hides a sample of the same id.
    """
    found: dict[str, Item] = {}
    for shown, file in opened().items():
        found |= _items(shown, file.source, private=True)
    for shown, part in derived().items():
        found |= _items(shown, part, private=True)
    return told_apart(found | {i: m for i, m in _samples().items() if i not in found})


def told_apart(found: dict[str, Item]) -> dict[str, Item]:
    """The same items; a label that others have too gets a number: the list is picked by label."""
    labels: set[str] = set()
    for id, item in found.items():
        label, count = item.label, 1
        while label in labels:
            count += 1
            label = f"{item.label} ({count})"
        labels.add(label)
        if count > 1:
            found[id] = replace(item, label=label)
    return found


@st.cache_resource(show_spinner=False, max_entries=1)
def _samples() -> dict[str, Item]:
    """Generated samples of their own kind, then the bundled files."""
    bundled: dict[str, Item] = {}
    for file, source in open_bundled(SAMPLES).items():
        bundled |= _items(file.removesuffix(".npz"), source, private=False)
    made = _items("synthetic", Samples(), private=False)
    names = {item.info.name for item in bundled.values()}
    own = {i: m for i, m in made.items() if m.info.name not in names or m.info.size > LARGE}
    return {FIRST: own[FIRST]} | bundled | own


def _items(shown: str, source: TensorSource, *, private: bool) -> dict[str, Item]:
    count = len(source.infos)
    named = {tensor_id(shown, name, count): info for name, info in source.infos.items()}
    return {i: Item(i, _label(shown, i, info), info, source, private) for i, info in named.items()}


def _label(shown: str, id: str, info: TensorInfo) -> str:
    """A story's title alone; else the file and the tensor."""
    words = info.title or clean(info.name) or "(no name)"
    told = words if shown in STORIES else shown if id == shown else f"{shown} · {words}"
    return clean(told) or "(no name)"


@st.cache_resource(show_spinner=False, max_entries=8)
def _array(fingerprint: str, _item: Item) -> Array:
    x = _item.source[_item.info.name]
    if hasattr(x, "setflags"):
        x.setflags(write=False)
    return x
