"""torch's own functions to the same bits."""

import numpy as np
import pytest
import torch

from qviz.dialects.nvidia import float32

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("count", [2, 3, 17, 129, 2049])
def test_linspace(count):
    for _ in range(100):
        end = np.float32(10 ** RNG.uniform(-4, 4))
        assert np.array_equal(
            float32.linspace(end, count), torch.linspace(0, float(end), count).numpy()
        )


def test_arange():
    for _ in range(300):
        step = np.float32(10 ** RNG.uniform(-4, 1))
        end = np.float32(step * RNG.uniform(1, 3000))
        wanted = torch.arange(0, torch.tensor(end), torch.tensor(step)).numpy()
        assert np.array_equal(float32.arange(end, step), wanted)


@pytest.mark.parametrize("n", [8, 31, 32, 100, 511, 512, 2048, 9001])
def test_total(n):
    rows = RNG.standard_normal((5, n)).astype(np.float32)
    wanted = [float(torch.from_numpy(row.copy()).sum()) for row in rows]
    assert float32.total(rows).tolist() == wanted
