"""Paths that may be opened, and what a file's tensors are called."""

from types import SimpleNamespace

import pytest
import streamlit as st

from qviz.errors import QvizError
from qviz.sources.base import TensorInfo
from qviz.ui.files import (
    SAMPLES,
    allowed_path,
    first_choice,
    path_folders,
    paths_allowed,
    take_path,
    tensor_id,
    unquoted,
)

OUTSIDE, MISSING = "outside the folders", "There is no file"


@pytest.fixture
def folder(tmp_path):
    """An open folder with a file, beside a file that is not to be opened."""
    made = tmp_path / "open"
    (made / "inner").mkdir(parents=True)
    (made / "x.npy").write_bytes(b"x")
    (made / "inner" / "y.npy").write_bytes(b"y")
    (tmp_path / "secret.npy").write_bytes(b"s")
    (tmp_path / "open-too").mkdir()
    (tmp_path / "open-too" / "z.npy").write_bytes(b"z")
    return made


def test_files_inside(folder):
    assert allowed_path(str(folder / "x.npy"), (folder,)) == folder / "x.npy"
    inner = folder / "inner" / "y.npy"
    assert allowed_path(str(inner), (folder.parent / "none", folder)) == inner
    assert allowed_path(str(folder / "inner" / ".." / "x.npy"), (folder,)) == folder / "x.npy"


def test_links_are_followed_first(folder):
    (folder / "out.npy").symlink_to(folder.parent / "secret.npy")
    (folder / "in.npy").symlink_to(folder / "x.npy")
    (folder / "away").symlink_to(folder.parent)
    for text in ("out.npy", "away/secret.npy"):
        with pytest.raises(QvizError, match=OUTSIDE):
            allowed_path(str(folder / text), (folder,))
    assert allowed_path(str(folder / "in.npy"), (folder,)) == folder / "x.npy"


def test_an_open_folder_may_be_a_link(folder):
    link = folder.parent / "link"
    link.symlink_to(folder)
    assert allowed_path(str(link / "x.npy"), (link,)) == folder / "x.npy"


@pytest.mark.parametrize(
    "text", ["../secret.npy", "inner/../../secret.npy", "../open-too/z.npy", "../none.npy"]
)
def test_files_outside_are_refused_whether_they_exist_or_not(folder, text):
    with pytest.raises(QvizError, match=OUTSIDE) as caught:
        allowed_path(str(folder / text), (folder,))
    assert caught.value.code == "L19"
    assert str(folder.parent) not in str(caught.value)
    assert "QVIZ_FOLDERS" in caught.value.do


@pytest.mark.parametrize("text", ["none.npy", "inner", ".", "x.npy/y", "a\x00b", "n" * 5_000])
def test_what_is_no_file_is_said_so(folder, text):
    with pytest.raises(QvizError, match=MISSING) as caught:
        allowed_path(f"{folder}/{text}", (folder,))
    assert caught.value.code == "L00"


@pytest.mark.parametrize(
    ("text", "path"),
    [("'/a b/x.npy'", "/a b/x.npy"), ('"/a/x.npy"', "/a/x.npy"), ("/a/x.npy", "/a/x.npy"),
     ("'/a/x.npy", "'/a/x.npy"), ('"', '"'), ("it's", "it's")],
)  # fmt: skip
def test_quotes_around_a_path_are_taken_off(text, path):
    assert unquoted(text) == path


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_quoted_path_is_opened(monkeypatch, quote):
    path = f" {quote}{SAMPLES / 'codes_int8.npy'}{quote} "
    monkeypatch.setattr(st, "get_option", {"server.address": "127.0.0.1"}.__getitem__)
    monkeypatch.setattr(st, "session_state", {"path": path})
    take_path()
    assert list(st.session_state["opened"]) == ["codes_int8.npy"]


def test_links_in_a_ring_and_unknown_homes(folder):
    (folder / "a").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a")
    for text in (str(folder / "a"), "~surely-nobody/x.npy"):
        with pytest.raises(QvizError, match=MISSING):
            allowed_path(text, (folder,))


def test_a_device_is_no_file(folder):
    with pytest.raises(QvizError):
        allowed_path("/dev/zero", (folder,))


def test_the_environment_opens_more_folders(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("QVIZ_FOLDERS", f"{folder.parent / 'open-too'}::")
    assert path_folders() == (folder, SAMPLES, folder.parent / "open-too")
    assert allowed_path("x.npy") == folder / "x.npy"
    assert allowed_path(str(folder.parent / "open-too" / "z.npy")).name == "z.npy"


def test_the_samples_are_open_wherever_the_app_was_started(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("QVIZ_FOLDERS", raising=False)
    assert allowed_path(str(SAMPLES / "teaching.npz")) == SAMPLES / "teaching.npz"
    for outside in (SAMPLES / ".." / "pyproject.toml", SAMPLES.parent / "app.py", "/etc/passwd"):
        with pytest.raises(QvizError, match=OUTSIDE):
            allowed_path(str(outside))


@pytest.mark.parametrize(
    ("address", "allowed"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.2", False), ("", False), (None, False)],
)  # fmt: skip
def test_paths_are_open_to_this_machine_alone(monkeypatch, address, allowed):
    monkeypatch.setattr(st, "get_option", {"server.address": address}.__getitem__)
    monkeypatch.setattr(st, "session_state", {"path": str(SAMPLES / "codes_int8.npy")})
    assert paths_allowed() == allowed
    take_path()
    assert ("opened" in st.session_state) == allowed


def source(**shapes):
    infos = {
        name: TensorInfo(name, shape, "float32", name, "weight" if "weight" in name else "unknown")
        for name, shape in shapes.items()
    }
    return SimpleNamespace(infos=infos)


@pytest.mark.parametrize(
    ("shapes", "first"),
    [
        ({}, "f"),
        ({"a": (4,)}, "f"),
        ({"a": (4,), "b": (5,)}, "f::b"),
        ({"bias": (900,), "a_weight": (3, 3), "b_weight": (4, 4)}, "f::b_weight"),
        ({"a_weight": (3, 3), "image": (64, 64)}, "f::a_weight"),
        ({"a_weight": (9,), "image": (2, 2)}, "f::image"),
    ],
)
def test_the_tensor_shown_first(shapes, first):
    assert first_choice("f", source(**shapes)) == first


def test_a_tensor_of_a_file_with_one_goes_by_the_file_alone():
    assert tensor_id("f.npz", "w", 1) == "f.npz"
    assert tensor_id("f.npz", "w", 2) == "f.npz::w"
