import os

import numpy as np
import pytest

from qviz.errors import RefusedFile, UnknownName
from qviz.sources.base import LOADERS, TensorInfo, guess_role, open_file
from qviz.sources.file import File


def test_the_size_is_the_product_of_the_shape():
    assert TensorInfo("a", (2, 3, 4), "float32", "").size == 24
    assert TensorInfo("a", (), "float32", "").size == 1
    assert TensorInfo("a", (3, 0), "float32", "").size == 0


@pytest.mark.parametrize(
    ("name", "shape", "role"),
    [
        ("encoder.layer.0.attention.query.weight", (8, 8), "weight"),
        ("norm.weight", (8,), "weight"),
        ("dense/kernel", (8, 8), "weight"),
        ("fc.bias", (8,), "bias"),
        ("relative_attention_bias.weight", (8, 8), "weight"),
        ("norm.beta", (8,), "bias"),
        ("norm.gamma", (8,), "weight"),
        ("bn.running_mean", (8,), "unknown"),
        ("conv1", (8, 8), "unknown"),
    ],
)
def test_roles_follow_the_last_word_of_the_name(name, shape, role):
    assert guess_role(name, shape) == role


def test_formats_are_told_by_content_not_by_extension(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3.0))
    path = (tmp_path / "a.npy").rename(tmp_path / "a.safetensors")
    source = open_file(path, shown="layer.weight.txt")
    assert source.title == "layer.weight.txt"
    assert source["layer.weight"].tolist() == [0, 1, 2]
    assert source.info("layer.weight").role == "weight"


def test_every_format_is_registered():
    assert set(LOADERS) >= {"npy", "npz", "safetensors", "torch"}


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "0 bytes"), (b"hello, world", "no format"), (b"x", ".safetensors")],
)
def test_what_is_no_tensor_file_is_refused(tmp_path, content, words):
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with pytest.raises(RefusedFile, match=words):
        open_file(path)


def test_missing_files_and_folders_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none.npy", "a\0b"):
        with pytest.raises(RefusedFile, match="is not a file"):
            open_file(path)


def test_an_unreadable_file_is_refused_without_its_path(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.ones(3))

    def forbidden(*_):
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(type(tmp_path), "open", forbidden)
    with pytest.raises(RefusedFile, match="Permission denied") as caught:
        open_file(tmp_path / "a.npy")
    assert str(tmp_path) not in str(caught.value)


def test_unknown_names_list_the_tensors_and_the_reason_of_a_skip(tmp_path):
    np.savez(tmp_path / "a.npz", good=np.ones(3), words=np.array(["a"]))
    source = open_file(tmp_path / "a.npz")
    with pytest.raises(UnknownName, match="good"):
        source["other"]
    with pytest.raises(UnknownName, match="Text has no range"):
        source["words"]


def test_a_source_is_a_mapping_that_compares_by_identity(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.ones(3), y=np.zeros(2))
    source, again = open_file(tmp_path / "a.npz"), open_file(tmp_path / "a.npz")
    assert list(source) == ["x", "y"] and len(source) == 2 and "x" in source
    assert source == source and source != again
    assert len({source, again}) == 2


def test_fingerprints_differ_by_content_name_and_type(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.ones(3), y=np.ones(3))
    marks = {info.fingerprint for info in open_file(tmp_path / "a.npz").infos.values()}
    np.save(tmp_path / "a.npy", np.ones((3, 2)))
    marks.add(open_file(tmp_path / "a.npy").info("a").fingerprint)
    (tmp_path / "other").mkdir()
    np.save(tmp_path / "other" / "a.npy", np.ones((3, 2)).T)
    marks.add(open_file(tmp_path / "other" / "a.npy").info("a").fingerprint)
    assert len(marks) == 4


def test_a_rewritten_file_has_another_fingerprint(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.zeros(3))
    before = open_file(path).info("a").fingerprint
    assert open_file(path).info("a").fingerprint == before
    stat = path.stat()
    np.save(path, np.ones(3))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert open_file(path).info("a").fingerprint != before


def test_a_link_stands_for_the_file_it_leads_to(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(3))
    (tmp_path / "b.npy").symlink_to(tmp_path / "a.npy")
    assert File(tmp_path / "a.npy", "a").fingerprint == File(tmp_path / "b.npy", "b").fingerprint
