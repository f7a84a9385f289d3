"""The list of what can be chosen."""

from qviz.sources.base import TensorInfo
from qviz.ui.library import FIRST, Item, _samples, told_apart


def item(id, label):
    return Item(id, label, TensorInfo(id, (2,), "float32", id), None, True)


def test_labels_are_told_apart():
    labels = ["x", "y", "x", "x (2)", "x", "y"]
    found = told_apart({str(i): item(str(i), label) for i, label in enumerate(labels)})
    assert [i.label for i in found.values()] == ["x", "y", "x (2)", "x (2) (2)", "x (3)", "y (2)"]
    assert [i.id for i in found.values()] == ["0", "1", "2", "3", "4", "5"]


def test_samples():
    samples = _samples()
    assert next(iter(samples)) == FIRST
    assert not any(sample.private for sample in samples.values())
    assert all(sample.label and sample.id == id for id, sample in samples.items())
    assert len({sample.info.fingerprint for sample in samples.values()}) == len(samples)
