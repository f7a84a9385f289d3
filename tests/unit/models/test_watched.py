"""A torch module that gives others in another run is told of, and nothing wrong is saved."""

import random

import numpy as np
import pytest
import torch
from torch import nn

import qviz
from qviz.errors import QvizError
from qviz.sources.base import open_file

X = [torch.arange(12.0).reshape(3, 4) + at for at in range(2)]


class Remembers(nn.Module):
    """Mixes in what it saw before, which it keeps in an attribute."""

    def __init__(self):
        super().__init__()
        self.h, self.act = torch.zeros(4), nn.Identity()

    def forward(self, x):
        self.h = self.h * 0.5 + x.mean(0)
        return self.act(x + self.h)


class Caches(Remembers):
    """Grows with each call."""

    def forward(self, x):
        self.h = torch.cat([self.h.reshape(-1, 4), x])
        return self.act(self.h)


class Draws(Remembers):
    def forward(self, x):
        return self.act(x * random.random())


class Once(Remembers):
    """Calls its module in its first two runs alone."""

    def forward(self, x):
        self.h = self.h + 1
        return self.act(x) if self.h[0] < 3 else x


@pytest.mark.parametrize(
    ("make", "words"),
    [(Remembers, r"lo, hi"), (Caches, "shape"), (Draws, "lo, hi"), (Once, "was not given")],
)
def test_another_outcome_of_another_run_is_told_of(make, words, tmp_path):
    seen = qviz.capture(make(), X)
    with pytest.raises(QvizError, match=rf"{words}.*that is no buffer"):
        seen["act"]
    with pytest.raises(QvizError, match=words):
        seen.save(tmp_path / "c.npz", values=True)
    assert list(tmp_path.iterdir()) == []
    seen.save(tmp_path / "lean.npz")  # statistics alone are those of one run
    lean = open_file(tmp_path / "lean.npz")
    assert lean.info("act").shape == seen.info("act").shape


def test_weights_that_changed_since_are_not_saved(tmp_path):
    layer = nn.Linear(4, 2)
    seen = qviz.capture(layer, X)
    assert np.array_equal(seen["weight"], layer.weight.detach())
    with torch.no_grad():
        layer.weight[0, 0] += 1
    for act in (lambda: seen["weight"], lambda: seen.save(tmp_path / "c.npz")):
        with pytest.raises(QvizError, match="values of weight are not those counted"):
            act()
    assert list(tmp_path.iterdir()) == []


def test_a_module_that_writes_to_its_parameters_is_captured_whole(tmp_path):
    class Writes(nn.Linear):
        def forward(self, x):
            self.weight.add_(1)
            return super().forward(x)

    layer = Writes(4, 2)
    before = layer.weight.detach().clone()
    seen = qviz.capture(layer, X)
    seen.save(tmp_path / "c.npz", values=True)
    assert torch.equal(layer.weight, before)
    assert np.array_equal(open_file(tmp_path / "c.npz")["weight"], before)
    first = nn.functional.linear(X[0], before + 1, layer.bias)
    assert torch.equal(torch.tensor(seen["output"][:3]), first)


def test_batches_of_several_types_are_read_as_the_first():
    seen = qviz.capture(nn.Identity(), [torch.ones(2, 3), torch.arange(3).reshape(1, 3)])
    assert seen["output"].dtype == np.float32
    assert seen["output"].tolist() == [[1, 1, 1], [1, 1, 1], [0, 1, 2]]
