"""What callbacks leave in the session: codes, granularity, mode, and the first highlight."""

import pytest
import streamlit as st

from qviz.quantizers.base import Target
from qviz.sources.base import TensorInfo
from qviz.spec import Granularity, QuantSpec
from qviz.ui.choice import chosen_target
from qviz.ui.setting import set_granularity, set_observer, set_target, whole_axis


@pytest.fixture
def state(monkeypatch):
    """A session that has an observer of its own and one highlight."""
    found = {"variants": ["percentile:keep=97"], "show": ["mse"], "touched": False}
    monkeypatch.setattr(st, "session_state", found)
    return found


def info(*shape, batch_axis=None):
    return TensorInfo("t", shape, "float32", "print", batch_axis=batch_axis)


@pytest.mark.parametrize(
    ("batch_axis", "axis", "whole"),
    [(None, 0, 0), (None, -1, 2), (0, 0, 1), (0, 1, 2), (1, 0, 0), (1, 1, 2), (2, -1, 1)],
)
def test_an_axis_of_a_batch_is_one_of_the_whole(state, batch_axis, axis, whole):
    assert whole_axis(info(5, 6, 7, batch_axis=batch_axis), axis) == whole


def test_a_batch_of_single_values_has_no_axis(state):
    assert whole_axis(info(5, batch_axis=0), 0) is None


def test_the_axis_is_said_to_be_of_this_tensor(state):
    state.update(axis=0, axis_of="another")
    set_granularity(info(4, 3), Granularity("per_channel", 1))
    assert (state["granularity"], state["axis"], state["axis_of"]) == ("per_channel", 1, "print")


def test_groups_are_named_by_their_size(state):
    set_granularity(info(4, 64), Granularity("per_group", -1, 32))
    assert state["granularity"] == "group_32"


@pytest.mark.parametrize(
    "target",
    [
        Target.of(QuantSpec(4, signed=True, symmetric=True, narrow_range=True), mode="ort.affine"),
        Target.of(QuantSpec(8, quant_min=3, quant_max=90)),
        Target.of(QuantSpec(6, reduce_range=True), Granularity("per_channel", 1), "power_of_two"),
        Target.of(QuantSpec(4), Granularity("per_token")),
    ],
)
def test_what_is_set_is_what_is_read(state, target):
    state.update(bits=3, custom=True, quant_min=-7, quant_max=7, signed=True)
    set_target(info(4, 3), target)
    assert chosen_target(info(4, 3)) == target


def test_a_listed_observer_becomes_the_first_highlight(state):
    assert set_observer("minmax") == "minmax"
    assert state["show"] == ["minmax", "mse"] and state["touched"]
    assert state["variants"] == ["percentile:keep=97"]


def test_another_one_becomes_a_row_of_its_own(state):
    made = set_observer("percentile:keep=98.5")
    assert state["variants"][-1] == made == state["show"][0] and len(state["variants"]) == 2
    set_observer(made)
    assert state["show"] == [made, "mse"] and len(state["variants"]) == 2
