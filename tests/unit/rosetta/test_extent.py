"""Range and elements of a tensor."""

import numpy as np
import pytest
import torch

from qviz.errors import QvizError
from qviz.rosetta import comparison, extent
from qviz.rosetta.extent import row_of, sampled


def test_ends_of_the_finite_elements():
    x = np.float32([[np.nan, -2, 3], [np.inf, 0, 1]])
    assert extent.extent(row_of(x)) == (-2.0, 3.0)
    assert extent.extent(row_of(torch.tensor([1.5, -0.1], dtype=torch.bfloat16))) == (
        -0.10009765625,
        1.5,
    )
    assert extent.extent(np.array([0.1, 1e300])) == (float(np.float32(0.1)), np.inf)
    with pytest.raises(QvizError, match="no finite element"):
        extent.extent(np.float32([np.nan]))
    with pytest.raises(QvizError, match="no finite element"):
        extent.extent(np.zeros(0))


def test_samples_are_evenly_spaced(monkeypatch):
    monkeypatch.setattr(comparison, "MOST", 5)
    monkeypatch.setattr(extent, "MOST", 5)
    assert sampled(np.arange(10).reshape(2, 5)).tolist() == [0, 2, 4, 6, 8]
    assert sampled(torch.arange(4)).dtype == np.float32
