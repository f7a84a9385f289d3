"""Ordinary tensors: nothing is wrong with any of them."""

import math

import numpy as np

from qviz.spec import QuantSpec

UNSIGNED = QuantSpec(8)
SYMMETRIC = QuantSpec(8, signed=True, symmetric=True)
SHAPES = ((10_000,), (100, 100), (64, 40, 8), (16, 8, 9, 9))
ERF = np.vectorize(math.erf)


def gelu(rng, shape):
    x = rng.standard_normal(shape)
    return x * (1 + ERF(x / math.sqrt(2))) / 2


KINDS = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "laplace": lambda rng, shape: rng.laplace(size=shape),
    "relu": lambda rng, shape: np.maximum(rng.standard_normal(shape), 0),
    "gelu": gelu,
}
ROLES = ("weight", "activation", "unknown")


def tensors(seeds=2):
    """120 of them: kinds x shapes x seeds x codes, the role in turn; float32."""
    turn = 0
    for kind, make in KINDS.items():
        for shape in SHAPES:
            for seed in range(seeds * 3 // 2):
                x = make(np.random.default_rng((seed, turn)), shape).astype(np.float32)
                for spec in (UNSIGNED, SYMMETRIC):
                    yield f"{kind}{shape}{seed}{spec.symmetric}", x, spec, ROLES[turn % 3]
                turn += 1
