"""Labels of samples: what is plainly meant is taken, everything else is told."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.models.labels import labels_of
from qviz.sources.base import open_file

LABELS = np.array([2, 0, 1, 1, 2, 0])
FIT = "do not fit 6 samples"


def read(folder, samples=(6,), taken=("x",), **arrays):
    np.savez(folder / "in.npz", x=np.ones((6, 3)), **arrays)
    found = labels_of(open_file(folder / "in.npz"), taken, samples)
    return None if found is None else (found.tolist(), found.dtype.name)


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        LABELS.astype(np.uint8),
        LABELS.astype(np.float64),
        LABELS[:, None],
        np.eye(3)[LABELS],
        np.eye(3, dtype=bool)[LABELS],
    ],
)
def test_what_is_plainly_meant(tmp_path, labels):
    assert read(tmp_path, labels=labels) == (LABELS.tolist(), "int64")


def test_labels_of_batches_along_an_axis_of_their_own(tmp_path):
    for labels in (LABELS, LABELS.reshape(2, 3)):
        assert read(tmp_path, (2, 3), labels=labels) == (LABELS.tolist(), "int64")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (LABELS[:4], f"{FIT}: they are 4"),
        (np.append(LABELS, 1), f"{FIT}: they are 7"),
        (np.array(3), f"{FIT}: they are a single value"),
        (LABELS + 0.5, "no whole numbers, but float64"),
        (np.where(LABELS > 1, np.nan, 0.0), "no whole numbers"),
        (np.full(6, 2**63, np.uint64), "no whole numbers"),
        (np.ones((6, 3)), "A row of 3 numbers is no class"),
        (np.array(list("abcabc")), "cannot be read"),
    ],
)
def test_what_is_not_is_told(tmp_path, labels, words):
    with pytest.raises(QvizError, match=words):
        read(tmp_path, labels=labels)


def test_another_name_is_told(tmp_path):
    with pytest.raises(QvizError, match=r"y holds a whole number for each sample.*Call it labels"):
        read(tmp_path, y=LABELS)
    assert read(tmp_path, y=LABELS, labels=LABELS) == (LABELS.tolist(), "int64")
    assert read(tmp_path, taken=("x", "y"), y=LABELS) is None
    assert read(tmp_path, more=np.ones((6, 2), int), few=LABELS[:2], scores=LABELS / 2) is None


def test_an_input_of_that_name_is_none(tmp_path):
    assert read(tmp_path, taken=("x", "labels"), labels=LABELS) is None
