"""Saved captures: what is written comes back, and what is damaged is refused."""

import json
import zipfile

import numpy as np
import pytest

from qviz.errors import QvizError, RefusedFile
from qviz.sources.base import TensorInfo, open_file
from qviz.sources.captured.source import Captured
from qviz.sources.captured.writing import Entry, values_of, write
from qviz.stats.minmax import MinMax
from qviz.stats.sketch import Sketch
from tests.unit.models.test_tally import CASES, same, tallied

RNG = np.random.default_rng(4)


def entry(name, batches, axis=None, values=True):
    tally = tallied(batches, axis)
    splits = tally.splits if tally.shape else ()
    info = TensorInfo(name, tally.shape, tally.dtype, "", "activation", splits=splits)
    gathered = tally.gathered()
    own = gathered.channels.axis if gathered.channels else None
    x = np.concatenate(batches) if tally.shape else batches[0]
    return Entry(info, "Relu", own, gathered, values_of(x) if values else None)


def saved(path, *entries, **skipped):
    write(path, "model.onnx", "mark", entries, skipped)
    return path


@pytest.fixture
def archive(tmp_path):
    """A capture with values, without, and of few and many elements."""
    many = RNG.normal(size=(300, 3, 100)).astype(np.float32)
    return saved(
        tmp_path / "a.npz",
        entry("many", [many, many[:7]], 1),
        entry("few", [many[:2]], 1, values=False),
        seq="seq(tensor(float)) is not captured.",
    )


def rewritten(path, change):
    """The archive with ``capture.json`` changed."""
    out = path.with_name("changed.npz")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.infolist():
            content = old.read(member)
            if member.filename == "capture.json":
                said = json.loads(content)
                change(said)
                content = json.dumps(said)
            new.writestr(member.filename, content)
    return out


@pytest.mark.parametrize("name", CASES)
def test_every_statistic_comes_back(name, tmp_path):
    made = entry("x", CASES[name])
    found = open_file(saved(tmp_path / "a.npz", made))
    assert isinstance(found, Captured)
    before, after = made.gathered.seen(), found.statistics("x")
    assert after is not None and set(after.states) == set(before.states)
    for recipe in before.states:
        pairs = zip(np.atleast_1d(before[recipe]), np.atleast_1d(after[recipe]), strict=True)
        for a, b in pairs:
            same(a, b)


def test_values_and_words_come_back(archive):
    found = open_file(archive)
    assert isinstance(found, Captured) and found.title == "a.npz"
    assert found.names == ("many", "few")
    assert found.infos["many"].splits == (300, 7) and found.ops["many"] == "Relu"
    assert found["many"].shape == (307, 3, 100) and isinstance(found["many"].base, np.memmap)
    ends = found.channels("many")
    assert ends is not None and ends.axis == found.axes["many"] == 1
    np.testing.assert_array_equal(ends.hi, found["many"].max(axis=(0, 2)))
    assert found.skipped == {"seq": "seq(tensor(float)) is not captured."}
    with pytest.raises(QvizError, match="were not kept"):
        found["few"]


def test_numpy_reads_it_too(archive):
    with np.load(archive) as plain:
        assert plain["values/0"].shape == (307, 3, 100)
        assert plain["extremes"].shape == (3, 8) and plain["lengths"].shape == (2, 5)


def test_a_replay_fills_in(archive):
    found = open_file(archive)
    assert isinstance(found, Captured)
    whole = found.replaying(lambda name: np.full(3, len(name)))
    assert whole["few"].tolist() == [3, 3, 3] and whole["many"].shape == (307, 3, 100)


def test_an_ordinary_archive_is_no_capture(tmp_path):
    np.savez(tmp_path / "a.npz", extremes=np.ones((2, 8)))
    assert not isinstance(open_file(tmp_path / "a.npz"), Captured)


DAMAGE = {
    "format": lambda said: said.update(format="other"),
    "version": lambda said: said.update(version=2),
    "no tensors": lambda said: said.pop("tensors"),
    "one too many": lambda said: said["tensors"].append(said["tensors"][0]),
    "role": lambda said: said["tensors"][0].update(role="king"),
    "kind": lambda said: said["tensors"][0].update(kind="int8"),
    "dtype": lambda said: said["tensors"][0].update(dtype="O"),
    "shape": lambda said: said["tensors"][0].update(shape=[307, 3, 99]),
    "negative": lambda said: said["tensors"][0].update(shape=[-307, -3, 100]),
    "splits": lambda said: said["tensors"][0].update(splits=[300, 8]),
    "values": lambda said: said["tensors"][1].update(values=0),
    "no values": lambda said: said["tensors"][0].update(values=7),
    "sketch": lambda said: said["tensors"][0].update(sketch="sorted"),
    "list": lambda said: said.update(tensors=3),
    "skipped": lambda said: said.update(skipped=[1]),
    "axis": lambda said: said["tensors"][0].update(axis=9),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_capture_that_contradicts_itself_is_refused(name, archive):
    with pytest.raises(RefusedFile) as refusal:
        open_file(rewritten(archive, DAMAGE[name]))
    assert refusal.value.code == "L04" and "changed.npz" in refusal.value.what


def test_altered_bytes_never_crash(archive, tmp_path):
    """Each is refused, or opens and gives statistics."""
    content = archive.read_bytes()
    for at in RNG.integers(0, len(content), 150):
        changed = bytearray(content)
        changed[at] ^= 1 << int(at) % 8
        (tmp_path / "b.npz").write_bytes(changed)
        try:
            found = open_file(tmp_path / "b.npz")
            for name in found.names:
                seen = found.statistics(name) if isinstance(found, Captured) else None
                assert seen is None or seen[Sketch(16)].cells.groups == 1
                assert seen is None or seen[MinMax()].n[0] >= 0
        except QvizError:
            continue
