"""The fused rule by hand, and beside torch's operator."""

import numpy as np
import pytest
import torch

from qviz.dialects.pytorch.fused_rule import FusedRule
from tests.unit.dialects.pytorch.oracle import same

RANGES = ((0, 255), (-128, 127), (-127, 127), (0, 127), (-8, 7), (0, 15), (-128, 0))


def found(lo, hi, ends, symmetric=False):
    scale, zero = FusedRule(ends, symmetric).qparams(np.float32([lo]), np.float32([hi]))
    return scale[0], zero[0]


def test_affine():
    assert found(-1, 254, (0, 255)) == (1, 1)
    assert found(2, 255, (0, 255)) == (1, 0)
    assert found(-255, -3, (-128, 127)) == (1, 127)


def test_symmetric_data_of_one_sign_is_quantized_as_affine():
    scale, zero = found(1, 2, (-128, 127), symmetric=True)
    assert (scale, zero) == (np.float32(2 / 255), -128)
    # -128 to 64 is mirrored to -128 to 127
    assert found(-128, 64, (-128, 127), symmetric=True) == (1, 0)


def test_no_width_and_little_width():
    assert found(0, 0, (0, 255)) == (np.float32(0.1), 0)
    assert found(0, 0, (-128, 127)) == (np.float32(0.1), 127)
    assert found(0, 1e-40, (0, 255)) == (np.float32(0.1), 0)  # 1 / scale overflows
    assert found(0, 1e-6, (0, 255)) == (np.float32(6.1e-5), 0)


def test_nan_and_infinite_ranges():
    for ends in ((np.nan, np.nan), (-np.inf, np.inf)):
        scale, zero = found(*ends, (0, 255))
        assert not np.isfinite(scale) and zero == -(2**31)


@pytest.mark.parametrize("ends", RANGES)
@pytest.mark.parametrize("symmetric", [False, True])
def test_torch_says_the_same(ends, symmetric):
    rng = np.random.default_rng(ends[1])
    for _ in range(150):
        x = np.sort(rng.normal(size=2) * 10.0 ** rng.integers(-7, 8)).astype(np.float32)
        x = (x, np.abs(x), -np.abs(x), np.float32([0, x[1]]))[rng.integers(4)]
        buffers = [torch.tensor(np.inf), torch.tensor(-np.inf), torch.ones(1)]
        buffers.append(torch.zeros(1, dtype=torch.int32))
        on = torch.ones(1)
        torch.fused_moving_avg_obs_fake_quant(
            torch.from_numpy(x), on, on, *buffers, 0.01, *ends, -1, False, symmetric
        )
        lo, hi = x.min(keepdims=True), x.max(keepdims=True)
        assert same(FusedRule(ends, symmetric).qparams(lo, hi), tuple(buffers[2:]))
