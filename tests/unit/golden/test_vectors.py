"""Folders of vectors: arrays in place, and sentences for what cannot be read."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.golden.vectors import folders, load
from tests.unit.golden.demo import array, case, write


def test_arrays_are_put_in_place(tmp_path):
    found = load(write(tmp_path, case(0, params={"deep": [array("float32", 2, 1, 2), 7]})))
    assert found.name == "demo"
    (only,) = found.cases
    assert only["inputs"]["x"].tolist() == [1, 2, 3]
    assert only["expected"]["y"].dtype == np.float32
    assert only["params"]["deep"][0].tolist() == [[3, 2]]
    assert only["params"]["deep"][1] == 7


def test_a_single_value_has_no_axis(tmp_path):
    found = load(write(tmp_path, case(0, x=array("float32", 6))))
    assert found.cases[0]["inputs"]["x"].shape == ()
    assert found.cases[0]["inputs"]["x"] == 0.5


def test_shared_inputs(tmp_path):
    found = load(write(tmp_path, case(0), data={"x": array("float32", 0, 2)}))
    assert found.data["x"].tolist() == [1, 2]


def test_another_schema_is_refused(tmp_path):
    with pytest.raises(QvizError, match="schema 'qviz-goldens/1'"):
        load(write(tmp_path, case(0), schema="qviz-goldens/1"))


def damaged(folder, name, content):
    write(folder, case(0))
    (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("manifest.json", b"{"),
        ("manifest.json", b"[]"),
        ("manifest.json", b"\xff\xfe"),
        ("manifest.json", b'{"schema": "qviz-goldens/2", "set": "demo", "cases": [{"id": 1}]}'),
        ("arrays.npz", b""),
        ("arrays.npz", b"PK\x03\x04 cut off"),
        ("arrays.npz", b"no archive at all"),
    ],
)
def test_what_is_damaged_is_refused(tmp_path, name, content):
    with pytest.raises(QvizError, match="holds no vectors that can be read"):
        load(damaged(tmp_path / "set", name, content))


def test_arrays_that_reach_too_far_are_refused(tmp_path):
    with pytest.raises(QvizError, match="can be read"):
        load(write(tmp_path, case(0, x=array("float32", 5, 9))))
    with pytest.raises(QvizError, match="can be read"):
        load(write(tmp_path, case(0, x=array("int8", 0, 1))))


def test_folders_below(tmp_path):
    for name in ("b", "a"):
        write(tmp_path / name, case(0))
    assert [folder.name for folder in folders(tmp_path)] == ["a", "b"]
    assert list(folders(tmp_path / "a")) == [tmp_path / "a"]


def test_a_folder_without_vectors_is_refused(tmp_path):
    with pytest.raises(QvizError, match="holds no vectors"):
        list(folders(tmp_path / "missing"))
