"""L11, L19: an index of shards that lies, is incomplete, or points outside its folder."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from qviz.sources.base import open_file
from tests.security.builders import quick, refused

NAME = "model.safetensors.index.json"


@pytest.fixture
def folder(tmp_path):
    inner = tmp_path / "model"
    inner.mkdir()
    save_file({"w": np.ones(2, np.float32)}, inner / "one.safetensors")
    save_file({"w": np.zeros(2, np.float32)}, tmp_path / "outside.safetensors")
    return inner


def index(folder, content):
    path = folder / NAME
    text = content if isinstance(content, bytes) else json.dumps({"weight_map": content}).encode()
    path.write_bytes(text)
    return path


@pytest.mark.parametrize(
    "shard",
    [
        "../outside.safetensors",
        "/etc/passwd",
        "..\\outside.safetensors",
        "./one.safetensors",
        "a/../one.safetensors",
        "..",
        ".",
        "",
        "one.safetensors\0",
    ],
)
def test_l19_a_shard_outside_the_folder_is_refused(folder, shard):
    with quick():
        refused(index(folder, {"w": shard}), "L19", "not in its folder")


def test_l19_a_link_that_leads_outside_is_refused(folder):
    (folder / "two.safetensors").symlink_to(folder.parent / "outside.safetensors")
    refused(index(folder, {"w": "two.safetensors"}), "L19", "not in its folder")


def test_a_folder_of_links_into_one_store_is_opened(folder, tmp_path):
    """As download caches keep a model: index and shards are links to files of one folder."""
    store, view = tmp_path / "blobs", tmp_path / "view"
    store.mkdir()
    view.mkdir()
    index(folder, {"w": "one.safetensors"}).rename(store / "abc")
    (folder / "one.safetensors").rename(store / "def")
    (view / NAME).symlink_to(store / "abc")
    (view / "one.safetensors").symlink_to(store / "def")
    assert open_file(view / NAME)["w"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b'{"weight_map": {"a": "x", "a": "y"}}', "twice"),
        (b'{"weight_map": {"a": "x"}, "weight_map": {"a": "y"}}', "twice"),
        (b'{"weight_map": ["a"]}', "file's name"),
        (b'{"weight_map": {}}', "file's name"),
        (b'{"weight_map": {"a": 1}}', "file's name"),
        (b'{"weight_map": {"a": "x"}', "no JSON"),
        (b'{"x": ' + b"[" * 200_000 + b', "weight_map"', "deep"),
        (b'{"weight_map": {}, "x": ' + b'{"a":' * 200_000, "deep"),
    ],
)
def test_l11_an_index_that_is_none_is_refused(folder, content, word):
    refused(index(folder, content), "L11", word)


def test_l11_too_large_an_index_and_too_many_shards_are_refused(folder, monkeypatch):
    monkeypatch.setattr("qviz.sources.sharded.SHARDS", 2)
    many = {str(n): f"{n}.safetensors" for n in range(3)}
    refused(index(folder, many), "L11", "names 3 files")
    monkeypatch.setattr("qviz.sources.sharded.LARGEST", 50)
    path = index(folder, {"w": "one.safetensors" + " " * 50})
    refused(path, "L11", "bytes; 50 are allowed")


def test_l11_a_missing_shard_is_named(folder):
    path = index(folder, {"w": "one.safetensors", "v": "two.safetensors"})
    refused(path, "L11", "two.safetensors is missing")


def test_l11_an_uploaded_index_alone_says_what_to_do(folder):
    path = index(folder, {"w": "three.safetensors"}).rename(folder / "upload")
    refused(path, "L11", "Open it by its path", shown=NAME)


@pytest.mark.parametrize("content", [b"", b"not a shard", b"\x93NUMPY"])
def test_l11_a_shard_that_is_none_is_refused(folder, content):
    (folder / "two.safetensors").write_bytes(content)
    refused(index(folder, {"w": "two.safetensors"}), "L11", "two.safetensors")
