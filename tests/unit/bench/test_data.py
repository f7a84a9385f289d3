"""Tensors that are measured on."""

import numpy as np
import pytest

from qviz.bench.base import Setup
from qviz.bench.data import BLOCK, DISTS, DTYPES, tensor, values
from qviz.errors import QvizError, UnknownName


@pytest.mark.parametrize("dist", DISTS)
def test_values_are_the_same_each_time_and_of_their_kind(dist):
    x = values(Setup(n=20_000, dist=dist))
    assert x.dtype == np.float32 and np.isfinite(x).all()
    assert (x == values(Setup(n=20_000, dist=dist))).all()
    assert (x != values(Setup(n=20_000, dist=dist, seed=1))).any()
    mean = {"relu": 0.3989}.get(dist, 0.0)  # 1/sqrt(2 pi)
    assert x.mean() == pytest.approx(mean, abs=0.05)


def test_blocks_follow_one_another():
    x = values(Setup(n=BLOCK + 5))
    assert x.size == BLOCK + 5 and len(set(x[-5:])) == 5


@pytest.mark.parametrize("dtype", DTYPES)
def test_types(dtype):
    assert str(tensor(Setup(n=4, dtype=dtype)).dtype) == f"torch.{dtype}"


def test_unknown_names():
    with pytest.raises(UnknownName, match="gauss, laplace"):
        values(Setup(n=4, dist="cauchy"))
    with pytest.raises(UnknownName, match="float32"):
        values(Setup(n=4, dtype="int8"))


@pytest.mark.parametrize("name", ["n", "threads", "rounds"])
def test_a_setup_is_positive(name):
    with pytest.raises(QvizError, match=f"{name} is 0"):
        Setup(**{name: 0})
