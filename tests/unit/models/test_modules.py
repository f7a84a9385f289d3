"""Torch modules watched by their hooks."""

import numpy as np
import pytest
import torch

import qviz
from qviz.errors import QvizError
from qviz.sources.base import open_file


class Net(torch.nn.Module):
    """Two branches: one layer is called twice, one gives a pair, one gives words."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(2, 4, 3)
        self.act = torch.nn.ReLU()
        self.lstm = torch.nn.LSTM(6, 5, batch_first=True)

    def forward(self, x, gain=1.0):
        return self.lstm(self.act(self.act(self.conv(x)) * gain))


torch.manual_seed(0)
NET = Net().eval()
BATCHES = [torch.randn(3, 2, 8), torch.randn(2, 2, 8)]


def conv():
    with torch.no_grad():
        return torch.cat([NET.conv(x) for x in BATCHES]).numpy()


def test_what_modules_give_and_their_parameters():
    seen = qviz.capture(NET, BATCHES)
    acts = [n for n in seen.names if seen.info(n).role == "activation"]
    assert acts == ["conv", "act", "act#2", "lstm", "lstm.1", "lstm.2"]
    assert seen.ops["conv"] == seen.ops["conv.weight"] == "Conv1d"
    assert (seen.info("conv").shape, seen.info("conv").splits) == ((5, 4, 6), (3, 2))
    np.testing.assert_array_equal(seen["conv"], conv())
    np.testing.assert_array_equal(seen["conv.weight"], NET.conv.weight.detach().numpy())
    ends = seen.channels("conv")
    assert ends is not None and ends.axis == 1  # of a convolution, also with three axes
    np.testing.assert_array_equal(ends.amax, np.abs(conv()).max(axis=(0, 2)))


def test_some_modules_by_name_and_no_hook_stays():
    seen = qviz.capture(NET, BATCHES, modules=["act"])
    assert [n for n in seen.names if seen.info(n).role == "activation"] == ["act", "act#2"]
    assert not any(module._forward_hooks for module in NET.modules())
    with pytest.raises(QvizError, match="no module 'nosuch'"):
        qviz.capture(NET, BATCHES, modules=["nosuch"])


def test_hooks_go_when_the_module_fails():
    with pytest.raises(RuntimeError):
        qviz.capture(NET, [torch.randn(3, 5, 8)])
    assert not any(module._forward_hooks for module in NET.modules())


def test_arguments_may_be_several():
    loud = qviz.capture(NET, [{"x": x, "gain": 2.0} for x in BATCHES])
    pair = qviz.capture(NET, [(x, 2.0) for x in BATCHES])
    np.testing.assert_array_equal(loud["act#2"], pair["act#2"])
    np.testing.assert_array_equal(loud["act#2"], 2 * np.maximum(conv(), 0))


def test_types_that_numpy_lacks_are_watched_too():
    layer = torch.nn.Linear(4, 2).bfloat16()
    seen = qviz.capture(layer, [torch.ones(3, 4, dtype=torch.bfloat16)])
    assert seen.info("output").shape == (3, 2)
    expected = layer(torch.ones(3, 4, dtype=torch.bfloat16)).float().detach().numpy()
    np.testing.assert_array_equal(seen["output"], expected)


def test_a_capture_is_saved_and_opens_again(tmp_path):
    seen = qviz.capture(NET, BATCHES)
    seen.save(tmp_path / "lean.npz")
    seen.save(tmp_path / "full.npz", values=True)
    lean, full = open_file(tmp_path / "lean.npz"), open_file(tmp_path / "full.npz")
    np.testing.assert_array_equal(full["conv"], conv())
    np.testing.assert_array_equal(lean["conv.weight"], seen["conv.weight"])
    with pytest.raises(QvizError, match="were not kept"):
        lean["conv"]


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(QvizError, match="no torch module"):
        qviz.capture(len, BATCHES)
    with pytest.raises(QvizError, match="Nothing was captured"):
        qviz.capture(NET, [])
