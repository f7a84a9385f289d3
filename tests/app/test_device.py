"""The device switch: absent without a device, and without effect on any number with one."""

import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

from qviz.ui import compute
from qviz.ui.state import store
from tests.app.reading import APP, caption, choose, press, table, well, words
from tests.browser.serving import ROOT
from tests.unit.ui.far import arrive, sent

WEIGHT, RELU = "teaching::gaussian", "teaching::relu"
QUIET = """
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_file("app.py", default_timeout=60)
at.switch_page("pages/1_Observers.py").run()
assert not at.exception, at.exception
assert not [c for c in at.segmented_control if c.key == "compute"]
assert not [b for b in at.button if b.label == "Use the GPU"]
assert "torch" not in sys.modules
print("quiet")
"""


@pytest.fixture(autouse=True)
def _nothing_known():
    store.clear()


def opened(tensor=WEIGHT):
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params["tensor"] = tensor
    return well(at.switch_page("pages/1_Observers.py").run())


def switches(at):
    return [control for control in at.segmented_control if control.key == "compute"]


def test_without_a_device_nothing_is_in_the_way_and_torch_stays_out():
    ran = subprocess.run(
        [sys.executable, "-c", QUIET], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip().endswith("quiet"), ran.stderr


def test_torch_without_a_device_shows_no_switch():
    assert switches(opened()) == []


@pytest.mark.parametrize("exact", [False, True], ids=["sketch", "exact"])
def test_numbers_stay_the_same_and_say_where_they_were_counted(monkeypatch, exact):
    arrive(monkeypatch)
    at = opened()
    if exact:
        well(at.toggle(key="exact").set_value(True).run())
    (switch,) = switches(at)
    assert switch.options == ["CPU", "Test GPU"]
    before = table(at)
    assert "counted on" not in caption(at)
    press(at, "compute", "far")
    assert "64 × 64, counted on Test GPU," in caption(at)
    assert table(at).equals(before)
    assert any("@far" in key[0][0] for key in store()._values if isinstance(key[0], tuple))
    press(at, "compute", "cpu")
    assert "counted on" not in caption(at)
    assert "on_device" not in at.session_state


def test_another_tensor_travels_in_its_place(monkeypatch):
    arrive(monkeypatch)
    at = press(opened(), "compute", "far")
    first = at.session_state["on_device"]
    choose(at, RELU)
    assert at.session_state["on_device"][0] != first[0]
    assert "counted on Test GPU" in caption(at)


def full(x, where):
    """Room for the sample that is tried first, not for a tensor of a page."""
    if x.ndim > 1:
        raise MemoryError
    return sent(x)


def unable(x, where):
    if x.ndim > 1:
        raise NotImplementedError
    return sent(x)


@pytest.mark.parametrize(
    ("move", "sentence"),
    [(full, "too little free memory"), (unable, "could not do this (NotImplementedError)")],
)
def test_the_processor_takes_over_where_a_device_fails(monkeypatch, move, sentence):
    arrive(monkeypatch, move)
    at = opened("teaching::laplace")
    before = table(at)
    press(at, "bits", 6)
    press(at, "compute", "far")
    assert any(sentence in words(box.value) for box in at.warning)
    assert "counted on" not in caption(at)
    press(at, "bits", 8)
    assert table(at).equals(before)
    assert any(sentence in words(note.value) for note in at.sidebar.caption)


def test_a_gpu_that_may_be_there_is_asked_for_and_a_disappointment_is_said(monkeypatch):
    asked = []
    monkeypatch.setattr(compute, "hinted", lambda: not asked)
    monkeypatch.setattr(compute, "offered", lambda: None)
    monkeypatch.setattr(compute, "load", lambda: asked.append("torch"))
    at = opened()
    (button,) = [b for b in at.sidebar.button if b.label == "Use the GPU"]
    well(button.click().run())
    assert asked == ["torch"]
    assert "no device" in at.toast[0].value
    assert [b for b in at.sidebar.button if b.label == "Use the GPU"] == []
