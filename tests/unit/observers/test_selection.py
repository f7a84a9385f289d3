"""Lists of observers: defaults, spellings, globs."""

from dataclasses import dataclass

import pytest

from qviz.errors import QvizError, UnknownName
from qviz.observers import selection
from qviz.observers.base import OBSERVERS, Observer
from qviz.observers.minmax import MinMaxObserver
from qviz.observers.moving_average import MovingAverageObserver
from qviz.observers.selection import default_observers, select, split
from qviz.registry import Registry, Source, knob


@dataclass(frozen=True)
class Wide(Observer):
    keep: float = knob(1.0)
    sides: int = knob(2)

    def range(self, seen, target):
        raise NotImplementedError


@dataclass(frozen=True)
class Narrow(Wide):
    pass


Wide.__module__ = "qviz.observers.wide"
Narrow.__module__ = "qviz.dialects.odd.narrow"
SOURCE = Source("a document", "a section", "1")


@pytest.fixture
def registry(monkeypatch):
    made = Registry("observer")
    presets = {"wide_99.9": {"keep": 99.9}, "wide": {}, "also_wide": {}}
    made.register("wide", title="Wide", source=SOURCE, presets=presets)(Wide)
    made.register("odd.narrow", title="Narrow", source=SOURCE)(Narrow)
    made.register("odd.unlisted", title="Unlisted", source=SOURCE, presets={})(MinMaxObserver)
    monkeypatch.setattr(selection, "OBSERVERS", made)
    return made


def test_defaults_are_the_presets_of_neutral_members_once_each(registry):
    assert default_observers() == (Wide(), Wide(99.9))  # also_wide is wide under another name


def test_defaults_of_the_real_registry_hold_no_dialect():
    names = {OBSERVERS.name_of(observer) for observer in default_observers()}
    assert {"minmax", "moving_average"} <= names
    assert not [n for n in names if OBSERVERS[n].__module__.startswith("qviz.dialects")]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("minmax", ["minmax"]),
        ("p:keep=99.95,sides=1,minmax", ["p:keep=99.95,sides=1", "minmax"]),
        ("minmax, p:keep=1 , sides=2 ,p:keep=3", ["minmax", "p:keep=1,sides=2", "p:keep=3"]),
        ("torch.*,,minmax,", ["torch.*", "minmax"]),
        ("", []),
    ],
)
def test_split(text, entries):
    assert split(text) == entries


@pytest.mark.parametrize("text", ["keep=3", "minmax,keep=3"])
def test_a_knob_without_an_observer_is_refused(text):
    with pytest.raises(QvizError, match="follows no observer"):
        split(text)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (None, (Wide(), Wide(99.9))),
        ("odd.*", (Narrow(),)),
        ("all", (Wide(), Narrow(), Wide(99.9))),
        ("wide_99.9,odd.*", (Wide(99.9), Narrow())),
        ("wide:keep=2,sides=1,wide:sides=1,keep=2", (Wide(2.0, 1),)),
        (["wide*", Narrow(3.0)], (Wide(), Wide(99.9), Narrow(3.0))),
        ("odd.unlisted", (MinMaxObserver(),)),
    ],
)
def test_select(registry, wanted, found):
    assert select(wanted) == found


def test_select_of_one_observer():
    assert select(MovingAverageObserver(0.5)) == (MovingAverageObserver(0.5),)


@pytest.mark.parametrize(
    ("wanted", "error", "words"),
    [
        ("none.*", UnknownName, "No observer matches 'none"),
        ("minmx", UnknownName, "Did you mean minmax"),
        ("moving_average:speed=1", QvizError, "no knob"),
        ("", QvizError, "No observer was named"),
        ([], QvizError, "No observer was named"),
        ([3], QvizError, "3 is no observer"),
    ],
)
def test_select_refuses(wanted, error, words):
    with pytest.raises(error, match=words):
        select(wanted)
