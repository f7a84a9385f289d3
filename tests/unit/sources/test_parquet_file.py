import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from qviz.errors import RefusedFile
from qviz.sources.base import open_file
from qviz.sources.parquet_file import RATIO

KINDS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_numeric_type_comes_back(tmp_path, kind):
    array = np.array([0, 1, 100, 7]).astype(kind)
    pd.DataFrame({"w": array}).to_parquet(tmp_path / "t.parquet")
    source = open_file(tmp_path / "t.parquet")
    assert source.names == ("w",)
    assert source["w"].dtype == array.dtype and source.info("w").dtype == array.dtype.name
    assert source["w"].tolist() == array.tolist()


def test_columns_of_one_type_are_a_matrix_too(tmp_path):
    x = np.random.default_rng(0).normal(size=(9, 3)).astype(np.float32)
    pd.DataFrame(x, columns=["a", "b", "c"]).to_parquet(tmp_path / "t.parquet")
    source = open_file(tmp_path / "t.parquet")
    assert source.names == ("t", "a", "b", "c")
    assert np.array_equal(source["t"], x) and np.array_equal(source["b"], x[:, 1])
    assert source["t"].dtype == np.float32
    assert {info.role for info in source.infos.values()} == {"unknown"}


def test_other_columns_are_skipped_by_name(tmp_path):
    frame = {"n": [1, 2, 3], "t": ["x", "y", "z"], "holes": [1.0, None, None]}
    frame["when"] = pd.to_datetime(["2020-01-01"] * 3)
    pd.DataFrame(frame).to_parquet(tmp_path / "t.parquet")
    source = open_file(tmp_path / "t.parquet")
    assert source.names == ("n",)
    assert "which is no number. (L10)" in source.skipped["t"]
    assert "timestamp" in source.skipped["when"]
    assert source.skipped["holes"].startswith("It has 2 empty places")


@pytest.fixture
def large(monkeypatch):
    """Even a small table counts as a large one, whose columns are not looked through."""
    monkeypatch.setattr("qviz.sources.parquet_file.SMALL", 0)
    monkeypatch.setattr("qviz.sources.parquet_file.RATIO", 10**6)


def test_empty_places_of_a_large_table_are_told_on_reading(tmp_path, large):
    pq.write_table(pa.table({"a": [1.0, None], "b": [1.0, 2.0]}), tmp_path / "t.parquet")
    source = open_file(tmp_path / "t.parquet")
    assert source["b"].tolist() == [1, 2]
    with pytest.raises(RefusedFile, match="1 empty place"):
        source["a"]


def test_a_column_of_a_large_table_is_read_alone(tmp_path, large, monkeypatch):
    pd.DataFrame({"a": [1.5], "b": [2]}).to_parquet(tmp_path / "t.parquet")
    read = []
    real = pq.ParquetFile.read
    monkeypatch.setattr(
        pq.ParquetFile, "read", lambda self, **how: read.append(how["columns"]) or real(self, **how)
    )
    source = open_file(tmp_path / "t.parquet")
    assert read == []
    assert source["b"].tolist() == [2] and read == [["b"]]


def test_several_row_groups_and_empty_tables(tmp_path):
    pq.write_table(pa.table({"a": np.arange(10)}), tmp_path / "t.parquet", row_group_size=3)
    assert open_file(tmp_path / "t.parquet")["a"].tolist() == list(range(10))
    pq.write_table(pa.table({"a": np.empty(0)}), tmp_path / "e.parquet")
    assert open_file(tmp_path / "e.parquet")["a"].shape == (0,)


def test_a_table_of_text_only_is_refused(tmp_path):
    pd.DataFrame({"t": ["x"]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(RefusedFile) as caught:
        open_file(tmp_path / "t.parquet")
    assert caught.value.code == "L10"


def test_names_that_occur_twice_are_skipped(tmp_path):
    made = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["a", "a", "b"])
    pq.write_table(made, tmp_path / "t.parquet")
    source = open_file(tmp_path / "t.parquet")
    assert source.names == ("b",) and "Several columns" in source.skipped["a"]


@pytest.mark.parametrize("cut", [8, 100, 300])
def test_a_damaged_file_is_refused(tmp_path, cut):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.arange(100)}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(RefusedFile, match="footer") as caught:
        open_file(path)
    assert caught.value.code == "L23" and str(tmp_path) not in str(caught.value)


def test_a_column_that_unpacks_to_too_much_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": np.zeros(2**24)}), path)  # 128 MiB of one value
    assert path.stat().st_size * RATIO < 2**27
    with pytest.raises(RefusedFile, match="200 times") as caught:
        open_file(path)
    assert caught.value.code == "L23"
