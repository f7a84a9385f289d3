"""The notebook door."""

import doctest
import subprocess
import sys
import tomllib

import numpy as np
import pytest

import qviz
from qviz import api
from qviz.errors import QvizError
from qviz.observers.minmax import MinMaxObserver
from qviz.observers.selection import default_observers
from qviz.spec import QuantSpec
from tests.browser.serving import ROOT

X = np.array([-1, -0.25, 0, 0.5, 1], np.float32)
HEAVY = ("torch", "streamlit", "plotly", "pandas", "onnx", "onnxruntime")


def loaded_after(code):
    tail = f"; import sys; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    words = [sys.executable, "-c", code + tail]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return ended.stdout.split()


def test_nothing_heavy_is_loaded_before_it_is_needed():
    assert loaded_after("import qviz") == []
    assert loaded_after("import qviz; qviz.compare([1.0, 2.0])") == []
    assert loaded_after("import qviz; qviz.compare([1.0, 2.0]).table()") == ["pandas"]


@pytest.mark.parametrize("module", [qviz, api])
def test_examples_are_true(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0


def test_names_are_there_and_others_are_not():
    assert set(qviz.__all__) < set(dir(qviz))
    assert qviz.QvizError is QvizError
    with pytest.raises(AttributeError, match="no attribute 'comparison'"):
        _ = qviz.comparison


def test_version_is_the_project_s():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert qviz.__version__ == project["version"]


def test_open(tmp_path):
    np.savez(tmp_path / "x.npz", a=X)
    source = qviz.open(tmp_path / "x.npz")
    assert source.names == ("a",)
    assert source["a"].tolist() == X.tolist()
    with pytest.raises(QvizError, match="is not a file"):
        qviz.open(tmp_path / "none.npz")


def test_compare_takes_the_neutral_presets_unasked():
    made = qviz.compare(X)
    assert tuple(row.observer for row in made.rows) == default_observers()


def test_observers_may_be_mixed():
    made = qviz.compare(X, [MinMaxObserver(), "moving_*"], bits=2)
    assert [row.spelling for row in made.rows] == ["minmax", "moving_average"]


def test_table():
    table = qviz.compare(X, "minmax", bits=2).table()
    assert list(table.index) == ["minmax"] and table.index.name == "observer"
    row = table.loc["minmax"]
    assert (row["lo"], row["hi"], row["zero_point"]) == (-1, 1, 2)
    assert row["scale"] == pytest.approx(2 / 3)
    assert row["mse"] == pytest.approx(0.0625)  # (1/9 + 1/16 + 0 + 1/36 + 1/9) / 5
    assert (row["approximate"], row["refused"]) == ("", "")
    assert set(qviz.METRICS) <= set(table.columns)


def test_table_of_groups_has_no_shared_parameters():
    table = qviz.compare(np.eye(3), "minmax", granularity="per_channel:-1").table()
    assert table[["lo", "hi", "scale", "zero_point"]].isna().all(axis=None)
    assert table["mse"].notna().all() and table["worst_channel"].isna().all()  # lossless


def test_table_of_a_refused_observer():
    table = qviz.compare([np.nan, np.nan], "minmax").table()
    assert "no finite element" in table.loc["minmax", "refused"]
    assert table[list(qviz.METRICS)].isna().all(axis=None)


def test_table_marks_what_comes_from_a_sketch():
    x = np.random.default_rng(0).standard_normal(1_000_000, dtype=np.float32)
    live, exact = (qviz.compare(x, "minmax", exact=e).table().loc["minmax"] for e in (False, True))
    assert "codes_used" in live["approximate"]
    assert exact["approximate"] == ""


def test_batches():
    batches = [np.array([0, 1], np.float32), np.array([0, 3], np.float32)]
    words = "moving_average:rate=0.5"
    assert qviz.compare(batches, words).rows[0].range.hi.tolist() == [2]
    assert qviz.compare(np.stack(batches), words, batch_axis=0).rows[0].range.hi.tolist() == [2]
    assert qviz.observe(batches, words).hi.tolist() == [2]


def test_figure():
    figure = qviz.compare(X, "minmax,sigma:k=1").figure()
    assert type(figure).__module__.startswith("plotly.")
    drawn = [trace for trace in figure.data if trace.type == "bar" or trace.y is not None]
    assert drawn and figure.layout.xaxis is not None


def test_figure_of_more_than_one_tile():
    x = np.random.default_rng(0).standard_normal((4, 2**19), dtype=np.float32)
    made = qviz.compare(x, "minmax", granularity="per_channel:0")
    assert made.record.seen is None
    assert made.figure().data


def test_observe():
    assert qviz.observe(X, "minmax").lo.tolist() == [-1]
    with pytest.raises(QvizError, match="no finite element"):
        qviz.observe([np.nan], "minmax")


def test_quantizer_from_a_range():
    made = qviz.quantizer(-1, 1, bits=4, signed=True, symmetric=True)
    assert made.ends == (-8, 7) and made.step == pytest.approx(1 / 7)
    assert qviz.quantizer(-1, 1, mode="power_of_two").step.tolist() == [2.0**-6]  # of 2/255
    assert qviz.quantizer([-1, -2], [1, 2]).step.shape == (2,)


def test_quantizer_from_qparams():
    made = qviz.quantizer(scale=0.5, zero_point=3, quant_min=0, quant_max=7)
    rows = np.array([[-9, -1.25, 0, 0.25, 9]])
    assert made.quantize(rows).tolist() == [[0, 1, 3, 3, 7]]  # half to even: -2.5, 0.5


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "Give lo and hi"),
        ({"lo": 1}, "Give lo and hi"),
        ({"lo": 0, "hi": 1, "scale": 1}, "Give lo and hi"),
        ({"lo": 2, "hi": 1}, "2 to 1 is no range"),
        ({"lo": 0, "hi": np.inf}, "is no range"),
        ({"scale": 0}, "is no step size"),
        ({"scale": 1, "zero_point": 300}, "Zero point 300"),
        ({"lo": 0, "hi": 1, "mode": "affin"}, "No mode is called"),
        ({"lo": 0, "hi": 1, "bits": 1, "symmetric": True, "signed": True}, "no code above 0"),
    ],
)
def test_quantizer_refuses(given, says):
    with pytest.raises(QvizError, match=says):
        qviz.quantizer(**given)


def test_spec_of_observe():
    spec = QuantSpec(4, signed=True)
    assert qviz.observe(X, "minmax", spec).hi.tolist() == [1]
