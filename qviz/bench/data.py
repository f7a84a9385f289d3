"""Tensors to measure on: one distribution, one seed, any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qviz.bench.base import Setup
from qviz.errors import UnknownName

BLOCK = 2**20  # elements drawn at a time: float64 intermediates stay small
DTYPES = ("float32", "float64", "float16", "bfloat16")
Draw = Callable[[np.random.Generator, int], np.ndarray]

DISTS: dict[str, Draw] = {
    "gauss": lambda rng, n: rng.standard_normal(n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "student": lambda rng, n: rng.standard_t(3, size=n),
    "relu": lambda rng, n: np.maximum(rng.standard_normal(n), 0),
    "uniform": lambda rng, n: rng.uniform(-1, 1, size=n),
}


def values(setup: Setup) -> np.ndarray:
    """``setup.n`` values in a NumPy type (bfloat16: as float32)."""
    if setup.dist not in DISTS:
        raise UnknownName(f"No distribution is called {setup.dist!r}.", "", _known(DISTS))
    if setup.dtype not in DTYPES:
        raise UnknownName(f"No type here is called {setup.dtype!r}.", "", _known(DTYPES))
    rng = np.random.default_rng(setup.seed)
    x = np.empty(setup.n, "float32" if setup.dtype == "bfloat16" else setup.dtype)
    for start in range(0, setup.n, BLOCK):
        part = x[start : start + BLOCK]
        part[:] = DISTS[setup.dist](rng, part.size)
    return x


def tensor(setup: Setup) -> Any:
    """The values as a torch tensor on the CPU, sharing memory where the type allows it."""
    import torch

    return torch.from_numpy(values(setup)).to(getattr(torch, setup.dtype))


def _known(names: Any) -> str:
    return f"Known: {', '.join(names)}."
