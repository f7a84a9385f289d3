"""What the form of a model makes of a file."""

import pytest

from qviz.models.model import Model
from qviz.ui.layers import form
from tests.unit.models.graphs import DIGITS


class Old:
    """What a file was taken for by code that has been replaced since."""

    def __repr__(self):
        return "Old(" + "a" * 5000


@pytest.fixture
def state(monkeypatch):
    kept = {}
    monkeypatch.setattr(form.st, "session_state", kept)
    return kept


def test_what_older_code_kept_is_read_anew(state):
    state[form.GRAPHS] = {"m": Old()}
    graph = form._graph("m", DIGITS)
    assert isinstance(graph, Model) and state[form.GRAPHS] == {"m": graph}
    assert form._graph("m", DIGITS) is graph


def test_a_file_that_is_no_model_is_read_once(state, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("no model")
    assert form._graph("a", path) is None
    path.unlink()
    assert form._graph("a", path) is None and state[form.GRAPHS] == {"a": None}
