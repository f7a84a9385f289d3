"""Which modules are heard, and under which names."""

from typing import Any

import pytest
import torch
from torch import nn

import qviz
from qviz.errors import QvizError

X = torch.arange(6.0).reshape(2, 3) - 2


class Adds(nn.Module):
    """A residual block; ``how`` it adds."""

    def __init__(self, how="new"):
        super().__init__()
        self.line, self.how = nn.Linear(3, 3), how

    def forward(self, x):
        y = self.line(x)
        if self.how == "in place":
            return y.add_(x)
        return y + x if self.how == "new" else y.view(3, 2) if self.how == "view" else y[:, :2]


class Gives(nn.Module):
    """Gives what it is told to."""

    def __init__(self, make, *inner):
        super().__init__()
        self.make, self.inner = make, nn.ModuleList(inner)

    def forward(self, x):
        return self.make(x, *self.inner)


def heard(module, batches: Any = X, **more: Any):
    seen = qviz.capture(module, batches, **more)
    return [name for name in seen.names if seen.info(name).role == "activation"], seen


@pytest.mark.parametrize("how", ["new", "in place"])
def test_sums_at_the_end_of_blocks_are_there(how):
    block = Adds(how)
    net = nn.Sequential(block, nn.ReLU(), Adds(how))
    names, seen = heard(net)
    assert names == ["0.line", "0", "1", "2.line", "2"]  # "output" is the same tensor as "2"
    with torch.no_grad():
        first = block.line(X)
    assert seen["0.line"].tolist() == first.tolist()
    assert seen["0"].tolist() == (first + X).tolist() and seen.ops["0"] == "Adds"
    assert seen.gathered["0"].extremes[0, 1] == (first + X).max()


@pytest.mark.parametrize(("how", "more"), [("view", []), ("part", ["output"])])
def test_another_view_of_all_of_it_is_no_news(how, more):
    assert heard(Adds(how))[0] == ["line", *more]


def test_the_same_tensor_is_told_once_whoever_hands_it_on():
    net = Gives(lambda x, a, b: (h := a(x), b(h)), Adds(), nn.ReLU())
    assert heard(net)[0] == ["inner.0.line", "inner.0", "inner.1"]
    assert heard(net, modules=["", "inner.0"])[0] == ["inner.0", "output", "output.1"]


def test_names_of_several_tensors_are_no_modules():
    class Pair(nn.Sequential):
        def forward(self, x):
            return self[0](x) + 1, self[1](x) + 2

    names, seen = heard(nn.Sequential(Pair(nn.ReLU(), nn.Tanh())))
    assert names == ["0.0", "0.1", "0", "0[1]"]
    assert seen["0.1"].tolist() == torch.tanh(X).tolist()
    assert seen["0[1]"].tolist() == (torch.tanh(X) + 2).tolist()


def test_a_module_called_output_keeps_its_name():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.output = nn.ReLU()

        def forward(self, x):
            return self.output(x) + 1

    names, seen = heard(Net())
    assert names == ["output", "Net"]
    assert seen["output"].tolist() == X.relu().tolist()


def test_numbers_of_any_kind_are_there_and_others_are_named():
    net = Gives(lambda x, a: {"i": a(x).argmax(1), "b": [x > 0], "words": "text", "none": None})
    net.inner.append(nn.ReLU())
    names, seen = heard(net)
    assert names == ["inner.0", "output", "output.1"]
    assert [seen.info(name).dtype for name in names[1:]] == ["int64", "bool"]
    assert seen.skipped["output (str)"] == "A str is no tensor."


def test_what_no_hook_sees_is_named():
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    seen = qviz.capture(layer, torch.ones(1, 3, 4))
    assert "not called" in seen.skipped["self_attn.out_proj"]
    assert "ONNX" in seen.skipped["functions called in forward"]
    plain = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.ReLU()))
    assert qviz.capture(plain, X).skipped == {}


def test_calls_are_numbered_anew_in_each_batch():
    net = Gives(lambda x, a: a(a(x)) * 2, Adds())
    names, seen = heard(net, [X, X + 1])
    assert names == ["inner.0.line", "inner.0", "inner.0.line#2", "inner.0#2", "output"]
    assert seen.info("inner.0#2").splits == (2, 2)


def test_modules_asked_for_are_told_of_in_any_case():
    assert heard(nn.Sequential(nn.ReLU()), modules="")[0] == ["output"]
    seen = heard(nn.Sequential(Adds()), modules=["0", "0.line"])[1]
    assert seen.skipped == {}
    with pytest.raises(QvizError, match="Some that are: 0"):
        heard(nn.Sequential(Adds()), modules=[nn.ReLU()])


def test_a_run_within_inference_mode_tells_the_same():
    with torch.inference_mode():
        assert heard(nn.Sequential(Adds(), nn.ReLU()), [X + 0])[0] == ["0.line", "0", "1"]
