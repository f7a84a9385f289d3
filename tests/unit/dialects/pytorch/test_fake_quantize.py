"""Fake quantization with one scale: two kinds of arguments, types, buffers, refusals."""

import numpy as np
import pytest
import torch

from qviz.dialects.pytorch import (
    fake_quantize_per_tensor_affine,
    fake_quantize_per_tensor_affine_cachemask,
    fake_quantize_per_tensor_affine_cachemask_backward,
)
from qviz.errors import QvizError
from tests.unit.dialects.pytorch.oracle import batch, outcome, same

RANGES = ((-128, 127), (0, 255), (-8, 7), (0, 65535), (-(2**31), 2**31 - 1), (0, 0))


def test_the_zero_point_is_added_after_rounding():
    x = np.float32([0.5, 1.5, -0.5])
    assert fake_quantize_per_tensor_affine(x, 1.0, 1, 0, 255).tolist() == [0, 2, 0]


def test_mask_and_gradient():
    y, mask = fake_quantize_per_tensor_affine_cachemask(
        np.float32([-3, 0, 3, np.nan, np.inf]), 0.5, 1, -2, 2
    )
    assert y.tolist() == [-1.5, 0, 0.5, -1.5, 0.5]
    assert mask.tolist() == [False, True, False, False, False]
    grad = np.arange(5, dtype=np.float32)
    passed = fake_quantize_per_tensor_affine_cachemask_backward(grad, mask)
    assert passed.tolist() == [0, 1, 0, 0, 0]


def test_only_numbers_are_checked():
    x = np.float32([10])
    with pytest.raises(RuntimeError, match="none of the codes"):
        fake_quantize_per_tensor_affine(x, 1.0, 300, 0, 255)
    scale, zero = np.float32([1]), np.int32([300])
    assert fake_quantize_per_tensor_affine(x, scale, zero, 0, 255).tolist() == [-45]
    with pytest.raises(RuntimeError, match="2 elements"):
        fake_quantize_per_tensor_affine(x, np.float32([1, 2]), zero, 0, 255)


def test_refusals():
    with pytest.raises(RuntimeError, match="above quant_max"):
        fake_quantize_per_tensor_affine(np.zeros(0, np.float32), 1.0, 0, 5, 1)
    with pytest.raises(QvizError, match="int64") as error:
        fake_quantize_per_tensor_affine(np.arange(3), 1.0, 0, 0, 255)
    assert error.value.stands_for == "NotImplementedError"


def test_a_buffer_is_filled_and_returned():
    x = np.linspace(-5, 5, 200_000, dtype=np.float32).reshape(400, 500)
    want = fake_quantize_per_tensor_affine(x, 0.1, 3, -20, 20)
    out = np.full_like(x, 7)
    assert fake_quantize_per_tensor_affine(x, 0.1, 3, -20, 20, out=out) is out
    assert out.tobytes() == want.tobytes()
    tensor = torch.zeros(400, 500)
    got = fake_quantize_per_tensor_affine(torch.from_numpy(x), 0.1, 3, -20, 20, out=tensor)
    assert got is tensor and tensor.numpy().tobytes() == want.tobytes()
    assert fake_quantize_per_tensor_affine(x, 0.1, 2**23, 0, 2**24, out=out)[0, 0] == np.float32(-5)


@pytest.mark.parametrize(
    ("x", "out"),
    [
        (np.zeros(4, np.float32), np.zeros(5, np.float32)),
        (np.zeros(4, np.float32), np.zeros(4)),
        (np.zeros(4), np.zeros(4, np.float32)),
        (np.zeros(4, np.float32), np.zeros(8, np.float32)[::2]),
    ],
)
def test_a_buffer_that_does_not_fit(x, out):
    with pytest.raises(RuntimeError, match="does not fit"):
        fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 255, out=out)


def test_zeros_have_no_sign():
    x = np.float32([-0.1, -0.0, 0.0, 0.1])
    back = fake_quantize_per_tensor_affine(x, 1.0, 0, -128, 127)
    assert not np.signbit(back).any() and not back.any()


@pytest.mark.parametrize("seed", range(150))
def test_torch_says_the_same(seed):
    rng = np.random.default_rng(seed)
    low, high = RANGES[rng.integers(len(RANGES))]
    scale, zero = float(10.0 ** rng.uniform(-4, 2)), int(rng.integers(low, high + 1))
    scale = float(rng.choice([0.0, -0.1, np.inf, np.nan])) if seed % 15 == 0 else scale
    spread = scale if np.isfinite(scale) and scale else 1.0
    kind = ("float32", "float32", "float64", "float16")[seed % 4]
    with np.errstate(all="ignore"):
        x = batch(rng, ((40,), (3, 0), (2, 3, 5), ())[seed % 4], spread, odd=True).astype(kind)
    tensor = torch.from_numpy(np.array(x))
    pairs = [(scale, zero), (torch.tensor([scale]), torch.tensor([zero], dtype=torch.int32))]
    for pair in pairs:
        want = outcome(lambda p=pair: torch.fake_quantize_per_tensor_affine(tensor, *p, low, high))
        for given in (x, tensor):
            got = outcome(lambda p=pair, g=given: ours(g, p, low, high))
            assert same(got, want)
            assert isinstance(got, str) or isinstance(got, type(given))
    want = torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(tensor, *pairs[0], low, high)
    assert same(fake_quantize_per_tensor_affine_cachemask(x, *pairs[0], low, high), tuple(want))


def ours(x, pair, low, high):
    return fake_quantize_per_tensor_affine(x, *pair, low, high)


def test_bfloat16_is_rounded_once():
    x = torch.linspace(-3, 3, 101).bfloat16()
    want = torch.fake_quantize_per_tensor_affine(x, 0.037, 5, -128, 127)
    assert same(fake_quantize_per_tensor_affine(x, 0.037, 5, -128, 127), want)
