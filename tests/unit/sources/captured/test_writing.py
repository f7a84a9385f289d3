"""What is written opens again; what would not is not written."""

import zipfile
from dataclasses import replace

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.sources.base import open_file
from qviz.sources.captured import writing
from qviz.sources.captured.source import Captured
from qviz.sources.captured.writing import fitting
from qviz.sources.npz import ENTRIES
from tests.unit.sources.captured.test_loader import entry, saved

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def weight(name):
    made = entry(name, [X])
    return replace(made, info=replace(made.info, role="weight", splits=()))


def test_values_that_do_not_fit_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "KEPT", 3)
    entries = [entry("a", [X]), entry("b", [X]), entry("c", [X], values=False)]
    path = saved(tmp_path / "a.npz", *entries, weight("w"), weight("v"))
    found = open_file(path)
    assert isinstance(found, Captured)
    assert [name for name in found.names if found.has_values(name)] == ["a", "w", "v"]
    assert found.statistics("b") is not None


def test_no_more_values_than_an_archive_may_list_members():
    assert fitting(9_989, values=True) and not fitting(9_990, values=False)
    assert 9_989 + len(writing.NUMBERS) + 1 == ENTRIES
    with pytest.raises(QvizError, match=r"9990 tensors are not kept.*9989 at most.*--only"):
        fitting(9_990, values=True)
    with pytest.raises(QvizError, match=r"30001 tensors are no capture.*30000 at most"):
        fitting(30_001, values=False)


def test_a_source_asked_for_too_many_values_refuses_at_once(tmp_path, monkeypatch):
    found = open_file(saved(tmp_path / "a.npz", entry("a", [X]), entry("b", [X], values=False)))
    monkeypatch.setattr(writing, "KEPT", 1)
    assert isinstance(found, Captured)
    with pytest.raises(QvizError, match="not kept"):
        found.replaying(lambda _: pytest.fail("it ran")).save(tmp_path / "b.npz", values=True)
    assert not (tmp_path / "b.npz").exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [("\ud800", "No file can hold what it says of tensor 0"), ("n" * 4_000, "Its names take")],
)
def test_names_that_no_file_can_hold(name, words, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "LARGEST", 4_000)
    with pytest.raises(QvizError, match=words):
        saved(tmp_path / "a.npz", entry(name, [X]))
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_deflated(tmp_path):
    with zipfile.ZipFile(saved(tmp_path / "a.npz", entry("a", [X]))) as archive:
        assert {m.compress_type for m in archive.infolist()} == {zipfile.ZIP_STORED}
