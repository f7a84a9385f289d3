"""Files a person brings: uploads into the session's own folder, and paths inside open folders."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import streamlit as st

from qviz.errors import QvizError
from qviz.sources.base import UNREAD, TensorInfo, TensorSource
from qviz.sources.contents import FileSource
from qviz.sources.pasted import pasted
from qviz.ui.graphs import open_file

SAMPLES = Path(__file__).parents[2] / "sample_data"
PASTED = "pasted numbers"  # how they are listed
OUTSIDE = "L19"  # code of a path that may not be opened here
LOOPBACK = ("127.0.0.1", "localhost", "::1")
FOLDERS = "QVIZ_FOLDERS"  # more folders whose files may be opened by path, separated as in PATH


@dataclass(frozen=True, eq=False)
class Opened:
    """A file that was opened in this session. ``shown`` is its name on screen.

    ``path`` is where it lies, None for what was made in the session.
    """

    shown: str
    source: TensorSource
    path: Path | None = None


def opened() -> dict[str, Opened]:
    """Files of this session by the name they are listed under, newest first."""
    return st.session_state.setdefault("opened", {})


def take_upload(key: str = "upload") -> None:
    """Callback of the uploader ``key``: keep the file, or say why not and keep nothing."""
    upload = st.session_state.get(key)
    if upload is None:
        return
    folder = new_folder()
    path, taken = folder / "upload", False  # the upload's own name is for people alone
    try:
        with path.open("wb") as out:
            shutil.copyfileobj(upload, out, 2**20)
        taken = _open(path, Path(upload.name).name)
    except OSError as error:
        why = f"{error.strerror}."
        st.session_state["refused"] = QvizError(
            "The upload cannot be kept on this machine.",
            why,
            "Make room, or open it by path.",
            code=UNREAD,
        )
    finally:
        if not taken:
            shutil.rmtree(folder)


def take_path(key: str = "path") -> None:
    """Callback of the path box ``key``."""
    text = unquoted(st.session_state.get(key, "").strip())
    if text and paths_allowed():
        try:
            path = allowed_path(text)
        except QvizError as error:
            st.session_state["refused"] = error
        else:
            _open(path, path.name)


def take_pasted() -> None:
    """Callback of the box for numbers: keep them as a file of the session, or say what is wrong."""
    text, st.session_state["pasted_about"] = st.session_state.get("pasted", ""), ""
    if not text.strip():
        return
    try:
        made = pasted(text)
    except QvizError as error:
        st.session_state["refused"] = error
        return
    st.session_state["pasted_about"] = made.about
    path = new_folder() / "upload"
    with path.open("wb") as out:
        np.save(out, made.array)
    _open(path, PASTED, made.about)


def unquoted(text: str) -> str:
    """A path without the quotes that file managers copy it in."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if quoted else text


def allowed_path(text: str, folders: tuple[Path, ...] | None = None) -> Path:
    """The real path of ``text`` if it lies in an open folder, links resolved.

    Raises
    ------
    QvizError
        L19: it lies elsewhere; L00: it is no file.
    """
    open_folders = path_folders() if folders is None else folders
    missing = QvizError("There is no file at that path.", "", "Check the spelling.", code=UNREAD)
    try:
        path = Path(text).expanduser().resolve()
        there = path.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # too long, links in a ring, a NUL
        raise missing from error
    if not any(path.is_relative_to(folder.resolve()) for folder in open_folders):
        raise QvizError(
            "That path lies outside the folders that may be opened here.",
            f"Open: {', '.join(folder.name or str(folder) for folder in open_folders)}.",
            f"Upload the file, or start the app with {FOLDERS} set to its folder.",
            code=OUTSIDE,
        )
    if not there:
        raise missing
    return path


def paths_allowed() -> bool:
    """Whether files may be opened by path: only while the server listens on loopback."""
    return st.get_option("server.address") in LOOPBACK


def path_folders() -> tuple[Path, ...]:
    """Folders whose files may be opened by path: this one, the samples, and what is configured."""
    more = [Path(part) for part in os.environ.get(FOLDERS, "").split(os.pathsep) if part]
    return (Path.cwd(), SAMPLES, *more)


def new_folder() -> Path:
    """An empty folder inside the session's own, which goes when the session's state is dropped."""
    if "folder" not in st.session_state:
        st.session_state["folder"] = tempfile.TemporaryDirectory(prefix="qviz-")
    return Path(tempfile.mkdtemp(dir=st.session_state["folder"].name))


def _open(path: Path, shown: str, about: str = "") -> bool:
    try:
        source = open_file(path, shown)
    except QvizError as error:
        st.session_state["refused"] = error
        return False
    keep(shown, _told(source, about), path)
    return True


def _told(source: TensorSource, about: str) -> TensorSource:
    """The source with such words about its tensors, if any."""
    if not (about and isinstance(source, FileSource)):
        return source
    return replace(source, infos={n: replace(i, about=about) for n, i in source.infos.items()})


def keep(shown: str, source: TensorSource, path: Path | None = None) -> None:
    """List a source of this session, and choose a tensor of it, if it has any."""
    st.session_state.pop("refused", None)
    name = listed(shown, source, path)
    if source.infos:
        st.session_state["tensor"] = first_choice(name, source)


def listed(shown: str, source: TensorSource, path: Path | None = None) -> str:
    """List a source of this session under a name of its own; gives that name."""
    files = opened()
    name, count = shown, 1
    while name in files:
        count += 1
        name = f"{shown} ({count})"
    st.session_state["opened"] = {name: Opened(name, source, path), **files}
    return name


def first_choice(shown: str, source: TensorSource) -> str:
    """The tensor to show first: the largest weight, else the largest; values before codes."""
    infos = list(source.infos.values())
    if not infos:
        return shown
    best = max(infos, key=lambda i: (len(i.shape) > 1, i.role == "weight", _real(i), i.size))
    return tensor_id(shown, best.name, len(infos))


def _real(info: TensorInfo) -> bool:
    return info.dtype.startswith(("float", "bfloat"))


def tensor_id(shown: str, name: str, count: int) -> str:
    """How a tensor is listed: ``file`` alone, or ``file::tensor`` where there are several."""
    return shown if count == 1 else f"{shown}::{name}"
