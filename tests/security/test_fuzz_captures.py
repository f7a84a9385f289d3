"""Saved captures altered at random: each opens, shows its table and reads, or is refused in words.

What is altered: bytes, members (one in place of another, cut, with numbers of any kind in them)
and fields of what it says of its tensors.
"""

import io
import json
import random
import zipfile
from collections import Counter

import numpy as np
import pytest

from tests.security.test_fuzz import flip, lengthen, splice, truncate
from tests.security.test_limits import SECONDS, opened
from tests.unit.sources.captured.test_loader import entry, saved

FILES = 400
MARK = "capture.json"
ODD = (None, True, -1, 0, 7, 2**31, 2**63, 1.5, "", "banana", "\ud800", [], [3], {}, "float16")
WORST = (np.nan, np.inf, -np.inf, -1.0, 0.0, 0.5, 1e300, 2.0**62)


@pytest.fixture(scope="module")
def seed(tmp_path_factory):
    """A small capture with values and without, with few elements, many, equal and odd ones."""
    rng = np.random.default_rng(2)
    many = rng.normal(size=(300, 3, 100)).astype(np.float32)
    odd = np.array([[np.nan, np.inf, -np.inf, 0, 1e-40, 3]], np.float32)
    path = saved(
        tmp_path_factory.mktemp("seed") / "a.npz",
        entry("many", [many[:280], many[280:]], 1, values=False),
        entry("few", [many[:2], many[:3]], 1),
        entry("odd", [odd]),
        entry("codes", [np.arange(6, dtype=np.int8).reshape(2, 3)], 1),
        entry("none", [np.zeros((0, 3), np.float32)]),
        seq="seq(tensor(float)) is not captured.",
    )
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def joined(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def bytewise(members, rng):
    raw = joined(members)
    for _ in range(rng.randint(1, 3)):
        raw = rng.choice([flip, flip, truncate, splice, lengthen])(raw, rng) or b"\0"
    return raw


def exchanged(members, rng):
    """One member in place of another, or cut, altered or gone, with a directory that agrees."""
    name, other = rng.sample(sorted(members), 2)
    change = rng.choice([lambda raw, _: members[other], flip, truncate, splice, lengthen])
    made = dict(members)
    if rng.random() < 0.1:
        del made[name]
    else:
        made[name] = change(members[name], rng)
    return joined(made)


def said_otherwise(members, rng):
    """A field of ``capture.json`` that says something else."""
    said = json.loads(members[MARK])
    inner = rng.random() < 0.8
    fields = rng.choice(said["tensors"]) if inner else said
    key = rng.choice(sorted(fields))
    fields[key] = rng.choice([*ODD, *(t.get(key) for t in said["tensors"])])
    return joined(members | {MARK: json.dumps(said).encode()})


def renumbered(members, rng):
    """Some numbers of a member replaced, or all of them in another order."""
    name = rng.choice(sorted(set(members) - {MARK}))
    array = np.load(io.BytesIO(members[name])).copy()
    flat = array.reshape(-1)
    if flat.size and rng.random() < 0.3:
        flat[:] = flat[np.random.default_rng(rng.randrange(99)).permutation(flat.size)]
    elif flat.size:
        with np.errstate(all="ignore"):
            at = rng.randrange(flat.size)
            flat[at : at + rng.choice([1, 1, 9])] = np.array(rng.choice(WORST)).astype(flat.dtype)
    stream = io.BytesIO()
    np.save(stream, array[: rng.choice([None, -1])] if array.ndim else array)
    return joined(members | {name: stream.getvalue()})


def altered(members, count, folder):
    """So many captures: name -> row for ``opened``."""
    rng, files = random.Random("captures"), {}
    for number in range(count):
        change = rng.choice([bytewise, exchanged, said_otherwise, renumbered])
        path = folder / f"{number}-{change.__name__}.npz"
        path.write_bytes(change(members, rng))
        files[path.name] = ("", path.name, path)
    return files


def test_altered_captures_open_whole_or_are_refused(seed, tmp_path):
    (tmp_path / "good.npz").write_bytes(joined(seed))
    files = altered(seed, FILES, tmp_path) | {"good": ("", "good.npz", tmp_path / "good.npz")}
    outcomes = opened(files)
    good = outcomes.pop("good")
    assert good["code"] is None and good["names"] == ["many", "few", "odd", "codes", "none"]
    assert {name: said["raised"] for name, said in outcomes.items() if said["raised"]} == {}
    codes = Counter(said["code"] for said in outcomes.values())
    assert "" not in codes and FILES / 2 < FILES - codes[None] < FILES
    assert max(said["seconds"] for said in outcomes.values()) <= SECONDS
