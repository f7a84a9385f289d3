"""Every job at a small size: whether results agree, never how fast they come."""

import json
import mmap
import sys

import numpy as np
import pytest

from qviz.bench import accuracy, engine, exact_metrics, memory, peers, per_channel
from qviz.bench.base import JOBS, Report, Setup, Verdict
from qviz.cli.main import main
from qviz.errors import QvizError
from qviz.stats.minmax import MinMaxState

SMALL = Setup(n=70_000, rounds=2)
TIMED = ("engine", "exact-metrics", "per-channel", "slider")


@pytest.mark.parametrize("job", TIMED)
def test_results_agree_and_times_are_reported(job):
    report = JOBS[job](SMALL)
    assert report.verdicts and not report.failed, report.verdicts
    for row in report.rows:
        assert row["median_ms"] >= row["min_ms"] > 0
        assert row["per_read"] > 0
        assert (row["per_peer"] is None) == (row["peer"] is None)
    assert any(row["peer"] for row in report.rows)


def test_accuracy(monkeypatch):
    monkeypatch.setattr(accuracy, "BITS", (8,))
    monkeypatch.setattr(accuracy, "DISTS", ("laplace", "relu"))
    report = JOBS["accuracy"](Setup(n=1_000_000))
    assert [verdict.name for verdict in report.verdicts] == ["16-bit sketch", "20-bit sketch"]
    assert not report.failed, report.verdicts
    assert [(row["dist"], row["bits"]) for row in report.rows] == [("laplace", 8), ("relu", 8)]
    assert all(0 < row["off_db_20_bits"] < row["off_db_16_bits"] for row in report.rows)


@pytest.mark.parametrize("setup", [Setup(n=999_999), Setup(n=1_000_000, dtype="float16")])
def test_accuracy_needs_a_sketch(setup):
    with pytest.raises(QvizError, match="judged value by value"):
        accuracy.accuracy(setup)


def test_memory():
    report = JOBS["memory"](Setup(n=200_000))
    (row,) = report.rows
    assert row["file_MB"] == 0.8
    assert row["before_MB"] > 10 and row["added_MB"] >= 0
    assert "sum" not in row and len(report.goals) == 1


def test_memory_of_a_process_that_fails_is_a_plain_sentence(monkeypatch):
    monkeypatch.setattr(memory, "CHILD", "raise SystemExit('out of luck')")
    with pytest.raises(QvizError, match="out of luck"):
        memory.memory(Setup(n=10))


def test_the_peak_is_what_was_there_in_between():
    def work():
        fresh = mmap.mmap(-1, 40_000_000, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # new pages
        block = np.frombuffer(fresh, np.float64)
        block[:] = 1  # touched, so that it counts
        for _ in range(20):  # long enough to be seen
            total = float(block.sum())
        return total

    before = memory._anonymous_mb()
    peak, result = memory._watched(work)
    assert result == 5_000_000
    assert 25 < peak - before < 80


def test_memory_without_proc(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "STATUS", tmp_path / "none")
    assert "no /proc" in memory.memory(Setup(n=10)).notes[0]


def test_engine_fails_where_extremes_differ(monkeypatch):
    real = engine.compare

    def wrong(*given, **options):
        record = real(*given, **options)
        facts = MinMaxState(record.facts.lo - 1, *list(vars(record.facts).values())[1:])
        return type(record)(record.rows, record.target, facts, record.seen)

    monkeypatch.setattr(engine, "compare", wrong)
    report = engine.engine(SMALL)
    assert report.failed and not report.rows  # what is unequal is not timed


def test_exact_metrics_fails_where_a_metric_differs(monkeypatch):
    real = peers.straightforward
    monkeypatch.setattr(peers, "straightforward", lambda *g: real(*g) | {"mse": 0.0})
    report = exact_metrics.exact_metrics(SMALL)
    assert report.failed and not report.rows


def test_per_channel_fails_where_a_channel_differs(monkeypatch):
    real = per_channel.extremes

    def wrong(x, axis):
        lo, hi = real(x, axis)
        return [np.where(np.arange(lo.size) == 3, lo - 1, lo), hi]

    monkeypatch.setattr(per_channel, "extremes", wrong)
    assert per_channel.per_channel(SMALL).failed


def test_an_absent_peer_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.ao.quantization", None)
    report = JOBS["per-channel"](SMALL)
    assert "torch.ao observers left out" in report.notes[0]
    assert [row["peer"] for row in report.rows] == [None, None]


def test_too_few_elements_for_channels():
    with pytest.raises(QvizError, match="too few"):
        per_channel.per_channel(Setup(n=100))


@pytest.fixture
def job(monkeypatch):
    real = type(JOBS).__getitem__

    def use(report):
        def found(registry, name):
            return (lambda setup: report) if registry is JOBS else real(registry, name)

        monkeypatch.setattr(type(JOBS), "__getitem__", found)

    return use


ROW = {"candidate": "ours", "median_ms": 1.25, "per_peer": None}


def test_the_command_prints_and_writes(job, tmp_path, capsys):
    report = Report((ROW,), (Verdict("v", True, "same"),), (Verdict("g", False, "slow"),), ("n",))
    job(report)
    assert main(["bench", "engine", "--n", "1e3", "--json", str(tmp_path / "out.json")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["candidate  median_ms  per_peer", "ours            1.25         -"]
    assert lines[3:] == ["equal  v: same", "no  g: slow", "n"]
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["setup"]["n"] == 1000
    assert written["jobs"]["engine"]["rows"] == [ROW]
    assert "numpy" in written["versions"]


def test_the_command_fails_where_results_differ(job, capsys):
    job(Report(verdicts=(Verdict("v", False, "other"),)))
    assert main(["bench", "engine"]) == 1
    assert "UNEQUAL  v: other" in capsys.readouterr().out


def test_a_void_run_is_said_so(job, capsys):
    job(Report(void=True))
    assert main(["bench", "engine"]) == 0
    assert "void" in capsys.readouterr().out


def test_a_place_that_cannot_be_written_is_one_line(job, tmp_path, capsys):
    job(Report())
    assert main(["bench", "engine", "--json", str(tmp_path / "no" / "out.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err
