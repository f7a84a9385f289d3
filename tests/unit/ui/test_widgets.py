"""Every knob has a widget, and what the widget says comes back as the knob's value."""

import pytest
from streamlit.testing.v1 import AppTest

from qviz.knobs import knobs_of
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS

MEMBERS = [(kind, name) for kind in (OBSERVERS, QUANTIZERS) for name in kind]


def of_member(kind, name):
    import streamlit as st

    from qviz.observers.base import OBSERVERS
    from qviz.quantizers.base import QUANTIZERS
    from qviz.ui.widgets import knob_widgets

    registry = OBSERVERS if kind == "observer" else QUANTIZERS
    st.session_state["made"] = knob_widgets(registry[name](), "k")


def of_every_kind():
    from dataclasses import dataclass

    import streamlit as st

    from qviz.knobs import knob
    from qviz.ui.widgets import knob_widgets

    @dataclass(frozen=True)
    class Member:
        choice: str = knob("even", options=("even", "away"), help="of ties")
        number: int = knob(8, low=1, high=16)
        free_number: int = knob(0)
        switch: bool = knob(False)
        part: float = knob(0.5, low=0.0, high=1.0)
        share: float = knob(99.9, low=50.0, high=100.0)
        small: float = knob(2.0**-23, low=2.0**-126, high=1.0)
        free: float = knob(-1.0)

    st.session_state["made"] = vars(knob_widgets(Member(), "k"))


@pytest.fixture
def member():
    at = AppTest.from_function(of_every_kind).run()
    assert not at.exception
    return at


def test_defaults_come_back(member):
    assert member.session_state["made"] == {
        "choice": "even",
        "number": 8,
        "free_number": 0,
        "switch": False,
        "part": 0.5,
        "share": 99.9,
        "small": 2.0**-23,
        "free": -1.0,
    }


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("selectbox", "choice", "away"),
        ("number_input", "number", 3),
        ("number_input", "free_number", -70_000),
        ("toggle", "switch", True),
        ("slider", "part", 0.125),
        ("number_input", "share", 99.995),
        ("number_input", "small", 1e-9),
        ("number_input", "free", 1e-12),
    ],
)
def test_a_changed_value_comes_back(member, kind, name, value):
    getattr(member, kind)(key=f"k-{name}").set_value(value)
    assert not member.run().exception
    made = member.session_state["made"]
    assert made[name] == value and type(made[name]) is type(value)


def test_labels_and_help(member):
    assert member.selectbox(key="k-choice").help == "of ties"
    assert member.number_input(key="k-free_number").label == "free number"
    assert (member.number_input(key="k-number").min, member.number_input(key="k-number").max) == (
        1,
        16,
    )


@pytest.mark.parametrize(("kind", "name"), MEMBERS, ids=[name for _, name in MEMBERS])
def test_every_member_has_its_widgets(kind, name):
    at = AppTest.from_function(of_member, args=(kind.kind, name)).run()
    assert not at.exception
    assert at.session_state["made"] == kind[name]()
    widgets = [*at.selectbox, *at.toggle, *at.number_input, *at.slider]
    assert {w.key for w in widgets} == {f"k-{knob}" for knob in knobs_of(kind[name])}
