"""Words of the command line as tensors."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from qviz.cli import inputs
from qviz.cli.inputs import opened
from qviz.errors import QvizError, RefusedFile, UnknownName


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("two.npz", **{"a": np.arange(4.0), "b::c": np.arange(6.0)})
    np.savez("odd::name", d=np.arange(2.0))
    (tmp_path / "odd::name.npz").rename(tmp_path / "odd::name")
    return tmp_path


@pytest.mark.parametrize(
    ("word", "names", "size"),
    [
        ("two.npz", ("a", "b::c"), 4),
        ("two.npz::a", ("a",), 4),
        ("two.npz::b::c", ("b::c",), 6),
        ("odd::name", ("d",), 2),
        ("odd::name::d", ("d",), 2),
    ],
)
def test_files(folder, word, names, size):
    source, found = opened(word)
    assert found == names
    assert source[found[0]].size == size


def test_samples_are_made_or_bundled():
    source, names = opened("sample:constant")
    assert names == ("constant",)
    assert np.unique(source["constant"]).size == 1
    assert opened("samples::constant")[1] == names
    assert "constant" in opened("samples")[1]
    assert opened("sample:teaching.npz::relu")[1] == ("relu",)
    assert len(opened("sample:teaching.npz")[1]) == 15


def test_a_file_comes_before_a_sample(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Path("sample:constant").open("wb") as stream:
        np.save(stream, np.arange(3.0))
    source, names = opened("sample:constant")
    assert source[names[0]].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("word", "error", "says"),
    [
        ("none.npz", RefusedFile, "none.npz is not a file"),
        ("none.npz::a", RefusedFile, "none.npz is not a file"),
        ("::a", RefusedFile, "a is not a file"),
        ("", RefusedFile, "is not a file"),
        (".", RefusedFile, "is not a file"),
        ("two.npz::z", UnknownName, "has no tensor 'z'"),
        ("two.npz::", UnknownName, "has no tensor ''"),
        ("sample:none", UnknownName, "No sample is called 'none'"),
        ("samples::none", UnknownName, "has no tensor 'none'"),
        ("x" * 5000, RefusedFile, "cannot be read"),
    ],
)
def test_refusals(folder, word, error, says):
    with pytest.raises(error, match=says):
        opened(word)


def test_a_source_without_tensors_says_why(folder, monkeypatch):
    empty = SimpleNamespace(title="t.npz", names=(), skipped={"w": "Text has no range."})
    monkeypatch.setattr(inputs, "open_file", lambda path: empty)
    with pytest.raises(QvizError, match="holds no tensor to compare"):
        opened("two.npz")
