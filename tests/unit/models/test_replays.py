"""Values of one tensor at a time, in files of which the least recently used go."""

import os

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.models.replays import Replays

X = {name: np.full(1000, at, np.float32) for at, name in enumerate("abc")}


class Runs:
    """Writes what it is asked for, and counts."""

    def __init__(self):
        self.names = []

    def __call__(self, words, folder):
        name = words[0].removeprefix("--only=")
        self.names.append(name)
        if name not in X:
            raise QvizError("The run failed.")
        np.savez(words[-1], **{name: X[name]})


def test_a_tensor_runs_once_while_its_file_is_there(tmp_path):
    runs = Runs()
    replays = Replays(runs, tmp_path)
    for name in "aab":
        np.testing.assert_array_equal(replays(name), X[name])
    assert runs.names == ["a", "b"]
    assert isinstance(replays("a").base, np.memmap)


def test_the_least_recently_used_go(tmp_path):
    runs = Runs()
    replays = Replays(runs, tmp_path, most=9000)  # two of 4,262 bytes
    first = replays("a")
    for at, name in enumerate("ba"):
        replays(name)
        for file in tmp_path.glob("replay-*"):  # clocks of file systems are coarse
            stat = file.stat()
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns - 10**9 * (2 - at)))
    replays("c")
    assert len(list(tmp_path.glob("replay-*"))) == 2
    replays("a")
    assert runs.names == ["a", "b", "c"]  # b went, a had been used since
    np.testing.assert_array_equal(first, X["a"])


def test_a_failed_run_leaves_nothing(tmp_path):
    with pytest.raises(QvizError, match="failed"):
        Replays(Runs(), tmp_path)("z")
    assert list(tmp_path.iterdir()) == []
