import sys

import numpy as np
import pytest

from qviz.errors import QvizError, RefusedFile
from qviz.sources import contents
from qviz.sources.arrays import late_torch, magnitude
from qviz.sources.base import open_file
from qviz.sources.contents import Contents
from qviz.sources.file import File
from qviz.sources.found import Found


@pytest.fixture
def gathered(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"content")
    return Contents(File(path, "file"), "L09")


def test_names_that_occur_twice_are_numbered(gathered):
    for value in range(3):
        gathered.add(Found("w", (), "float32", lambda value=value: np.float32(value)))
    gathered.add(Found("w#2", (), "float32", lambda: np.float32(9)))
    source = gathered.source()
    assert source.names == ("w", "w#2", "w#3", "w#2#2")
    assert [float(source[name]) for name in source] == [0, 1, 2, 9]


def test_ten_thousand_equal_names_are_numbered_soon(gathered):
    for _ in range(10_000):
        gathered.add(Found("w", (1,), "float32", lambda: None))
    assert gathered.source().names[-1] == "w#10000"


def test_a_name_that_cannot_be_printed_is_spelled_out(gathered):
    gathered.add(Found("a\udc80b", (1,), "float32", lambda: None))
    (name,) = gathered.source().names
    assert name.encode() == b"a\\udc80b"


def test_a_complex_tensor_becomes_three(gathered):
    z = np.array([3 + 4j, -1j], np.complex64)
    gathered.add(Found("w.weight", (2,), "complex64", lambda: z))
    source = gathered.source()
    assert source.names == ("w.weight.real", "w.weight.imag", "w.weight.abs")
    assert source["w.weight.real"].tolist() == [3, 0]
    assert source["w.weight.imag"].tolist() == [4, -1]
    assert source["w.weight.abs"].tolist() == [5, 1]
    assert {info.dtype for info in source.infos.values()} == {"float32"}
    assert {info.role for info in source.infos.values()} == {"weight"}
    assert source.info("w.weight.abs").about == "abs of complex w.weight"


def test_a_magnitude_beyond_its_type_is_infinite_without_a_warning():
    assert magnitude(np.array([3e38 + 3e38j], np.complex64)).tolist() == [np.inf]


def test_the_last_array_is_kept_and_read_once(gathered):
    reads = []
    for name in "ab":
        gathered.add(
            Found(name, (1,), "float32", lambda name=name: reads.append(name) or np.ones(1))
        )
    source = gathered.source()
    assert source["a"] is source["a"]
    source["b"], source["a"]
    assert reads == ["a", "b", "a"]


def test_arrays_are_read_only(gathered):
    gathered.add(Found("a", (1,), "float64", lambda: np.ones(1)))
    with pytest.raises(ValueError, match="read-only"):
        gathered.source()["a"][0] = 2


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "does not fit in memory"),
        (OSError(5, "Input/output error", "/secret/path"), "Input/output error"),
        (ValueError("mmap length is greater than file size"), "mmap length"),
    ],
)
def test_what_fails_on_reading_is_told(gathered, error, words):
    def fail():
        raise error

    gathered.add(Found("a", (1,), "float64", fail))
    with pytest.raises(RefusedFile, match=words) as caught:
        gathered.source()["a"]
    assert "secret" not in str(caught.value)


def test_a_file_that_changed_since_is_not_read(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.ones(1000))
    source = open_file(path)
    np.save(path, np.ones(10))
    with pytest.raises(RefusedFile, match="changed since"):
        source["a"]
    path.unlink()
    with pytest.raises(RefusedFile, match="No such file") as caught:
        source["a"]
    assert str(tmp_path) not in str(caught.value)


def test_nothing_found_is_a_refusal_with_the_first_reason(gathered):
    with pytest.raises(RefusedFile, match="holds no tensor") as caught:
        gathered.source()
    assert caught.value.code == "L09"
    gathered.skip("a", RefusedFile("what", "why it is", "do", code="L12"))
    gathered.skip("b", RefusedFile("what", "other", "do", code="L07"))
    with pytest.raises(RefusedFile, match="a: why it is") as caught:
        gathered.source()
    assert caught.value.code == "L12"


@pytest.mark.parametrize("version", ["2.5.1", "1.13.0+cpu"])
def test_an_old_torch_is_not_used(monkeypatch, version):
    torch = pytest.importorskip("torch")
    assert late_torch() is torch
    monkeypatch.setattr(torch, "__version__", version)
    with pytest.raises(QvizError, match="too old"):
        late_torch()


def test_a_missing_torch_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(QvizError, match="not installed"):
        late_torch()


def test_impossible_shapes_are_skipped(gathered):
    gathered.add(Found("deep", (1,) * 65, "float32", lambda: None))
    gathered.add(Found("wide", (0, 2**62), "float32", lambda: None))
    gathered.add(Found("edge", (0, contents.MAX_EXTENT), "float32", lambda: None))
    source = gathered.source()
    assert source.names == ("edge",)
    assert list(source.skipped) == ["deep", "wide"]
    assert np.empty((0, contents.MAX_EXTENT), np.complex128).shape == (0, 2**58)


@pytest.mark.parametrize(
    ("dtype", "roles"), [("bool", ("unknown",) * 3), ("int8", ("bias", "weight", "weight"))]
)
def test_truth_values_are_neither_weight_nor_bias(gathered, dtype, roles):
    for name in ("b", "w", "fc.weight"):
        gathered.add(Found(name, (2,), dtype, lambda: np.zeros(2, dtype)))
    gathered.add(Found("m", (2,), dtype, lambda: np.zeros(2, dtype), role="activation"))
    assert tuple(info.role for info in gathered.source().infos.values()) == (*roles, "activation")
