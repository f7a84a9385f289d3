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
FOUR = (QuantSpec(4), QuantSpec(4, signed=True, symmetric=True))
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


def softmax(rng, shape):
    x = np.exp(rng.standard_normal(shape, np.float32))
    return x / x.sum(1, keepdims=True)


BOTH = (UNSIGNED, SYMMETRIC)
LARGE = {
    "normal": (lambda rng: rng.standard_normal(1_100_000, np.float32), ROLES[2:], (*BOTH, *FOUR)),
    "embedding": (lambda rng: rng.standard_normal((50_257, 64), np.float32) / 50, ROLES[::2], BOTH),
    "laplace": (lambda rng: rng.laplace(size=(100_000, 10)), ROLES, BOTH),
    "softmax": (lambda rng: softmax(rng, (100_000, 100)), ROLES[1:], BOTH[:1]),
    "conv": (
        lambda rng: math.sqrt(2 / 4608) * rng.standard_normal((512, 512, 3, 3), np.float32),
        *(ROLES[::2], BOTH),
    ),
    "t5": (lambda rng: rng.standard_t(5, (8, 100_000)), ROLES, BOTH),
    "gamma": (lambda rng: rng.uniform(0.9, 1.1, 64), ROLES[::2], BOTH),
}


def large(kind):
    """Large tensors of one kind under the codes that suit it, each with its roles; float32."""
    make, roles, codes = LARGE[kind]
    x = make(np.random.default_rng(5)).astype(np.float32)
    for spec in codes:
        for role in roles:
            yield f"{kind} {role} {spec.bits} {spec.symmetric}", x, spec, role
