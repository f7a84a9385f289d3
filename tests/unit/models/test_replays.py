"""Values of one tensor at a time, in files of which the least recently used go."""

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
        names = [word.removeprefix("--only=") for word in words if word.startswith("--only=")]
        self.names.append("".join(names))
        if not set(names) <= set(X):
            raise QvizError("The run failed.")
        np.savez(words[-1], **{name: X[name] for name in names})


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
    for name in "bac":
        replays(name)
    assert len(list(tmp_path.glob("replay-*"))) == 2
    replays("a")
    assert runs.names == ["a", "b", "c"]  # b went, a had been used since
    np.testing.assert_array_equal(first, X["a"])


def test_a_failed_run_leaves_nothing(tmp_path):
    with pytest.raises(QvizError, match="failed"):
        Replays(Runs(), tmp_path)("z")
    assert list(tmp_path.iterdir()) == []


def test_several_come_from_one_run(tmp_path):
    runs = Runs()
    replays = Replays(runs, tmp_path)
    replays("a")
    replays.ahead("abc")
    for name in "abcb":
        np.testing.assert_array_equal(replays(name), X[name])
    replays.ahead("cb")
    assert runs.names == ["a", "bc"]


def test_a_run_ahead_that_fails_is_told_once_of_each(tmp_path):
    runs = Runs()
    replays = Replays(runs, tmp_path)
    replays.ahead("az")
    for name in "az":
        with pytest.raises(QvizError, match="failed"):
            replays(name)
    assert runs.names == ["az"]
    np.testing.assert_array_equal(replays("a"), X["a"])  # tried anew, by itself


def test_what_went_of_several_runs_again(tmp_path):
    runs = Runs()
    replays = Replays(runs, tmp_path, most=9000)
    replays.ahead("ab")
    replays("c")
    np.testing.assert_array_equal(replays("b"), X["b"])
    assert runs.names == ["ab", "c", "b"]
