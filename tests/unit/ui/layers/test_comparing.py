"""Pairs for which models run again: begun once, cancelled, taken in."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from qviz.errors import QvizError
from qviz.models.pairs import Pairs
from qviz.ui.layers import comparing as page
from qviz.ui.layers import working
from qviz.ui.state import Store
from tests.unit.models.test_pairs import captured


class Rerun(Exception):
    """The page runs again."""


def again():
    raise Rerun


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return captured(tmp_path_factory.mktemp("run"), 0)


@pytest.fixture
def found(source, monkeypatch):
    """A subject whose values come from runs, and b with the same tensors."""
    made, pressed, held = {}, [], Store()
    lean = replace(source, readers={}).replaying(lambda name: np.zeros(source.info(name).shape))
    monkeypatch.setattr(st, "session_state", made)
    monkeypatch.setattr(st, "rerun", again)
    monkeypatch.setattr(st, "button", lambda label, **_: pressed.append(label))
    monkeypatch.setattr(page, "store", lambda: held)
    monkeypatch.setattr(page.results, "store", lambda: held)
    monkeypatch.setattr(page, "opened", lambda: {"b": SimpleNamespace(source=lean)})
    monkeypatch.setattr(page, "name_of", lambda id: id)
    monkeypatch.setattr(page, "title", lambda id: f"{id}.onnx")
    return SimpleNamespace(name="a", title="a.onnx", source=source, pressed=pressed)


def test_they_are_compared_beside_the_page(found):
    with pytest.raises(Rerun):
        page.compared(found, "b")
    job = working.at_work()
    assert page.compared(found, "b") is None and working.at_work() is job  # begun once
    assert page.meanwhile(found, "b")[0] == "Comparing b.onnx with a.onnx"
    job.arrived(job.job.result())
    st.session_state.clear()
    pair = page.compared(found, "b")
    assert isinstance(pair, Pairs) and len(pair.rows) == 41
    assert not found.pressed


def test_what_was_cancelled_waits_for_the_button(found, monkeypatch):
    def work(told):
        raise QvizError("stopped")

    monkeypatch.setattr(page, "pairs", lambda a, b, told: work(told))
    with pytest.raises(Rerun):
        page.compared(found, "b")
    working._cancel()
    assert page.compared(found, "b") is None
    assert found.pressed == ["Compare"]
    assert page.meanwhile(found, "b")[0] == "Pairs: not compared"


def test_another_job_goes_on(found):
    other = working.Working(("alone", "a"), "", None, print)
    st.session_state[working.WORKING] = other
    assert page.compared(found, "b") is None and working.at_work() is other
    assert page.meanwhile(found, "b")[0] == "Pairs wait for the run"
    assert not found.pressed
