"""The Layers page: the bundled twin, files of one's own, a model that is run, every state."""

import json
import re
import time
import weakref

import numpy as np
import pytest

from qviz.models.layers import layer_rows
from qviz.models.scheme import Schemes
from qviz.quantizers.base import QUANTIZERS
from qviz.sources.base import open_file
from qviz.ui.layers import working as layers_working
from qviz.ui.layers.working import WORKING
from tests.app.reading import (
    caption,
    chosen,
    figures,
    heading,
    noise,
    npz,
    numbers,
    payload,
    press,
    well,
    words,
)
from tests.browser.serving import ROOT
from tests.unit.models.graphs import node, value, written
from tests.unit.models.test_jobs import slow

PAGE = "7_Layers.py"
ONNX = ROOT / "sample_data" / "digits_cnn.onnx"
CALIB = ROOT / "sample_data" / "digits_calib.npz"
TWIN = "layers_sample-digits_cnn_rescaled"
WAIT = 300  # looks at a job, over 0.3 seconds apart; no run may take longer


@pytest.fixture
def open_page(open_app):
    """Open the page: ``open_page(layers_view="Ranges")``."""
    return lambda **query: open_app(page=PAGE, **query)


def bring(at, name, content, key="layers_upload"):
    """Upload through one of the boxes of the page."""
    (box,) = [box for box in at.file_uploader if box.key == key]
    box.upload(name, content)
    return well(at.run())


def settled(at):
    """The session once nothing is at work."""
    for _ in range(WAIT):
        well(at)
        if WORKING not in at.session_state:
            return at
        time.sleep(0.3)
        at.run()
    pytest.fail("still at work")


def button(at, label):
    """The one button with this label."""
    (found,) = [b for b in at.button if b.label == label]
    return found


def run_on(at, name, content):
    """Fill in the form of a model with a file, run it, and wait."""
    (box,) = [box for box in at.file_uploader if box.key == f"layers_run-{name}-inputs"]
    box.upload("in.npz", content)
    return settled(button(at, "Run it").click().run())


def table(at):
    """The table of layers by name."""
    (found,) = [d.value for d in at.dataframe if "Layer" in d.value and "Role" in d.value]
    return found.set_index("Layer")


def clicked(at, element, **selection):
    """The session after a click in a chart or a table, as a browser tells of it."""
    told = {"selection": {"rows": [], "columns": [], "cells": []} | selection}
    if "points" in selection:
        told = {"selection": {"point_indices": [0], "box": [], "lasso": []} | selection}
    states = at._tree.get_widget_states()
    states.widgets.add(id=element.proto.id, string_value=json.dumps(told))
    return well(at._run(states))


def _whole(id):
    """The keys that an element's id may stand for: all of it, and without the mark of a table."""
    key = id.split("-", 2)[-1]
    return {key, re.sub(r"-+\d+$", "", key)}


def drawn(at, key):
    """The chart or the table with this key."""
    (found,) = [e for e in (*at.get("plotly_chart"), *at.dataframe) if key in _whole(e.proto.id)]
    return found


def infos(at):
    return words(" ".join(box.value for box in at.main.info))


def errors(at):
    return words(" ".join(box.value for box in at.main.error))


def alone_by_name(at):
    """Output dB of each layer alone, as it is drawn."""
    (dots,) = [t for t in figures(at)["layers-alone"]["data"] if t["name"] == "as chosen"]
    return dict(zip(dots["customdata"], numbers(dots["x"]), strict=True))


def test_without_a_model_the_page_offers_two(open_page):
    at = open_page()
    assert heading(at) == "Layers needs a model or a set of tensors"
    offered = {b.key for b in at.button if str(b.key).startswith("layers_sample-")}
    assert offered == {"layers_sample-digits_cnn", TWIN}
    assert not at.main.dataframe and WORKING not in at.session_state


def test_the_twin_with_one_click_at_four_bits(open_page):
    at = open_page(layers_activations_bits="4")
    at = settled(at.button(key=TWIN).click().run())
    right, left = re.findall(r"([\d.]+) %", heading(at))
    assert heading(at).startswith("relu is the layer: quantizing it alone takes")
    assert float(right) > 98 and float(left) < 25
    assert "tensor SQNR misleads" in caption(at)
    said = "Click a row to choose its tensor for every page"
    assert any(said in c.value for c in at.main.caption)
    rows = table(at)
    assert rows.index[0] == "relu" and rows.loc["relu", "SQNR"] > 20
    assert rows.loc["relu", "Ratio"] > 50 and rows.loc["relu", "Loud"] == 3
    assert rows.loc["relu", "Alone"] == pytest.approx(float(left), abs=0.1)
    text = words(" ".join(m.value for m in at.main.markdown))
    assert "Channel 3 is loud in 2 activations: bn1, relu" in text
    assert at.query_params["layers_model"] == ["digits_cnn_rescaled"] or (
        at.query_params["layers_model"] == "digits_cnn_rescaled"
    )
    _alone(at)
    _everywhere(at)


def _alone(at):
    at = press(at, "layers_view", "alone")
    assert re.match(r"relu alone costs (7|8|9)\d points$", heading(at))
    worst = alone_by_name(at)
    assert min(worst, key=worst.get) == "relu" and worst["relu"] < 5
    share = re.search(r"([\d.]+) % with everything quantized", caption(at))
    assert float(share[1]) < 25
    at = settled(at.toggle(key="layers_beside").set_value(True).run())
    assert re.search(r"per channel it costs (nothing|\d(\.\d)? points)$", heading(at))
    assert payload(at) < 60_000
    names = [d.value["Layer"].tolist() for d in at.dataframe if "dB alone" in d.value]
    assert all("ch. %" in d.value for d in at.dataframe if "dB alone" in d.value)
    assert names and names[0][0] == "images"  # the table of a phone, in network order
    at = clicked(at, drawn(at, "layers-alone-table"), cells=[[0, "dB alone"]])
    assert chosen(at).endswith("::images") and at.session_state["bits"] == 4
    (point,) = [p for p in names[0] if p == "relu"]
    at = clicked(at, drawn(at, "layers-alone"), points=[{"customdata": point}])
    assert chosen(at).endswith("::relu")


def _everywhere(at):
    """What was captured can be chosen on every page, and is private."""
    id = "Digits CNN, rescaled twin::relu"
    at = well(at.selectbox(key="tensor").set_value(id).run())
    assert "tensor" not in at.query_params
    at = well(at.switch_page("pages/6_Channels.py").run())
    assert chosen(at) == id and heading(at).startswith("Channel 3 sets the step")
    at = well(at.switch_page("pages/7_Layers.py").run())
    assert at.selectbox(key="layers_model").value == "sample:digits_cnn_rescaled"


def test_a_model_of_ones_own_is_run(open_page):
    at = bring(open_page(), "my <net>.onnx", ONNX.read_bytes())
    assert heading(at).startswith("fc1.weight has the lowest SQNR of all")
    assert set(table(at)["Role"]) == {"weight"}
    at = run_on(at, "my <net>.onnx", CALIB.read_bytes())
    assert at.selectbox(key="layers_model").value == "my <net>.onnx, run"
    assert table(at).loc["relu", "Shape"] == "128×8×8×8"  # all images of the file
    assert "layers_model" not in at.query_params
    assert [o for o in at.selectbox(key="tensor").options if o.endswith("· relu")]
    at = press(at, "layers_view", "alone")
    assert heading(at) == "What does each layer cost alone?"
    at = settled(button(at, "Run each layer alone").click().run())
    assert heading(at).startswith("No layer alone costs a point")
    assert re.search(r"99\.2 % of 128 right in float", caption(at))  # labels of the file
    at = press(at, "layers_activations_bits", 4)
    waits = (
        "A result waits under other schemes: activations 8 bits per tensor, weights 8 per channel"
    )
    assert any(words(c.value).startswith(waits) for c in at.main.caption)
    at = well(button(at, "Run each layer alone").click().run())
    assert at.session_state[WORKING].words.endswith(
        "alone, activations 4 bits per tensor, weights 8 per channel"
    )
    at = press(settled(at), "layers_activations_bits", 8)
    at = press(at, "layers_view", "pairs")
    assert heading(at) == "20 of 20 pairs are the same, bit for bit"
    assert "Only in my <net>.onnx, run: images, conv1" in caption(at)
    at = press(at, "layers_view", "table")
    at = run_on(at, "my <net>.onnx, run", CALIB.read_bytes())
    assert at.selectbox(key="layers_model").value == "my <net>.onnx, run 2"


def graph(tmp_path, *nodes, **constants):
    """Bytes of a model from x, of two values, to y."""
    path = written(tmp_path / "made.onnx", nodes, [value("x", [2])], ["y"], **constants)
    return path.read_bytes()


def test_a_model_that_stores_no_tensor_is_run(open_page, tmp_path):
    at = bring(open_page(), "bare.onnx", graph(tmp_path, node("Relu", "x", "y")))
    assert heading(at) == "bare.onnx stores no tensor: run it to see what its nodes give"
    assert at.selectbox(key="layers_model").value == "bare.onnx" and not at.main.dataframe
    for view in ("ranges", "alone", "pairs", "table"):
        at = press(at, "layers_view", view)
        assert heading(at).startswith("bare.onnx stores no tensor")
    at = settled(button(at, "Run it").click().run())
    assert at.selectbox(key="layers_model").value == "bare.onnx, run"
    assert table(at).loc["y", "Op"] == "Relu"


def test_a_model_without_nodes_says_so(open_page, tmp_path):
    at = bring(open_page(), "none.onnx", graph(tmp_path))
    assert "none.onnx holds no graph to run" in errors(at)
    assert heading(at) == "Layers needs a model or a set of tensors"


def test_a_model_with_one_tensor_is_looked_at(open_page, tmp_path):
    made = graph(tmp_path, node("Mul", "x w", "y"), w=np.ones(2, np.float32))
    at = bring(open_page(), "one.onnx", made)
    assert at.selectbox(key="layers_model").value == "one.onnx"
    assert list(table(at).index) == ["w"] and "run the model" in caption(at)


def test_any_page_says_what_to_do_with_a_model_without_tensors(open_app, tmp_path):
    at = open_app()
    before = chosen(at)
    at = bring(at, "bare.onnx", graph(tmp_path, node("Relu", "x", "y")), key="upload")
    said = [words(c.value) for c in at.caption]
    assert "bare.onnx stores no tensor: run it to see what its nodes give." in said
    assert chosen(at) == before and not errors(at)


def test_a_path_opens_a_model_on_the_empty_page(open_page, monkeypatch):
    at = open_page()
    at = well(at.text_input(key="layers_path").set_value(f'"{ONNX}"').run())
    assert at.selectbox(key="layers_model").value == "digits_cnn.onnx"
    assert heading(at).startswith("fc1.weight has the lowest SQNR of all")
    monkeypatch.setattr("qviz.ui.files.paths_allowed", lambda: False)
    assert not [box for box in open_page().main.text_input if box.key == "layers_path"]


def test_a_run_can_be_cancelled_and_started_again(open_page):
    at = well(open_page().button(key=TWIN).click().run())
    assert heading(at) == "Running Digits CNN, rescaled twin"
    at = well(button(at, "Cancel").click().run())
    assert WORKING not in at.session_state
    assert heading(at) == "Layers needs a model or a set of tensors" and not errors(at)
    at = well(at.button(key=TWIN).click().run())
    assert heading(at) == "Running Digits CNN, rescaled twin"
    well(button(at, "Cancel").click().run())


def test_inputs_that_do_not_fit_end_in_a_sentence(open_page):
    at = bring(open_page(), "net.onnx", ONNX.read_bytes())
    at = run_on(at, "net.onnx", npz(images=noise(1, 4, 3)))
    assert "The array for images does not fit" in errors(at)
    assert heading(at).startswith("fc1.weight has the lowest SQNR")


def test_inputs_are_called_as_a_person_knows_them(open_page):
    at = bring(open_page(), "net.onnx", ONNX.read_bytes())
    at = run_on(at, "net.onnx", npz(x=noise(1, 4), y=noise(2, 4)))
    assert "in.npz holds nothing for the input images" in errors(at)


def test_what_doctor_tried_stands_here(open_page):
    at = bring(open_page(), "net.onnx", ONNX.read_bytes())
    at = run_on(at, "net.onnx", CALIB.read_bytes())
    at = well(at.selectbox(key="tensor").set_value("net.onnx, run::relu").run())
    at = well(at.switch_page("pages/8_Doctor.py").run())
    at = well(at.switch_page("pages/7_Layers.py").run())
    (told,) = [t for c in at.main.caption if (t := words(c.value)).startswith("relu under ")]
    said = r"relu under .*, 8-bit unsigned affine: [\d.]+ dB at the output \([\d.]+ % right\)\.$"
    assert re.match(said, told)


def field(at, label):
    """The one field for a number with this label."""
    (found,) = [n for n in at.number_input if n.label == label]
    return found


def test_a_run_may_take_as_long_as_the_page_says(open_page, tmp_path):
    at = bring(open_page(), "loop.onnx", slow(tmp_path).read_bytes())
    assert field(at, "At most, seconds").value == 120
    field(at, "At most, seconds").set_value(5)
    at = settled(button(at, "Run it").click().run())
    assert "stopped after 5 seconds; no step was finished. It may loop without end." in errors(at)
    assert "--" not in errors(at) and "At most, seconds" in errors(at)


def test_before_layers_are_run_alone_the_page_says_how_long_that_takes(open_page):
    at = bring(open_page(layers_view="Alone"), "net.onnx", ONNX.read_bytes())
    at = run_on(at, "net.onnx", CALIB.read_bytes())
    (about,) = [c.value for c in at.main.caption if c.value.startswith("It takes about")]
    assert 2 <= int(re.search(r"\d+", about)[0]) < 30
    (mine,) = [n for n in at.number_input if str(n.key).startswith("layers_alone_seconds")]
    assert (mine.label, mine.value) == ("At most, seconds", 120)


def test_trials_that_are_cancelled_show_what_was_found(open_page):
    at = bring(open_page(layers_view="Alone"), "net.onnx", ONNX.read_bytes())
    images = np.tile(np.load(CALIB)["images"], (10, 1, 1, 1))
    at = run_on(at, "net.onnx", npz(images=images))  # enough to be at it for a while
    at = well(button(at, "Run each layer alone").click().run())
    working = at.session_state[WORKING]
    while working.job.progress[0] < 4:
        time.sleep(0.02)
    working.job.cancel()
    assert re.search(r"^step [1-4] of 33$", working.job.said.read_text(), re.MULTILINE)
    at = settled(at)
    assert heading(at).startswith("So far: ")
    found = re.search(r"(\d+) of 11 tensors were tried", infos(at))
    assert 3 <= int(found[1]) <= 11 and "stopped before its end" in infos(at)
    at = settled(button(at, "Run each layer alone").click().run())
    assert not heading(at).startswith("So far: ") and not infos(at)


class Browser:
    """Stands for Streamlit: whether somebody still looks."""

    def __init__(self, there):
        self.there = there

    def exists(self):
        return True

    def get_instance(self):
        return self

    def is_active_session(self, session):
        return session == "mine" and self.there.pop(0) if self.there else False


class Sleeper:
    """A job that does nothing until it is cancelled."""

    done = False

    def cancel(self):
        self.done = True


def test_a_job_ends_when_the_browser_is_gone(monkeypatch):
    monkeypatch.setattr(layers_working, "LOOK", 0.01)
    monkeypatch.setattr(layers_working, "AWAY", 0.1)
    there, job = [True] * 5, Sleeper()
    monkeypatch.setattr(layers_working, "runtime", Browser(there))
    layers_working._while_open(weakref.ref(job), "mine")
    assert job.done and not there
    job = Sleeper()
    layers_working._while_open(weakref.ref(Sleeper()), "mine")  # nobody holds it
    assert not job.done


def test_without_a_file_values_are_made(open_page):
    at = bring(open_page(), "net.onnx", ONNX.read_bytes())
    (length,) = [n for n in at.number_input if n.label == "Length of batch of images"]
    assert length.value == 8
    (most,) = [n for n in at.number_input if n.label == "Batches at most"]
    most.set_value(2)
    at = settled(button(at, "Run it").click().run())
    assert table(at).loc["relu", "Shape"] == "16×8×8×8"  # 2 batches of 8


def test_a_model_that_cannot_run_says_why(open_page):
    """A value whose operation no runtime knows: the child ends, the session goes on."""
    broken = ONNX.read_bytes().replace(b"HardSwish", b"HardSwism")
    at = bring(open_page(), "net.onnx", broken)
    at = settled(button(at, "Run it").click().run())
    assert "net.onnx" in errors(at) or "HardSwism" in errors(at)
    assert heading(at).startswith("fc1.weight has the lowest SQNR")


TENSORS = {
    "block.weight": noise(0, 16, 32),
    "block.bias": noise(1, 16),
    "act": np.abs(noise(2, 4, 16)) * np.where(np.arange(16) == 5, 90, 1).astype(np.float32),
    "[hostile](x) <b>": noise(3, 8),
    "=1+1": noise(4, 8),
    "whole": np.arange(8),
    "nan": np.full(4, np.nan, np.float32),
    "empty": np.zeros((0, 3), np.float32),
    "zeros": np.zeros(9, np.float32),
}


@pytest.fixture(scope="module")
def content():
    """Bytes of a set of tensors of every kind."""
    return npz(**TENSORS)


def test_a_set_of_tensors_of_every_kind(open_page, content, tmp_path):
    at = bring(open_page(layers_roles="Everything"), "set.npz", content)
    (tmp_path / "set.npz").write_bytes(content)
    expected = {
        row.name: row for row in layer_rows(open_file(tmp_path / "set.npz"), Schemes.usual())
    }
    rows = table(at)
    assert len(rows) == len(expected) == len(TENSORS)
    assert rows.loc["block.weight", "SQNR"] == pytest.approx(expected["block.weight"].sqnr)
    assert rows.loc["act", "Max"] == pytest.approx(float(TENSORS["act"].max()))
    assert "'=1+1" in rows.index
    notes = rows["Note"]
    assert notes["whole"] == "Whole numbers are not quantized again."
    assert all(notes[name] for name in ("nan", "empty", "zeros"))
    assert heading(at) == "nan holds NaN" and "misleads" in caption(at)


def test_find_threshold_order_and_kinds(open_page, content):
    at = bring(open_page(layers_roles="Everything"), "set.npz", content)
    at = well(at.text_input(key="layers_find").set_value("BLOCK").run())
    assert sorted(table(at).index) == ["block.bias", "block.weight"]
    at = well(at.text_input(key="layers_find").set_value("nowhere").run())
    assert "No tensor is left" in infos(at)
    at = well(at.text_input(key="layers_find").set_value("").run())
    for sort in ("sqnr", "ratio", "kurtosis", "order", "cost"):
        at = well(at.selectbox(key="layers_sort").set_value(sort).run())
        column = {"ratio": "Ratio", "kurtosis": "Kurtosis"}.get(sort)
        values = table(at)[column].dropna().tolist() if column else []
        assert values == sorted(values, reverse=True)
    assert any("tensors shown" in c.value for c in at.main.caption) is False
    at = well(at.number_input(key="layers_below").set_value(1.0).run())
    assert "No tensor is left" in infos(at)
    at = well(at.number_input(key="layers_below").set_value(None).run())
    at = well(at.selectbox(key="layers_roles").set_value("weight").run())
    assert set(table(at)["Role"]) == {"weight"}


def test_schemes_change_what_is_lost(open_page, content):
    at = bring(open_page(), "set.npz", content)
    before = table(at).loc["block.weight", "SQNR"]
    more = table(press(at, "layers_weights_bits", 16)).loc["block.weight", "SQNR"]
    assert 44 < more - before < 54
    at = press(at, "layers_weights_bits", 4)
    less = table(at).loc["block.weight", "SQNR"]
    assert 20 < before - less < 28  # about 6 dB a bit
    at = well(at.selectbox(key="layers_weights_per").set_value("per_tensor").run())
    assert table(at).loc["block.weight", "SQNR"] < less
    at = well(at.toggle(key="layers_weights_signed").set_value(False).run())
    at = well(at.toggle(key="layers_weights_symmetric").set_value(False).run())
    at = well(at.selectbox(key="layers_weights_observer").set_value("percentile").run())
    assert heading(at)


def test_a_click_brings_the_tensor_and_its_scheme(open_page, content):
    """In the table and in the picture of ranges, by a cell, a row and a point."""
    at = bring(open_page(layers_roles="Everything"), "set.npz", content)
    assert _line(at, as_here=False) == "block.weight"  # the largest weight of a file
    row = table(at).index.get_loc("block.weight")
    at = clicked(at, drawn(at, "layers-table"), cells=[[row, "Op"]])
    assert chosen(at) == "set.npz::block.weight" and _line(at) == "block.weight"
    assert (at.selectbox(key="granularity").value, at.selectbox(key="axis").value) == (
        "per_channel", 0
    )  # fmt: skip
    assert at.toggle(key="signed").value and at.toggle(key="symmetric").value
    at = press(at, "layers_weights_bits", 4)
    assert _line(at, as_here=False) == "block.weight"  # 8 bits elsewhere
    at = clicked(at, drawn(at, "layers-table"), rows=[table(at).index.get_loc("block.bias")])
    assert (chosen(at), at.session_state["bits"]) == ("set.npz::block.bias", 4)
    assert at.selectbox(key="granularity").value == "per_tensor"
    at = press(at, "layers_view", "ranges")
    at = clicked(at, drawn(at, "layers-ranges"), points=[{"customdata": "act"}])
    assert chosen(at) == "set.npz::act" and _line(at) == "act"
    assert "<b>act</b>" in figures(at)["layers-ranges"]["layout"]["yaxis"]["ticktext"]
    at = clicked(at, drawn(at, "layers-ranges"), points=[{"customdata": "no such tensor"}])
    assert chosen(at) == "set.npz::act"
    at = well(at.switch_page("pages/8_Doctor.py").run())
    assert chosen(at) == "set.npz::act"
    assert at.selectbox(key="doctor_rule").value == at.session_state["show"][0] == "absmax"


def _line(at, *, as_here=True):
    """The tensor that is said to be the one on every page."""
    end = " is the tensor on every page now" + ", quantized as here" * as_here + ":"
    (found,) = [words(m.value) for m in at.main.markdown if words(m.value).endswith(end)]
    return found.removesuffix(end).strip("*")


def test_every_mode_serves_or_says_why_not(open_page, content):
    at = bring(open_page(layers_roles="Everything"), "set.npz", content)
    modes = at.selectbox(key="layers_weights_mode").options
    assert modes == [QUANTIZERS.entry(name).title for name in QUANTIZERS]
    for name in ("ort.affine", "power_of_two", "mindspore.default@doc"):
        at = well(at.selectbox(key="layers_weights_mode").set_value(name).run())
        assert table(at).loc["block.weight", "SQNR"] > 30 and not infos(at)
        assert QUANTIZERS.entry(name).title in caption(at)
    at = well(at.selectbox(key="layers_weights_mode").set_value("nvidia.amax").run())
    assert "Weights are not quantized: NVIDIA's integers are symmetric" in infos(at)
    at = well(at.toggle(key="layers_weights_narrow_range").set_value(True).run())
    assert not infos(at) and table(at).loc["block.weight", "SQNR"] > 30
    at = clicked(at, drawn(at, "layers-table"), cells=[[0, "Layer"]])
    assert (
        at.session_state["mode_spelling"] == "nvidia.amax" and at.toggle(key="narrow_range").value
    )


def test_ranges_show_the_magnitudes(open_page):
    x = np.array([0, -1, 2, 100], np.float32)
    at = bring(open_page(layers_view="Ranges"), "two.npz", npz(a=x, b=np.ones(4, np.float32)))
    assert heading(at).startswith("No tensor reaches 60 times")
    marks = {
        t["name"]: dict(zip(t["customdata"], numbers(t["x"]).tolist(), strict=True))
        for t in figures(at)["layers-ranges"]["data"]
        if t.get("mode") == "markers"
    }
    assert marks["largest"] == {"a": 100.0, "b": 1.0}
    assert marks["median"] == {"a": 2.0, "b": 1.0}  # of 1, 2, 100
    at = well(at.slider(key="layers_threshold").set_value(49).run())
    assert heading(at) == "a reaches 50 times its median magnitude, the only one of 2 past the mark"


def test_of_many_tensors_only_the_far_ones_are_drawn(open_page):
    many = {f"t{at}": noise(at, 32) for at in range(70)}
    many["far"] = np.r_[noise(1, 31), 500].astype(np.float32)
    at = bring(open_page(layers_view="Ranges"), "many.npz", npz(**many))
    assert figures(at)["layers-ranges"]["layout"]["yaxis"]["ticktext"] == ["far"]
    assert "far reaches" in heading(at)
    assert any("1 of 71 tensors" in c.value for c in at.main.caption)


def test_long_names_are_told_apart_and_numbers_off_a_sketch_marked(open_page):
    start = "encoder.layer."
    names = [f"{start}{at}.attention.output.dense.weight" for at in range(6)]
    at = bring(open_page(), "names.npz", npz(**{name: noise(1, 4, 4) for name in names}))
    rows = table(at).index
    assert len(set(rows)) == 6 and not any(row.startswith(start) for row in rows)
    assert any(f"without “{start}”" in words(c.value) for c in at.main.caption)
    assert heading(at).startswith("…0.attention.output.dense.weight has")
    at = clicked(at, drawn(at, "layers-table"), cells=[[2, "Layer"]])
    assert chosen(at) == f"names.npz::{names[2]}"
    few = drawn(at, "layers-table-few")
    assert list(few.value.columns) == ["Layer", "SQNR"] and len(set(few.value["Layer"])) == 6
    assert "open the model as ONNX and run it" in caption(at)


def test_views_that_need_more_say_so(open_page, content):
    at = bring(open_page(), "set.npz", content)
    at = press(at, "layers_view", "alone")
    assert "needs a model that runs" in infos(at)
    at = press(at, "layers_view", "pairs")
    assert "Open a second file" in infos(at)
    offered = [b.label for b in at.button if b.label.startswith("Run Digits CNN")]
    assert offered == ["Run Digits CNN", "Run Digits CNN, rescaled twin"]


def test_pairs_of_two_files(open_page):
    a, b = noise(1, 8, 8), noise(1, 8, 8)
    b[0, 0] += np.float32(0.5)
    at = bring(open_page(layers_view="Pairs"), "a.npz", npz(w=a, only=noise(2, 3)))
    (box,) = [box for box in at.file_uploader if box.key == "upload"]
    box.upload("b.npz", npz(w=b, other=noise(3, 3)))
    at = well(at.run())
    (frame,) = [d.value for d in at.dataframe if "Note" in d.value]
    row = frame.set_index("Tensor").loc["w"]
    x, y = b.astype(np.float64), a.astype(np.float64)  # the newest file is looked at
    assert row["SQNR dB"] == pytest.approx(10 * np.log10((x**2).sum() / ((x - y) ** 2).sum()))
    assert row["Largest difference"] == pytest.approx(0.5, abs=1e-6)
    assert heading(at).startswith("w differs most of 1 pairs")
    at = clicked(at, drawn(at, "layers-pairs"), cells=[[0, "SQNR dB"]])
    assert chosen(at) == "b.npz::w"
    few = drawn(at, "layers-pairs-few").value
    assert list(few.columns) == ["Tensor", "SQNR dB", "Largest difference"]
    assert "Only in b.npz: other." in caption(at) and "Only in a.npz: only." in caption(at)


def test_a_pair_below_zero_says_so(open_page):
    a, b = noise(1, 8, 8), -5 * noise(1, 8, 8)
    at = bring(open_page(layers_view="Pairs"), "a.npz", npz(w=a, v=a))
    (box,) = [box for box in at.file_uploader if box.key == "upload"]
    box.upload("b.npz", npz(w=b, v=b))
    at = well(at.run())
    assert (
        drawn(at, "layers-pairs").value["Note"].tolist()
        == ["Below 0: the difference is larger than the tensor."] * 2
    )


def test_an_address_with_an_unknown_network_is_ignored(open_page):
    at = open_page(layers_model="no_such_network")
    assert heading(at) == "Layers needs a model or a set of tensors"
    assert "layers_model" not in at.query_params
