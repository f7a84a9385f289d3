"""Members by name: spelled, made, checked, and found in folders."""

import sys
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qviz.errors import QvizError, UnknownName
from qviz.registry import Registry, Source, knob, knobs_of, read_knob, write_knob

HERE = Source("a document", "section 2", "1.0")


@dataclass(frozen=True)
class Cut:
    keep: float = knob(99.9, low=50, high=100, help="percent kept")
    sides: int = knob(2, options=(1, 2))
    fast: bool = knob(False)
    tie: str = knob("even", options=("even", "away"))
    steps: int = knob(4, low=1)


@dataclass(frozen=True)
class Plain:
    pass


def registry():
    made = Registry("thing")
    presets = {"cut_99.9": {}, "cut_one_side": {"sides": 1}}
    made.register("cut", title="Cut", source=HERE, presets=presets, golden="ops", rank=3)(Cut)
    made.register("plain", title="Plain", source=HERE)(Plain)
    made.register("hidden", title="Hidden", source=HERE, presets={})(lambda: None)
    return made


THINGS = registry()


def refused(call, *words):
    with pytest.raises(QvizError) as error:
        call()
    return str(error.value)


def test_a_registry_maps_sorted_names_to_members():
    assert list(THINGS) == ["cut", "hidden", "plain"]
    assert len(THINGS) == 3
    assert THINGS["cut"] is Cut
    assert "cut" in THINGS


def test_lists_hold_presets():
    assert list(THINGS.presets) == ["cut_99.9", "cut_one_side", "plain"]
    assert THINGS.presets["cut_one_side"] == ("cut", {"sides": 1})


def test_an_entry_knows_its_source():
    entry = THINGS.entry("cut")
    assert (entry.title, entry.golden, dict(entry.notes)) == ("Cut", "ops", {"rank": 3})
    assert str(entry.source) == "a document, section 2 (1.0)"


def test_knobs_with_their_values():
    assert {name: value for name, (_, value) in knobs_of(Cut).items()} == {
        "keep": 99.9,
        "sides": 2,
        "fast": False,
        "tie": "even",
        "steps": 4,
    }
    assert knobs_of(Cut(keep=60.0))["keep"][1] == 60
    assert knobs_of(Cut)["keep"][0].help == "percent kept"
    assert knobs_of(Plain) == {}


@pytest.mark.parametrize(
    ("spelling", "made"),
    [
        ("cut", Cut()),
        ("plain", Plain()),
        ("cut_99.9", Cut()),
        ("cut_one_side", Cut(sides=1)),
        ("cut_one_side:keep=95", Cut(95.0, 1)),
        ("cut:keep=1e2,sides=1,fast=on,tie=away,steps=7", Cut(100.0, 1, True, "away", 7)),
        ("cut_one_side:sides=2", Cut()),
        ("cut:fast=0", Cut()),
        ("cut:", Cut()),
    ],
)
def test_making_by_name(spelling, made):
    assert THINGS.make(spelling) == made


@pytest.mark.parametrize(
    ("member", "spelling"),
    [
        (Cut(), "cut"),
        (Cut(sides=1), "cut:sides=1"),
        (Cut(99.95, fast=True), "cut:keep=99.95,fast=True"),
        (Cut(95.0), "cut:keep=95"),
        (Plain(), "plain"),
    ],
)
def test_spelling(member, spelling):
    assert THINGS.spell(member) == spelling


MEMBERS = st.builds(
    Cut,
    st.floats(50, 100),
    st.sampled_from((1, 2)),
    st.booleans(),
    st.sampled_from(("even", "away")),
    st.integers(1, 10**12),
)


@given(MEMBERS)
def test_a_spelled_member_is_made_again(member):
    assert THINGS.make(THINGS.spell(member)) == member


@given(st.floats(allow_nan=False))
def test_a_float_is_written_so_that_it_reads_back(value):
    assert float(write_knob(value)) == value


@pytest.mark.parametrize(
    ("member", "title"),
    [
        (Cut(), "Cut 99.9"),
        (Cut(sides=1), "Cut one side"),
        (Cut(sides=1, keep=90.0), "Cut keep 90, sides 1"),
        (Plain(), "Plain"),
    ],
)
def test_titles(member, title):
    assert THINGS.title_of(member) == title


@pytest.mark.parametrize(
    ("spelling", "sentence"),
    [
        ("cutt", "No thing is called 'cutt'. Did you mean cut, cut_99.9?"),
        ("plian:x=1", "No thing is called 'plian'. Did you mean plain?"),
        ("xyzzy", "No thing is called 'xyzzy'. Known: cut, cut_99.9, cut_one_side, hidden, plain."),
        ("", "No thing is called ''. Known: "),
        ("cut:depth=3", "cut has no knob 'depth=3'. Its knobs: keep, sides, fast, tie, steps."),
        ("cut:keep", "cut has no knob 'keep'."),
        ("plain:keep=1", "plain has no knob 'keep=1'. Its knobs: none."),
        ("cut:keep=49.9", "cut:keep=49.9 is out of range. Allowed: 50 to 100."),
        ("cut:keep=nan", "cut:keep=nan is out of range."),
        ("cut:keep=many", "cut:keep=many is not a number."),
        ("cut:steps=0", "cut:steps=0 is out of range. Allowed: 1 to inf."),
        ("cut:steps=2.5", "cut:steps=2.5 is not a number."),
        ("cut:sides=3", "cut:sides=3 is not offered. Allowed: 1, 2."),
        ("cut:tie=odd", "cut:tie=odd is not offered. Allowed: even, away."),
        ("cut:fast=maybe", "cut:fast=maybe is neither true nor false."),
        ("cut_one_side:keep=1", "cut_one_side:keep=1 is out of range. Allowed: 50 to 100."),
    ],
)
def test_what_is_wrong_is_said(spelling, sentence):
    assert refused(lambda: THINGS.make(spelling)).startswith(sentence)


def test_close_names_include_presets():
    message = refused(lambda: THINGS.entry("cut_one_sid"))
    assert "Did you mean cut_one_side" in message
    with pytest.raises(UnknownName):
        THINGS["cut_one_sid"]


def test_a_class_that_was_never_filed():
    class Stranger:
        pass

    assert refused(lambda: THINGS.spell(Stranger())) == "Stranger is not a registered thing."
    assert THINGS.name_of(Cut) == THINGS.name_of(Cut()) == "cut"


@pytest.mark.parametrize(
    ("name", "presets", "sentence"),
    [
        ("cut", None, "thing 'cut' is registered twice."),
        ("cut_99.9", None, "thing 'cut_99.9' is registered twice."),
        ("other", {"plain": {}}, "thing 'plain' is registered twice."),
        ("a:b", None, "thing name 'a:b' is empty or holds one of , : ="),
        ("a=b", {}, "thing name 'a=b' is empty or holds one of , : ="),
        ("", None, "thing name '' is empty or holds one of , : ="),
    ],
)
def test_names_are_filed_once_and_can_be_spelled(name, presets, sentence):
    things = registry()
    file = things.register(name, title="", source=HERE, presets=presets)
    assert refused(lambda: file(Plain)) == sentence
    assert len(things) == 3


def test_numbers_are_read_as_the_type_of_their_default():
    known = knobs_of(Cut)
    assert type(read_knob("steps", *known["steps"], "7")) is int
    assert type(read_knob("keep", *known["keep"], "70")) is float


MODULE = """
from qviz.registry import Source
from {package} import THINGS


@THINGS.register("{name}", title="{name}", source=Source("d", "s", "1"))
def member():
    return "{name}"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package of members, and one inside it, that only this test can import."""
    package = tmp_path / "members_of_a_test"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text(
        "from qviz.registry import Registry\nTHINGS = Registry('thing', __name__)\n"
    )
    (package / "inner" / "__init__.py").write_text("")
    for place, name in (("first", "first"), ("inner/second", "second")):
        text = MODULE.format(package=package.name, name=name)
        (package / f"{place}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield package
    for name in [m for m in sys.modules if m.split(".")[0] == package.name]:
        del sys.modules[name]


def test_a_module_dropped_into_a_folder_is_found(folder):
    (folder / "third.py").write_text(MODULE.format(package=folder.name, name="third"))
    things = __import__(folder.name).THINGS
    assert f"{folder.name}.first" not in sys.modules  # nothing is imported before it is asked for
    assert list(things) == ["first", "second", "third"]
    assert things["third"]() == "third"


def test_the_same_name_in_two_modules_is_refused(folder):
    (folder / "third.py").write_text(MODULE.format(package=folder.name, name="second"))
    things = __import__(folder.name).THINGS
    assert refused(lambda: list(things)) == "thing 'second' is registered twice."


def test_membership_and_get_answer_for_unknown_names():
    from qviz.observers.base import OBSERVERS

    assert "minmax" in OBSERVERS
    assert "nothing" not in OBSERVERS
    assert OBSERVERS.get("nothing") is None
