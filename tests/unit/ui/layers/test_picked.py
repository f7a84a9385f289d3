"""What a click on a tensor of a model leaves in the session."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from qviz.models.scheme import Scheme, Schemes
from qviz.sources.base import open_file
from qviz.ui.choice import chosen_target
from qviz.ui.files import Opened
from qviz.ui.layers.picked import chosen_name, picker, rows_picker
from qviz.ui.layers.subject import Subject

SCHEMES = Schemes(
    Scheme.parse("absmax 8 signed symmetric narrow_range per_channel"),
    Scheme.parse("percentile:keep=97 4 mode=power_of_two"),
)


@pytest.fixture
def found(tmp_path):
    """A set of a weight, a bias and an activation."""
    arrays = {"fc.weight": np.ones((4, 3), np.float32), "fc.bias": np.ones(4, np.float32)}
    np.savez(tmp_path / "a.npz", **arrays, act=np.ones((5, 4), np.float32))
    source = open_file(tmp_path / "a.npz")
    act = replace(source.infos["act"], role="activation")
    return Subject("a.npz", "a.npz", replace(source, infos={**source.infos, "act": act}))


@pytest.fixture
def state(monkeypatch, found):
    """A session in which the set is open and something else was chosen."""
    made = {"opened": {"a.npz": Opened("a.npz", found.source)}, "tensor": "synthetic::normal"}
    made |= {"variants": [], "show": ["mse"], "touched": True, "bits": 2, "axis": 1}
    monkeypatch.setattr(st, "session_state", made)
    return made


def test_a_weight_is_chosen_under_the_scheme_of_weights(found, state):
    assert chosen_name(found) is None
    picker(found, SCHEMES)("fc.weight")
    assert state["tensor"] == "a.npz::fc.weight" and chosen_name(found) == "fc.weight"
    target = chosen_target(found.source.infos["fc.weight"])
    assert target == SCHEMES.weights.target(0)
    assert state["show"] == ["absmax", "mse"]


def test_an_activation_is_chosen_under_the_scheme_of_activations(found, state):
    picker(found, SCHEMES)("act")
    assert (state["bits"], state["signed"], state["granularity"]) == (4, False, "per_tensor")
    assert state["mode"] == "power_of_two"
    assert state["show"][0] in state["variants"] and "97" in state["show"][0]


def test_the_rule_of_an_earlier_click_is_no_highlight_any_more(found, state):
    for name in ("fc.weight", "act", "fc.weight"):
        picker(found, SCHEMES)(name)
    assert state["show"] == ["absmax", "mse"]


def test_a_vector_has_no_channels(found, state):
    picker(found, SCHEMES)("fc.bias")
    assert state["granularity"] == "per_tensor" and state["signed"]


@pytest.mark.parametrize("closed", [False, True])
def test_what_has_no_entry_changes_nothing(found, state, closed):
    if closed:
        state["opened"] = {}
    before = dict(state)
    picker(found, SCHEMES)("fc.weight" if closed else "images")
    assert state == before and chosen_name(found) is None


@pytest.mark.parametrize(
    ("rows", "cells", "name"), [([1], [], "b"), ([], [(2, "Op")], "c"), ([], [], None)]
)
def test_a_row_or_a_cell_stands_for_its_name(state, rows, cells, name):
    state["table"] = SimpleNamespace(selection=SimpleNamespace(rows=rows, cells=cells))
    named = []
    rows_picker("table", ["a", "b", "c"], named.append)()
    assert named == ([] if name is None else [name])
