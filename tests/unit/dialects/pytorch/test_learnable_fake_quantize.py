"""The learnable functions and their gradients, beside torch's operators."""

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from tests.unit.dialects.pytorch.oracle import batch, outcome, same

FORWARD = pytorch._fake_quantize_learnable_per_tensor_affine
BACKWARD = pytorch._fake_quantize_learnable_per_tensor_affine_backward
CHANNEL = pytorch._fake_quantize_learnable_per_channel_affine
CHANNEL_BACKWARD = pytorch._fake_quantize_learnable_per_channel_affine_backward
ATEN = torch.ops.aten
RANGES = ((-128, 127), (0, 255), (-8, 7), (0, 15), (-3, 200), (1, 5))


@pytest.mark.parametrize("seed", range(120))
def test_torch_says_the_same(seed):
    rng = np.random.default_rng(seed)
    low, high = RANGES[rng.integers(len(RANGES))]
    shape = ((40,), (4, 10), (3, 0), (2, 3, 5))[rng.integers(4)]
    scale = (10.0 ** rng.uniform(-4, 2, 1)).astype(np.float32)
    zero = rng.choice([rng.integers(low, high), rng.uniform(low, high), -3, 2.5], 1)
    x, grad = batch(rng, shape, float(scale[0]), odd=True), batch(rng, shape)
    factor = float(10.0 ** rng.uniform(-3, 0))
    given = [torch.from_numpy(np.float32(v)) for v in (x, scale, zero)]
    rest = (low, high, factor)
    want = outcome(lambda: torch._fake_quantize_learnable_per_tensor_affine(*given, *rest))
    assert same(outcome(lambda: FORWARD(*given, *rest)), want)
    both = (torch.from_numpy(grad), *given)
    operator = ATEN._fake_quantize_learnable_per_tensor_affine_backward
    want = outcome(lambda: tuple(operator(*both, *rest)))
    assert same(outcome(lambda: BACKWARD(*both, *rest)), want)
    axis = int(rng.integers(len(shape)))
    scale = (10.0 ** rng.uniform(-4, 2, shape[axis])).astype(np.float32)
    zero = (rng.uniform(low - 1, high + 1, shape[axis]) * 2).round() / 2
    given = [torch.from_numpy(np.float32(v)) for v in (x, scale, zero)]
    rest = (axis, *rest)
    want = outcome(lambda: torch._fake_quantize_learnable_per_channel_affine(*given, *rest))
    assert same(outcome(lambda: CHANNEL(*given, *rest)), want)
    both = (torch.from_numpy(grad), *given)
    operator = ATEN._fake_quantize_learnable_per_channel_affine_backward
    want = outcome(lambda: tuple(operator(*both, *rest)))
    assert same(outcome(lambda: CHANNEL_BACKWARD(*both, *rest)), want)


def test_numpy_says_nearly_the_same():
    rng = np.random.default_rng(0)
    x, grad = (rng.normal(size=(3, 400)).astype(np.float32) for _ in "12")
    scale, zero = np.float32([0.01, 0.02, 0.05]), np.float32([3, -2.5, 0])
    given = (grad, x, scale, zero, 0, -128, 127, 0.1)
    tensors = [torch.from_numpy(v) for v in given[:4]]
    for got, want in zip(
        CHANNEL_BACKWARD(*given), CHANNEL_BACKWARD(*tensors, *given[4:]), strict=True
    ):
        assert isinstance(got, np.ndarray)
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "call",
    [
        lambda: BACKWARD(np.zeros(2), np.zeros(2), [1.0], [0.0], 0, 255),
        lambda: BACKWARD(np.zeros(3, "f4"), np.zeros(2, "f4"), [1.0], [0.0], 0, 255),
        lambda: BACKWARD(np.zeros(2, "f4"), np.zeros(2, "f4"), [1.0], [0.0], 1, 255),
        lambda: FORWARD(np.zeros(2, "f4"), [1.0], [np.nan], 0, 255),
        lambda: FORWARD(np.zeros(2, "f4"), [1.0], [0.0], 5, 1),
        lambda: CHANNEL(np.zeros((2, 2), "f4"), [1.0] * 2, [0.0] * 2, -1, 0, 255),
    ],
)
def test_refusals(call):
    with pytest.raises(RuntimeError):
        call()
