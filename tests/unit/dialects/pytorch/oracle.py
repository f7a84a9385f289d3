"""What tests of the door share with torch itself: random settings and data, and equality."""

import numpy as np
import torch

NOTHING = "no error"


def outcome(call):
    """What a call gives, or the name of the error that PyTorch raises there."""
    try:
        return call()
    except (ArithmeticError, AssertionError, LookupError, RuntimeError, TypeError) as error:
        return getattr(error, "stands_for", type(error).__name__)


def same(got, want):
    """Equal bit for bit in type, shape and value; NaN equals NaN, -0 equals 0; errors by name."""
    if isinstance(got, tuple) and isinstance(want, tuple):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(got, str) or isinstance(want, str):
        return isinstance(got, str) and isinstance(want, str) and got == want
    if not isinstance(want, torch.Tensor):
        return got == want
    got = got if isinstance(got, torch.Tensor) else torch.from_numpy(np.array(got))
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    equal = got == want
    return bool((equal | ((got != got) & (want != want))).all())


def batch(rng, shape, scale=1.0, odd=False):
    """Random float32 numbers of many kinds: one-sided, constant, tiny, huge, ties, heavy tails."""
    kind, x = rng.integers(10), rng.normal(size=shape) * scale * 10.0 ** rng.integers(-3, 4)
    made = {
        1: np.abs(x),
        2: np.full(shape, rng.normal() * scale),
        3: x * 10.0 ** rng.integers(-38, 30),
        4: x + 1000 * scale,
        5: -np.abs(x),
        6: np.zeros(shape),
        7: rng.standard_t(1.5, shape) * scale,
        8: rng.integers(-300, 300, shape) * scale / 2,
    }
    with np.errstate(all="ignore"):
        x = np.array(made.get(kind, x)).astype(np.float32)
    if odd and x.size and rng.random() < 0.3:
        x.flat[rng.integers(x.size)] = rng.choice([np.nan, np.inf, -np.inf, 3e38, 1e-45])
    return x


def in_both_kinds(x):
    """The array itself, and a tensor of its own."""
    return x, torch.from_numpy(x.copy())
