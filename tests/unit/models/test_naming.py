"""Names of what modules give are given once, whatever modules are called."""

import torch
from torch import nn

import qviz
from qviz.models.naming import Names, class_of, computed, holds_others, named, plain


def test_calls_and_parts_have_names_of_their_own():
    names = Names(["a", "b", "b.1", "b#2", "b[#2]"])
    assert [names.of("a", 1, 0), names.of("a", 2, 0), names.of("a", 2, 1)] == ["a", "a#2", "a#2.1"]
    assert [names.of("b", 1, 1), names.of("b", 2, 0)] == ["b[1]", "b[#2]'"]
    assert names.of("b", 2, 1) == "b[#2]'.1"
    assert names.of("a", 2, 0) == "a#2"  # the same again


def test_names_are_taken_once():
    names = Names(["output"])
    assert names.own("output", "Net") == "Net"
    assert names.own("output", "Net") == "Net'"
    assert names.own("free", "Net") == "free"


def test_no_two_tensors_are_merged_under_one_name():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(4, 4)
            self.add_module("a#2", nn.Linear(4, 4))
            self.register_parameter("output", nn.Parameter(torch.ones(4)))

        def forward(self, x):
            return getattr(self, "a#2")(self.a(self.a(x)) * 1000) * self.output

    net, x = Net(), torch.ones(3, 4)
    seen = qviz.capture(net, x)
    assert [n for n in seen.names if seen.info(n).role == "activation"] == [
        *("a", "a[#2]", "a#2", "Net")
    ]
    assert seen["output"].shape == (4,)  # the parameter
    with torch.no_grad():
        twice = net.a(net.a(x))
    assert seen["a[#2]"].tolist() == twice.tolist()
    assert seen["a#2"].tolist() == getattr(net, "a#2")(twice * 1000).tolist()


def test_modules_by_all_of_their_names():
    layer = nn.Linear(2, 2)
    net = nn.ModuleDict({"a": layer, "b": layer})
    assert list(named(net)) == ["", "a", "b"] and list(plain(net)) == ["", "a"]


def test_parametrizations_are_no_modules_of_the_network():
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    net = nn.Sequential(layer)
    assert list(plain(net)) == ["", "0"] and "0.parametrizations.weight.0" in named(net)
    assert class_of(layer) == "Linear" and not holds_others(layer) and holds_others(net)
    assert list(computed(net)) == ["0.weight"] and list(computed(layer)) == ["weight"]


def test_a_module_that_only_has_such_a_name_is_one():
    net = nn.Sequential()
    net.add_module("parametrizations", nn.ModuleDict({"weight": nn.ReLU()}))
    assert list(plain(net)) == ["", "parametrizations", "parametrizations.weight"]
    assert holds_others(net) and class_of(net) == "Sequential" and not computed(net)
