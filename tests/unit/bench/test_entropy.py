"""The entropy job: equal thresholds first, figures afterwards."""

import sys

import numpy as np

from qviz.bench import entropy
from qviz.bench.base import JOBS, Setup
from qviz.bench.data import DISTS

SMALL = Setup(n=3000, rounds=1)


def few_bins(monkeypatch):
    monkeypatch.setattr(entropy, "BINS", 256)


def test_thresholds_agree_and_times_are_reported(monkeypatch):
    few_bins(monkeypatch)
    report = JOBS["entropy"](SMALL)
    assert [verdict.name for verdict in report.verdicts] == list(DISTS)
    assert not report.failed, report.verdicts
    assert [row["candidate"] for row in report.rows] == ["qviz", "onnxruntime"]
    assert report.rows[0]["peer"] == "onnxruntime" and len(report.goals) == 1


def test_unequal_thresholds_fail_and_are_not_timed(monkeypatch):
    few_bins(monkeypatch)
    monkeypatch.setattr(entropy, "_peers", lambda histogram: (np.float32(0), np.float32(1)))
    report = entropy.entropy(SMALL)
    assert report.failed and not report.rows


def test_without_onnxruntime_it_says_so(monkeypatch):
    few_bins(monkeypatch)
    monkeypatch.setitem(sys.modules, "onnxruntime.quantization.calibrate", None)
    report = entropy.entropy(SMALL)
    assert "onnxruntime left out" in report.notes[0]
    assert not report.goals and [row["peer"] for row in report.rows] == [None]
