import pytest

from qviz.errors import RefusedFile
from qviz.sources.base import open_file


def test_gguf_is_called_by_its_name_whatever_the_file_is_called(tmp_path):
    path = tmp_path / "weights.npy"
    path.write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(16))
    with pytest.raises(RefusedFile, match=r"weights\.npy is a GGUF file") as caught:
        open_file(path)
    assert caught.value.code == "L16" and "safetensors" in caught.value.do


def test_it_is_no_format_that_is_offered(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"\x00")
    with pytest.raises(RefusedFile) as caught:
        open_file(path)
    assert "gguf" not in caught.value.do
