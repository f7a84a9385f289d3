"""Torch modules watched by their hooks."""

from typing import Any

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
    assert list(seen.skipped) == ["functions called in forward"]  # the product with the gain
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
    NET.lstm.train()
    with pytest.raises(QvizError, match=r"expected input.*3, 5, 8"):
        qviz.capture(NET, [torch.randn(3, 5, 8)])
    assert not any(module._forward_hooks for module in NET.modules())
    assert NET.lstm.training and not NET.training
    NET.eval()


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
    kinds = {name: info.dtype for name, info in seen.infos.items()}
    assert kinds == dict.fromkeys(("output", "weight", "bias"), "bfloat16")


@pytest.mark.parametrize("values", [False, True])
def test_types_that_numpy_lacks_are_saved_as_float32(values, tmp_path):
    layer = torch.nn.Linear(4, 2).bfloat16()
    seen = qviz.capture(layer, torch.ones(3, 4, dtype=torch.bfloat16))
    seen.save(tmp_path / "c.npz", values=values)
    saved = open_file(tmp_path / "c.npz")
    assert saved.info("weight").dtype == saved.info("output").dtype == "float32"
    np.testing.assert_array_equal(saved["weight"], layer.weight.detach().float().numpy())


def test_a_folder_that_is_not_there_is_told_of(tmp_path):
    seen = qviz.capture(NET, BATCHES)
    with pytest.raises(QvizError, match="cannot be written"):
        seen.save(tmp_path / "no" / "c.npz")


def training():
    torch.manual_seed(3)
    parts = torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6), torch.nn.Dropout(0.5)
    return torch.nn.Sequential(*parts).train()


def test_it_runs_in_eval_mode_and_the_module_is_left_as_it_was():
    net, x = training(), [torch.randn(5, 4), torch.randn(5, 4)]
    net[2].eval()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    random = torch.get_rng_state()
    seen = qviz.capture(net, x)
    values = seen["1"], seen["2"]
    assert [one.training for one in net.modules()] == [True, True, True, False]
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())
    assert torch.equal(torch.get_rng_state(), random)
    with torch.no_grad():
        expected = net.eval()(torch.cat(x)).numpy()  # no batch matters to another
    np.testing.assert_allclose(values[0], expected, rtol=1e-6)
    np.testing.assert_array_equal(values[0], values[1])


def test_modes_may_be_kept_and_reading_gives_what_was_counted():
    net, x = training(), [torch.ones(8, 4), torch.randn(8, 4)]
    before = net.state_dict()["1.running_mean"].clone()
    torch.manual_seed(7)
    seen = qviz.capture(net, x, keep_mode=True)
    torch.rand(3)  # others draw between
    dropped = np.asarray(seen["2"])
    assert 0.2 < (dropped == 0).mean() < 0.8
    counted = seen.gathered["2"].extremes
    assert counted[:, 6].tolist() == [(dropped[:8] == 0).sum(), (dropped[8:] == 0).sum()]
    assert counted[:, 1].tolist() == [dropped[:8].max(), dropped[8:].max()]
    assert torch.equal(net.state_dict()["1.running_mean"], before) and net.training


def test_arrays_and_a_single_batch_will_do():
    layer = torch.nn.Linear(4, 2)
    x = np.arange(8.0).reshape(2, 4)
    want = qviz.capture(layer, [torch.tensor(x, dtype=torch.float32)])["output"]
    for batches in (x, [x], {"input": x}, torch.tensor(x, dtype=torch.float32)):
        np.testing.assert_array_equal(qviz.capture(layer, batches)["output"], want)


def test_a_loader_of_pairs_is_told_how_to_give_one():
    pairs = torch.utils.data.TensorDataset(torch.ones(4, 3), torch.zeros(4))
    loader = torch.utils.data.DataLoader(pairs, batch_size=2)
    layer = torch.nn.Linear(3, 2)
    for batches in (loader, [tuple(pair) for pair in loader]):
        with pytest.raises(QvizError, match=r"It takes input.*\(x for x, \*_ in loader\)"):
            qviz.capture(layer, batches)
    assert qviz.capture(layer, (x for x, *_ in loader)).info("output").shape == (4, 2)


def test_a_capture_is_saved_and_opens_again(tmp_path):
    seen = qviz.capture(NET, BATCHES)
    seen.save(tmp_path / "lean.npz")
    seen.save(tmp_path / "full.npz", values=True)
    lean, full = open_file(tmp_path / "lean.npz"), open_file(tmp_path / "full.npz")
    np.testing.assert_array_equal(full["conv"], conv())
    np.testing.assert_array_equal(lean["conv.weight"], seen["conv.weight"])
    with pytest.raises(QvizError, match="were not kept"):
        lean["conv"]


def test_a_shared_module_has_several_names():
    shared = torch.nn.Linear(4, 4)
    net, x = torch.nn.Sequential(shared, torch.nn.ReLU(), shared), torch.ones(2, 4)
    seen = qviz.capture(net, x)
    acts = [n for n in seen.names if seen.info(n).role == "activation"]
    assert acts == ["0", "1", "0#2"]
    assert seen.ops["0.weight"] == seen.ops["2.weight"] == "Linear"
    assert [n for n in qviz.capture(net, x, modules=["2"]).names if "." not in n] == ["2", "2#2"]
    np.testing.assert_array_equal(qviz.capture(net, x, modules=["2"])["2#2"], seen["0#2"])


def test_weights_that_are_computed_are_weights_of_their_module():
    layer: Any = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv1d(2, 4, 3))
    net = torch.nn.Sequential(layer, torch.nn.ReLU())
    seen = qviz.capture(net, torch.randn(1, 2, 5))
    roles = {name: info.role for name, info in seen.infos.items()}
    assert roles.pop("0.weight") == "weight" and seen.ops["0.weight"] == "Conv1d"
    assert [name for name, role in roles.items() if role == "activation"] == ["0", "1"]
    assert seen.skipped == {} and seen.ops["0"] == "Conv1d"
    np.testing.assert_array_equal(seen["0.weight"], layer.weight.detach().numpy())
    asked = qviz.capture(net, torch.randn(1, 2, 5), modules=["0.parametrizations.weight.0"])
    assert asked.info("0.parametrizations.weight.0").role == "activation"


def test_weights_that_change_when_they_are_read_are_left_as_they_were():
    layer: Any = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(4, 4))
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    seen = qviz.capture(layer, torch.ones(2, 4), keep_mode=True)
    assert all(torch.equal(value, before[name]) for name, value in layer.state_dict().items())
    assert seen["weight"].shape == (4, 4) and seen["output"].shape == (2, 4)


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_compiled_modules_take_no_hooks():
    script = torch.jit.script(torch.nn.Linear(4, 4))
    with pytest.raises(QvizError, match=r"is compiled.*Pass the nn\.Module"):
        qviz.capture(script, torch.ones(2, 4))
    net = torch.nn.Sequential(script, torch.nn.ReLU())
    seen = qviz.capture(net, torch.ones(2, 4))
    assert seen.skipped == {"0": "It is compiled, and takes no hooks."}
    assert seen.info("1").role == "activation" and seen["0.weight"].shape == (4, 4)
    with pytest.raises(QvizError, match="0 cannot be watched"):
        qviz.capture(net, torch.ones(2, 4), modules=["0"])


def test_what_is_asked_for_may_be_any_iterable():
    net, x = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()), torch.ones(2, 4)
    odd: Any = 5
    assert qviz.capture(net, x, modules=(n for n in ["1"])).names == ("1",)
    with pytest.raises(QvizError, match="The list is empty"):
        qviz.capture(net, x, modules=[])
    with pytest.raises(QvizError, match="5 names no modules"):
        qviz.capture(net, x, modules=odd)
    with pytest.raises(QvizError, match="no module 5"):
        qviz.capture(net, x, modules=[odd])


def test_why_nothing_was_captured():
    with pytest.raises(QvizError, match="There is no batch"):
        qviz.capture(NET, [])
    attention = torch.nn.MultiheadAttention(4, 2)
    with pytest.raises(QvizError, match="out_proj: It was not called as a module"):
        qviz.capture(attention, [(torch.ones(2, 1, 4),) * 3], modules=["out_proj"])
    with pytest.raises(QvizError, match="A ModuleDict has no forward"):
        qviz.capture(torch.nn.ModuleDict({"x": torch.nn.ReLU()}), torch.ones(2))


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(QvizError, match="no torch module"):
        qviz.capture(len, BATCHES)
    with pytest.raises(QvizError, match="no shape yet"):
        qviz.capture(torch.nn.LazyLinear(2), BATCHES)
