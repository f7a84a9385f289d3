"""L06, L07: tensors that claim more than is stored, and kinds that are no plain arrays."""

import resource

import pytest
import torch

from qviz.sources.base import open_file
from tests.security.builders import checkpoint, quick, refused, repacked

ODD = {
    "sparse_coo": lambda: torch.sparse_coo_tensor([[0]], [1.0], (2**34,)),
    "sparse_csr": lambda: torch.eye(3).to_sparse_csr(),
    "meta": lambda: torch.ones(2, device="meta"),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
}


@pytest.mark.parametrize("power", [36, 40, 60])
def test_l06_an_expanded_tensor_over_the_cap_is_refused(tmp_path, power):
    path = checkpoint(tmp_path / "wide.pt", {"w": torch.ones(1).expand(2**power)})
    assert path.stat().st_size < 2000
    refused(path, "L06", "broadcast view")


def test_l06_a_broadcast_view_shows_the_elements_that_are_stored(tmp_path):
    row = torch.tensor([1.0, 2.0, 3.0])
    path = checkpoint(tmp_path / "rows.pt", {"w": row.expand(1_000_000_000, 3), "b": row})
    with quick():
        source = open_file(path)
        assert source["w"].tolist() == [[1, 2, 3]]
    assert source.info("w").shape == (1, 3)
    assert "broadcast view" in source.info("w").about
    assert "1000000000" in source.info("w").about
    assert source.info("b").about == ""


def test_l06_overlapping_windows_are_skipped(tmp_path):
    windows = torch.arange(2048.0).as_strided((1024, 1024), (1, 1))
    source = open_file(checkpoint(tmp_path / "w.pt", {"w": windows, "b": torch.ones(2)}))
    assert source.names == ("b",)
    assert "overlapping" in source.skipped["w"] and "(L06)" in source.skipped["w"]


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
def test_l06_a_shape_beyond_the_storage_is_refused(tmp_path, zipped, suffix):
    path = checkpoint(
        tmp_path / "good.pt", {"w": torch.arange(4.0)}, _use_new_zipfile_serialization=zipped
    )
    bad = tmp_path / f"bad{suffix}"
    shape, claimed = b"K\x00K\x04\x85", b"K\x00J\x00\x00\x00\x40\x85"  # (4,) becomes (2**30,)
    if zipped:
        with torch.serialization._open_zipfile_reader(str(path)) as archive:
            pickled = archive.get_record("data.pkl")
        assert shape in pickled
        repacked(path, bad, data=pickled.replace(shape, claimed))
    else:
        raw = path.read_bytes()
        assert shape in raw
        bad.write_bytes(raw.replace(shape, claimed))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused(bad, "L01", "damaged")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000


@pytest.mark.parametrize("kind", ODD)
def test_l07_odd_kinds_are_skipped_by_name(tmp_path, kind):
    path = checkpoint(tmp_path / "m.pt", lambda: {"odd": ODD[kind](), "w": torch.ones(2)})
    with quick():
        source = open_file(path)
    assert source.names == ("w",)
    assert kind in source.skipped["odd"] and "(L07)" in source.skipped["odd"]


@pytest.mark.parametrize("kind", ODD)
def test_l07_a_checkpoint_of_odd_kinds_only_is_refused(tmp_path, kind):
    refused(checkpoint(tmp_path / "m.pt", lambda: {"odd": ODD[kind]()}), "L07", f"odd: A {kind}")


def test_l07_a_nested_tensor_of_the_new_kind_is_refused(tmp_path):
    ragged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    path = checkpoint(tmp_path / "m.pt", {"odd": ragged})
    refused(path, "L07", "nested")


def test_l07_a_broadcast_quantized_tensor_is_skipped(tmp_path):
    def content():
        codes = torch.quantize_per_tensor(torch.ones(1), 0.1, 0, torch.qint8)
        return {"q": codes.expand(2**20), "w": torch.ones(2)}

    source = open_file(checkpoint(tmp_path / "m.pt", content))
    assert source.names == ("w",)
    assert "broadcast quantized" in source.skipped["q"]
