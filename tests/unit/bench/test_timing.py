"""CPU time in rounds: order, ratios, void runs."""

import pytest

from qviz.bench import timing
from qviz.bench.timing import Candidate, Times, measure, rows


@pytest.fixture
def clock(monkeypatch):
    """A clock that only the measured functions move."""
    now = [0.0]
    monkeypatch.setattr(timing.time, "process_time", lambda: now[0])

    def work(*seconds):
        turns = iter(seconds)

        def run():
            now[0] += next(turns, seconds[-1])

        return run

    return work


def test_medians_and_ratios(clock):
    candidates = [Candidate("a", clock(9, 2, 4, 6), "b"), Candidate("b", clock(9, 1, 1, 2))]
    times = measure(clock(1), candidates, rounds=3)  # the first run of each only warms up
    assert times.runs == {"a": (2, 4, 6), "b": (1, 1, 2)}
    assert times.read == (1, 1, 1) and not times.void
    first, second = rows(times, candidates)
    assert first == {
        "candidate": "a",
        "median_ms": 4000,
        "min_ms": 2000,
        "per_read": 4,
        "per_peer": 3,  # median of 2, 4, 3
        "peer": "b",
    }
    assert second["per_peer"] is None


def test_an_absent_peer_leaves_no_ratio(clock):
    candidates = [Candidate("a", clock(1), "not measured")]
    assert rows(measure(clock(1), candidates, 2), candidates)[0]["per_peer"] is None


def test_a_short_read_is_repeated_until_it_can_be_timed(clock):
    calls = []
    tick = clock(0.001)

    def read():
        calls.append(1)
        tick()

    times = measure(read, [], rounds=2)
    assert times.read == pytest.approx((0.001, 0.001))
    assert len(calls) == 1 + 2 * 5  # five reads of a millisecond fill READ_S


def test_an_uneven_run_is_repeated_and_then_void(clock):
    calls = []
    candidate = Candidate("a", lambda: calls.append(1))
    times = measure(clock(1, 1, 5, 1, 5), [candidate], rounds=4)
    assert not times.void and len(calls) == 1 + 2 * 4
    calls.clear()
    uneven = clock(*[1, 5] * 20)
    assert measure(uneven, [candidate], rounds=4).void
    assert len(calls) == 1 + 3 * 4


def test_ratio_to_the_read_is_taken_round_by_round():
    times = Times((1, 2, 4), {"a": (3, 6, 12)}, void=False)
    assert times.ratio("a") == 3
