"""L17 to L21 in the app: nothing kept, no path built from a name, no secrets in errors."""

import errno
import shutil
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.runtime.scriptrunner_utils.exceptions import StopException

from qviz.ui import files, observers
from qviz.ui.library import SAMPLES, _samples
from tests.app.reading import chosen, kept, noise, npy, started, upload, well, words

MARKER = "hunter2-of-the-test"


@pytest.fixture
def at():
    """A session of the app; its folder goes at the end."""
    session = well(started(tensor="teaching::relu"))
    yield session
    if "folder" in session.session_state:
        session.session_state["folder"].cleanup()


@pytest.mark.parametrize(
    "name",
    ["../../escaped.npy", "/etc/escaped.npy", "..", "a\\..\\b.npy", "\u202egnp.npy", "x" * 300],
)
def test_l19_the_name_of_an_upload_is_no_path(at, name):
    upload(at, name, npy(noise(1, 8, 8)))
    (path,) = kept(at)
    assert path.name == "upload"
    assert path.parent.parent == Path(at.session_state["folder"].name)
    assert not list(Path(at.session_state["folder"].name).parent.glob("escaped*"))
    assert chosen(at) == Path(name).name or name == ".."


def test_an_upload_that_cannot_be_kept_is_told_and_leaves_nothing(at, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "/secret/folder")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    upload(at, "mine.npy", npy(noise(1, 8, 8)))
    (box,) = at.error
    assert "No space left on device" in words(box.value) and "/secret" not in box.value
    assert chosen(at) == "teaching::relu" and kept(at) == []
    assert list(Path(at.session_state["folder"].name).iterdir()) == []


def test_an_upload_goes_even_where_a_loader_fails_unforeseen(at, monkeypatch):
    def broken(*_):
        raise ArithmeticError(MARKER)

    monkeypatch.setattr(files, "open_file", broken)
    at.file_uploader[0].upload("mine.npy", npy(noise(1, 8, 8)))
    at.run()
    assert list(Path(at.session_state["folder"].name).iterdir()) == []
    assert MARKER not in str([error.proto for error in at.exception])


def test_l20_an_unforeseen_error_tells_nothing_of_the_inside(at, monkeypatch):
    def broken():
        secret = MARKER
        raise RuntimeError(secret)

    monkeypatch.setattr("qviz.ui.frame.items", broken)
    at.run()
    (error,) = at.exception
    told = str(error.proto)
    for word in (MARKER, "Traceback", "RuntimeError", "frame.py", str(Path(files.__file__).parent)):
        assert word not in told


def test_l21_an_outdated_run_is_dropped_while_it_reads(at, monkeypatch):
    calls = []

    class Bar:
        def progress(self, share, *_):
            calls.append(share)
            raise StopException  # as Streamlit does in a run whose controls have moved

        def empty(self):
            raise AssertionError("the run went on")

    x = np.zeros(observers.SLOW + 2**20, np.float32)
    x[: 2**16] = noise(1, 2**16)
    monkeypatch.setattr(st, "progress", lambda *_: Bar())
    upload(at, "large.npy", npy(x))
    assert len(calls) == 1 and calls[0] < 0.5  # told while most was still to read
    assert not at.get("plotly_chart")
    monkeypatch.undo()
    at = well(at.run())
    assert chosen(at) == "large.npy" and at.get("plotly_chart")


def test_paths_are_closed_where_the_server_listens_to_others(at, monkeypatch):
    assert len(at.text_input(key="path").label) > 0
    monkeypatch.setattr(files, "LOOPBACK", ())
    at.run()
    assert not [box for box in at.text_input if box.key == "path"]


def test_the_samples_open_by_path_from_anywhere(at, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = SAMPLES / "digits_acts.npz"
    at = well(at.text_input(key="path").set_value(str(path)).run())
    assert not at.error and chosen(at).startswith("digits_acts.npz::")
    outside = SAMPLES.parent / "pyproject.toml"
    at = well(at.text_input(key="path").set_value(str(outside)).run())
    (box,) = at.error
    assert "outside the folders" in box.value and "pyproject" not in box.value


def test_no_sample_is_private_and_every_upload_is(at):
    assert not any(item.private for item in _samples().values())
    upload(at, "mine.npy", npy(noise(1, 8, 8)))
    assert at.query_params == {}
