"""Saved captures: what is written comes back, and what is damaged is refused."""

import io
import json
import warnings
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from qviz.errors import QvizError, RefusedFile
from qviz.sources.base import TensorInfo, open_file
from qviz.sources.captured import loader, using
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


def rewritten(path, change, member="capture.json", packed=zipfile.ZIP_STORED):
    """The archive with ``capture.json`` changed, or with another array in a member."""
    out = path.with_name("changed.npz")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w", packed) as new:
        for each in old.infolist():
            content = old.read(each)
            if each.filename == member == "capture.json":
                said = json.loads(content)
                change(said)
                content = json.dumps(said)
            elif each.filename == f"{member}.npy":
                stream = io.BytesIO()
                np.save(stream, change(np.load(io.BytesIO(content)).copy()))
                content = stream.getvalue()
            new.writestr(each.filename, content)
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


def test_moments_that_leave_float64_come_back(tmp_path):
    batch = np.array([[1e200, -3e200], [2e200, 1e180]])
    found = open_file(saved(tmp_path / "a.npz", entry("x", [batch, batch[:1]])))
    assert isinstance(found, Captured) and found["x"].shape == (3, 2)


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


def test_types_that_numpy_lacks_become_float32(tmp_path):
    made = entry("x", [np.ones((2, 3), np.float32)])
    made = replace(made, info=replace(made.info, dtype="bfloat16"))
    found = open_file(saved(tmp_path / "a.npz", made))
    assert found.info("x").dtype == found["x"].dtype.name == "float32"


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


def first(**fields):
    """Other words about the first tensor."""
    return lambda said: said["tensors"][0].update(fields)


DAMAGE = {
    "format": lambda said: said.update(format="other"),
    "version": lambda said: said.update(version=1),
    "no list": lambda said: said.pop("tensors"),
    "no tensors": lambda said: said.update(tensors=[]),
    "one too many": lambda said: said["tensors"].append(said["tensors"][0] | {"name": "more"}),
    "one too few": lambda said: said["tensors"].pop(),
    "one name": lambda said: said["tensors"][1].update(name="many"),
    "no tensor": lambda said: said["tensors"].__setitem__(1, None),
    "name": first(name=5),
    "no name": first(name=""),
    "half a pair": first(name="\ud800"),
    "op": first(op=None),
    "role": first(role="king"),
    "kind": first(kind="int8"),
    "another kind": first(kind="float64"),
    "dtype": first(dtype="O"),
    "no dtype": first(dtype="datetime64"),
    "shape": first(shape=[307, 3, 99]),
    "vast": first(shape=[10**9, 10**9], splits=[]),
    "real": first(shape=[307.0, 3, 100]),
    "truth": first(shape=[307, True, 300]),
    "negative": first(shape=[-307, -3, 100], splits=[]),
    "splits": first(splits=[300, 8]),
    "other splits": first(splits=[7, 300]),
    "one batch": first(splits=[307]),
    "values": lambda said: said["tensors"][1].update(values=0),
    "no values": first(values=7),
    "below 0": first(values=-1),
    "sorted": first(sketch="sorted"),
    "sketch": first(sketch="banana"),
    "exact": first(exact="yes"),
    "not exact": first(exact=True),
    "few": first(few=True),
    "list": lambda said: said.update(tensors=3),
    "skipped": lambda said: said.update(skipped=[1]),
    "no reason": lambda said: said.update(skipped={"a": 1}),
    "axis": first(axis=9),
    "no axis": first(axis=None),
    "another axis": first(axis=2),
    "axis below": first(axis=-1),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_capture_that_contradicts_itself_is_refused(name, archive):
    with pytest.raises(RefusedFile) as refusal:
        open_file(rewritten(archive, DAMAGE[name]))
    assert refusal.value.code == "L04" and "changed.npz" in refusal.value.what


def at(row, column, value):
    def change(array):
        array[(row, column) if array.ndim > 1 else row] = value
        return array

    return change


def swapped(array):
    array[[0, 1]] = array[[1, 0]]
    return array


NUMBERS = {
    "no extremes": ("extremes", lambda x: x * np.nan),
    "least and greatest": ("extremes", lambda x: x[:, [1, 0, *range(2, 8)]]),
    "least too small": ("extremes", at(0, 0, -99)),
    "a part of an element": ("extremes", at(0, 2, 0.5)),
    "fewer than none": ("extremes", at(0, 3, -1)),
    "more NaN than elements": ("extremes", at(0, 3, 1e9)),
    "all of them zero": ("extremes", at(0, 6, 90_000)),
    "flat extremes": ("extremes", np.ravel),
    "text": ("extremes", lambda x: x.astype(str)),
    "no channels": ("channels", lambda x: x * np.nan),
    "endless channels": ("channels", at(0, 1, np.inf)),
    "wider channels": ("channels", at(0, 0, -99)),
    "narrower channels": ("channels", lambda x: x / 2),
    "few channels": ("channels", lambda x: x[:-1]),
    "no moments": ("moments", lambda x: x * np.nan),
    "mean": ("moments", at(0, 1, 1e9)),
    "spread below 0": ("moments", at(1, 2, -5)),
    "spread too large": ("moments", at(0, 2, 1e9)),
    "no magnitude": ("moments", at(0, 3, np.nan)),
    "number": ("moments", at(0, 0, 12)),
    "no third powers": ("moments", at(0, 4, np.nan)),
    "fourth powers below 0": ("moments", at(0, 5, -1)),
    "fourth powers too large": ("moments", at(1, 5, 1e30)),
    "few moments": ("moments", lambda x: x[:, :4]),
    "not sorted": ("sorted", lambda x: x[::-1]),
    "a gap": ("sorted", at(5, 0, np.nan)),
    "endless": ("sorted", at(-1, 0, np.inf)),
    "no float32": ("sorted", at(5, 0, -2.2000000001)),
    "cells turned round": ("lows", lambda x: x[::-1]),
    "two cells swapped": ("lows", swapped),
    "a cell without end": ("highs", at(3, 0, np.nan)),
    "cells that overlap": ("highs", at(3, 0, 0.0)),
    "count below 0": ("counts", lambda x: -x),
    "other counts": ("counts", lambda x: x + 1),
    "huge counts": ("counts", lambda x: x * 0 + 2**62),
    "fewer counts": ("counts", lambda x: x[:-1]),
    "rows": ("lengths", lambda x: x + 1),
    "rows below 0": ("lengths", lambda x: -x),
    "rows beyond all": ("lengths", lambda x: x * 0 + 2**62),
    "rows of another": ("lengths", swapped),
    "short rows": ("lengths", lambda x: x[:1]),
    "fourth powers of others": ("moments", lambda x: x * [1, 1, 1, 1, 1, 3]),
    "channels reversed": ("channels", lambda x: np.vstack([x[:3][::-1], x[3:]])),
    "batches exchanged": ("extremes", lambda x: np.hstack([x[[1, 0, 2], :2], x[:, 2:]])),
    "values of another type": ("values/0", lambda x: x.astype(np.float64)),
    "values of another shape": ("values/0", lambda x: x.reshape(-1)),
    "other values": ("values/0", lambda x: x * 2),
    "values reversed": ("values/0", lambda x: x.ravel()[::-1].reshape(x.shape)),
    "channels of values": ("values/0", lambda x: x[:, ::-1]),
    "other zeros": ("values/0", at(0, 1, 0)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_are_no_statistics_are_refused(name, archive):
    member, change = NUMBERS[name]
    with pytest.raises(RefusedFile) as refusal:
        open_file(rewritten(archive, change, member))
    assert refusal.value.code == "L04" and "changed.npz" in refusal.value.what


LATE = [
    "fourth powers of others",
    "channels reversed",
    "batches exchanged",
    "other values",
    "values reversed",
]


@pytest.mark.parametrize("name", LATE)
@pytest.mark.parametrize("use", [Captured.statistics, Captured.channels, Captured.read])
def test_a_large_capture_is_checked_when_a_tensor_is_first_used(name, use, archive, monkeypatch):
    monkeypatch.setattr(loader, "AT_ONCE", 0)
    member, change = NUMBERS[name]
    found = open_file(rewritten(archive, change, member))
    assert isinstance(found, Captured) and found.names == ("many", "few")
    for _ in range(2):
        with pytest.raises(RefusedFile, match=r"changed.npz is a damaged capture.*of many"):
            use(found, "many")
    few = found.statistics("few") if name != LATE[0] else None
    assert few is None or few[MinMax()].n[0] == 600


def test_a_tensor_is_checked_once(archive, monkeypatch):
    monkeypatch.setattr(loader, "AT_ONCE", 0)
    found = open_file(archive)
    assert isinstance(found, Captured) and found["many"].shape == (307, 3, 100)
    monkeypatch.setattr(using, "intact", lambda *_: pytest.fail("checked again"))
    assert found["many"].shape == (307, 3, 100) and found.channels("many") is not None


@pytest.mark.parametrize("member", ["capture.json", "sorted.npy", "counts.npy", "values/0.npy"])
def test_checksums_are_kept(member, archive):
    with zipfile.ZipFile(archive) as whole:
        begins = whole.getinfo(member).header_offset
        ends = begins + 30 + len(member) + whole.getinfo(member).file_size
    content = bytearray(archive.read_bytes())
    content[ends - 3] ^= 1  # a bit near the end of the member
    archive.write_bytes(content)
    with pytest.raises(RefusedFile, match=r"checksum of the member|parts do not go together"):
        open_file(archive)


def test_two_members_of_one_name_are_refused(archive):
    with zipfile.ZipFile(archive, "a") as more, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        more.writestr("values/0.npy", more.read("values/0.npy"))
    with pytest.raises(RefusedFile, match="Two members have one name"):
        open_file(archive)


@pytest.mark.parametrize(
    ("change", "member"),
    [
        (lambda x: x[::-1], "distinct"),
        (lambda x: x * np.nan, "distinct"),
        (lambda x: -x, "repeats"),
        (swapped, "repeats"),
        (lambda x: x[:-1], "repeats"),
    ],
)
def test_distinct_values_are_checked(change, member, tmp_path):
    batch = np.concatenate([np.zeros(5), np.full(7, 2.5), np.full(9, -1)]).astype(np.float32)
    archive = saved(tmp_path / "a.npz", entry("x", [batch]))
    assert open_file(rewritten(archive, lambda x: x, member)).names == ("x",)
    with pytest.raises(RefusedFile, match=r"distinct|repeats"):
        open_file(rewritten(archive, change, member))


def test_a_refusal_says_what_is_wrong(archive):
    with pytest.raises(RefusedFile, match="What is wrong: the moments"):
        open_file(rewritten(archive, at(1, 2, -5), "moments"))
    with pytest.raises(RefusedFile, match=r"another version\..*It says 1; version 2"):
        open_file(rewritten(archive, DAMAGE["version"]))
    with pytest.raises(RefusedFile, match="does not say that it is a qviz capture"):
        open_file(rewritten(archive, DAMAGE["format"]))
    with pytest.raises(RefusedFile, match="deflated"):
        open_file(rewritten(archive, lambda x: x, "moments", zipfile.ZIP_DEFLATED))


def test_altered_bytes_never_crash(archive, tmp_path):
    """Each is refused, or opens and gives statistics."""
    content = archive.read_bytes()
    for at in RNG.integers(0, len(content), 60):
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
