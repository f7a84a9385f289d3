"""The store: least recently used values up to a number of bytes."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest

from qviz.ui.state import Store, weight


def kilobytes(count):
    return np.zeros(count * 1024, np.uint8)


@dataclass(frozen=True, eq=False)
class Record:
    name: str
    values: np.ndarray
    more: dict


@pytest.mark.parametrize(
    ("value", "bytes_"),
    [
        (np.zeros(100, np.float64), 800),
        ((np.zeros(3, np.float32), np.zeros(5, np.int16)), 22),
        ([np.zeros(4, np.uint8)] * 3, 12),
        ({"scale": np.zeros(2), "zero_point": None}, 16 + 64),
        (Record("a", np.zeros(10, np.uint8), {"b": np.zeros(20, np.uint8)}), 64 + 10 + 20),
        ("text", 64),
        (None, 64),
        (3.5, 64),
    ],
)
def test_weight(value, bytes_):
    assert weight(value) == bytes_


def test_what_was_put_is_there():
    store = Store()
    assert store.get("a") is None
    store.put("a", 1)
    store.put("a", 2)
    assert store.get("a") == 2


def test_the_least_recently_used_goes_first():
    store = Store(3 * 1024)
    for key in "abc":
        store.put(key, kilobytes(1))
    store.get("a")
    store.put("d", kilobytes(1))
    assert [key for key in "abcd" if store.get(key) is not None] == ["a", "c", "d"]


def test_a_large_value_makes_room_for_itself():
    store = Store(4 * 1024)
    for key in "abcd":
        store.put(key, kilobytes(1))
    store.put("e", kilobytes(3))
    assert [key for key in "abcde" if store.get(key) is not None] == ["d", "e"]


def test_a_value_above_the_limit_is_kept_alone():
    store = Store(1024)
    store.put("a", kilobytes(1))
    store.put("b", kilobytes(9))
    assert store.get("a") is None
    assert store.get("b") is not None
    store.put("c", kilobytes(1))
    assert store.get("b") is None
    assert store.get("c") is not None


def test_a_value_that_is_replaced_no_longer_counts():
    store = Store(2 * 1024)
    for _ in range(50):
        store.put("a", kilobytes(1))
    store.put("b", kilobytes(1))
    assert store.get("a") is not None and store.get("b") is not None


def test_several_threads():
    store, failures = Store(64 * 1024), []

    def work(seed):
        order = np.random.default_rng(seed).integers(0, 200, 2_000)
        for key in order.tolist():
            found = store.get(key)
            if found is not None and found[0] != key % 256:
                failures.append(key)
            store.put(key, np.full(1024, key % 256, np.uint8))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    kept = [key for key in range(200) if store.get(key) is not None]
    assert len(kept) == 64
