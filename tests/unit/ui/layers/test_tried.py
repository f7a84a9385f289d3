"""What was tried on other pages: the latest of each tensor, the newest first."""

import pytest
import streamlit as st

from qviz.figures.layers_words import tried_line
from qviz.models.alone import Alone, Outcome, Sensitivity
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.ui.layers import tried as page
from qviz.ui.layers.tried import lines, remember, setting, tried
from tests.app.reading import words

AFFINE = QUANTIZERS.make("affine")


@pytest.fixture
def state(monkeypatch):
    """An empty session."""
    made = {}
    monkeypatch.setattr(st, "session_state", made)
    return made


def test_the_latest_try_of_a_tensor_wins_and_comes_first(state):
    for name in "abcdea":
        remember("net, run", name, f"setting {len(state.get('layers_tried', {}))}", Outcome(3.0))
    remember("other, run", "z", "", Outcome(1.0))
    remember("net, run", "e", "nothing came of it", None)
    assert list(tried("net, run")) == ["a", "e", "d", "c"]
    assert tried("net, run")["a"].setting == "setting 5"
    assert not tried("net")


@pytest.mark.parametrize(
    ("rule", "mode", "words"),
    [
        ("manual:lo=-5.571234,hi=6.95", "affine", "keep [−5.57, 6.95], 8-bit"),
        ("minmax", "power_of_two", "MinMax, 8-bit, Power of two"),
        (None, "affine", "typed qparams, 8-bit"),
    ],
)
def test_a_setting_in_words(rule, mode, words):
    observer = rule and OBSERVERS.make(rule)
    assert setting(observer, "8-bit", QUANTIZERS.make(mode)) == words


def test_a_line_tells_of_both(state, monkeypatch):
    said = []
    monkeypatch.setattr(page.st, "caption", lambda text: said.append(words(text)))
    remember("net", "add", "keep [0, 1]", Outcome(53.0, 0.969))
    remember("net", "mul", "MinMax", Outcome(lossless=True))
    rows = tuple(Alone(name, "activation", "", Outcome(4.8, 0.1)) for name in ("add", "sub"))
    lines("net", Sensitivity(rows, 1.0, 8, "y"), ["add", "mul", "sub"])
    assert len(said) == 2 and said[0].startswith("mul under MinMax: exact at the output")
    assert tried_line("add", "keep [0, 1]", Outcome(53.0, 0.969), Outcome(4.8)) == (
        "add under keep [0, 1]: 53.0 dB at the output (96.9 % right); 4.8 dB as here."
    )
    assert "as here" in said[1] and "as here" not in said[0]
