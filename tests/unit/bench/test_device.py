"""The benchmark of a device, with and without one."""

import torch

from qviz import xp
from qviz.bench import device
from qviz.bench.base import Setup

SMALL = Setup(n=70_000, rounds=1)


def test_without_a_device_it_is_left_out(monkeypatch):
    monkeypatch.setattr(device, "accelerator", lambda: None)
    report = device.device(SMALL)
    assert report.rows == ()
    assert "no CUDA or MPS device" in report.notes[0]
    assert not report.failed


def test_a_device_is_timed_beside_the_processor(monkeypatch):
    monkeypatch.setattr(device, "accelerator", lambda: "cpu")
    monkeypatch.setattr(xp, "HOST", "nowhere")  # its tensors are not seen by NumPy
    report = device.device(SMALL)
    assert report.rows[0]["candidate"] == "copy to cpu"
    assert len(report.rows) == 5
    assert all(row["median_wall_ms"] > 0 for row in report.rows)
    assert [verdict.holds for verdict in report.verdicts] == [True]


def test_a_device_with_other_counts_is_not_timed(monkeypatch):
    class Torn(torch.Tensor):
        def to(self, place):
            return self.as_subclass(torch.Tensor).abs()

    monkeypatch.setattr(device, "accelerator", lambda: "cpu")
    torn = torch.linspace(-1, 2, 999).as_subclass(Torn)
    monkeypatch.setattr(device, "tensor", lambda setup: torn)
    report = device.device(SMALL)
    assert report.failed
    assert report.rows == ()


def test_what_torch_reports():
    assert (device.accelerator() is None) == (
        not torch.cuda.is_available() and not torch.backends.mps.is_available()
    )
