"""The jobs beside PyTorch at a small size: whether results agree, never how fast they come."""

import sys

import pytest
import torch

from qviz.bench import fakequant, histogram_observer
from qviz.bench.base import JOBS, Setup
from qviz.bench.timing import Times
from qviz.errors import QvizError

SMALL = Setup(n=70_000, rounds=2)


@pytest.mark.parametrize("dist", ["laplace", "relu"])
def test_fakequant(dist):
    report = JOBS["fakequant"](Setup(n=70_000, rounds=2, dist=dist))
    assert [verdict.name for verdict in report.verdicts] == ["the tensor", "ties", "odd values"]
    assert not report.failed, report.verdicts
    assert [row["peer"] for row in report.rows] == ["torch", "torch", None]
    assert all(row["median_ms"] >= row["min_ms"] > 0 for row in report.rows)
    assert len(report.goals) == 1 and "times" in report.goals[0].words


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_histogram_observer(dtype):
    report = JOBS["histogram-observer"](Setup(n=70_000, rounds=2, dtype=dtype))
    assert [verdict.name for verdict in report.verdicts] == ["one batch", "20 batches"]
    assert not report.failed, report.verdicts
    assert len(report.rows) == 6 and len(report.goals) == 3
    assert sum(row["per_peer"] is not None for row in report.rows) == 3


def test_fewer_elements_than_the_stream_needs(monkeypatch):
    """They are fed again; timing them would take long and say nothing more."""
    monkeypatch.setattr(
        histogram_observer,
        "measure",
        lambda read, made, rounds: Times((1.0,), {one.name: (1.0,) for one in made}, False),
    )
    report = histogram_observer.histogram_observer(Setup(n=13, rounds=1))
    assert not report.failed and report.verdicts[1].words.startswith("20 state(s)")


@pytest.mark.parametrize("end", [0, 1])
def test_fakequant_fails_where_a_value_differs(monkeypatch, end):
    real = fakequant.theirs

    def wrong(x, qparams):
        y = real(x, qparams).clone()
        y[-end] += 1
        return y

    monkeypatch.setattr(fakequant, "theirs", wrong)
    report = fakequant.fakequant(SMALL)
    assert report.failed and not report.rows  # what is unequal is not timed
    assert "1 of 70000 differ" in report.verdicts[0].words


def test_fakequant_tells_zeros_of_either_sign_apart(monkeypatch):
    monkeypatch.setattr(fakequant, "theirs", lambda x, qparams: torch.full_like(x, -0.0))
    monkeypatch.setattr(fakequant, "ours", lambda x, qparams, out=None: torch.zeros_like(x))
    assert fakequant.fakequant(SMALL).failed


def test_histogram_observer_fails_where_a_count_differs(monkeypatch):
    real = histogram_observer.theirs

    def wrong(batches, each=False):
        scale, zero, observer = real(batches, each=each)
        observer.histogram[3] += len(batches) == 5
        return scale, zero, observer

    monkeypatch.setattr(histogram_observer, "theirs", wrong)
    report = histogram_observer.histogram_observer(SMALL)
    assert report.failed and not report.rows
    assert report.verdicts[1].words == "differs after batch 5"


def test_an_absent_peer_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.ao.quantization", None)
    report = JOBS["histogram-observer"](SMALL)
    assert "torch.ao observers left out" in report.notes[0]
    assert len(report.rows) == 3 and not report.verdicts and not report.goals


@pytest.mark.parametrize("job", ["fakequant", "histogram-observer"])
def test_types_that_are_not_compared(job):
    with pytest.raises(QvizError, match="float16 is not compared"):
        JOBS[job](Setup(n=100, dtype="float16"))
