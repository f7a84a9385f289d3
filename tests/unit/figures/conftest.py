"""Two small observers that stand in the registry while a test of figures runs."""

import pytest

from qviz.observers.base import OBSERVERS
from qviz.registry import Entry, Source
from tests.unit.figures.small import Shy, Typed


@pytest.fixture(autouse=True)
def listed(monkeypatch):
    """Both observers stand in the registry while a test runs."""
    len(OBSERVERS)  # loads the real ones first
    for name, title, made in (("typed", "Typed", Typed), ("shy", "Shy", Shy)):
        entry = Entry(name, title, Source("test", "figures", "1"), made, {name: {}})
        monkeypatch.setitem(OBSERVERS._entries, name, entry)
        monkeypatch.setitem(OBSERVERS._presets, name, (name, {}))
