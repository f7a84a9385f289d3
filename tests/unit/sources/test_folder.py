import json
from pathlib import Path

import numpy as np
import pytest

from qviz.errors import QvizError, RefusedFile
from qviz.sources.folder import bundled, open_bundled

SHIPPED = Path(__file__).parents[3] / "sample_data"


@pytest.fixture
def folder(tmp_path):
    np.savez(tmp_path / "acts.npz", relu=np.ones((4, 2)), logits=np.zeros((4, 3)))
    return tmp_path


def write(folder, *entries):
    (folder / "index.json").write_text(json.dumps({"files": entries}))


def test_roles_batch_axes_and_words_come_from_the_index(folder):
    relu = {"role": "activation", "batch_axis": 0, "about": "After a ReLU."}
    write(folder, {"file": "acts.npz", "licence": "own", "tensors": {"relu": relu}})
    assert bundled(folder) == {"acts.npz": folder / "acts.npz"}
    (source,) = open_bundled(folder).values()
    info, other = source.info("relu"), source.info("logits")
    assert (info.role, info.batch_axis, info.about) == ("activation", 0, "After a ReLU.")
    assert (other.role, other.batch_axis, other.about) == ("unknown", None, "")
    assert source["relu"].tolist() == [[1, 1]] * 4


def test_formats_that_need_torch_are_listed_but_not_opened(folder):
    write(folder, {"file": "model.pt"}, {"file": "acts.npz"})
    assert list(bundled(folder)) == ["model.pt", "acts.npz"]
    assert list(open_bundled(folder)) == ["acts.npz"]


def test_a_folder_without_an_index_has_nothing(tmp_path):
    assert bundled(tmp_path) == open_bundled(tmp_path) == {}


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"files": [1]}', '{"files": [{}]}'])
def test_an_index_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "index.json").write_text(text)
    with pytest.raises(QvizError, match=r"index\.json"):
        bundled(tmp_path)


def test_an_unknown_role_and_a_missing_file_are_refused(folder):
    write(folder, {"file": "acts.npz", "tensors": {"relu": {"role": "hero"}}})
    with pytest.raises(QvizError, match="'hero' is no role"):
        open_bundled(folder)
    write(folder, {"file": "gone.npz"})
    with pytest.raises(RefusedFile, match="not a file"):
        open_bundled(folder)


def test_the_files_of_the_project_open_with_their_notes():
    sources = open_bundled(SHIPPED)
    assert "teaching.npz" in sources
    assert sources["digits_acts.npz"].info("relu").batch_axis == 0
    assert sources["digits_cnn.safetensors"].info("conv1.weight").role == "weight"
    for source in sources.values():
        assert source.skipped == {}
        for name, info in source.infos.items():
            assert source[name].shape == info.shape
