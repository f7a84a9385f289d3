"""HistogramObserver's door: refusals, kinds of arrays, all codes of the storage."""

import numpy as np
import pytest
import torch

from qviz.dialects.pytorch import HistogramObserver, MinMaxObserver
from qviz.errors import QvizError


def test_state_and_answer():
    observer = HistogramObserver(bins=4)
    assert [v.tolist() for v in observer.calculate_qparams()] == [[1.0], [0]]
    observer(torch.tensor([0.0, 1, 2, 3, 4, float("inf")]))
    assert observer.histogram.tolist() == [1, 1, 1, 2]
    assert (observer.min_val, observer.max_val) == (0, 4)
    assert isinstance(observer.histogram, torch.Tensor)
    assert observer(torch.empty(0)).shape == (0,)
    observer(np.float32([8]))
    assert observer.max_val == 8 and isinstance(observer.max_val, np.ndarray)


def test_tails_are_cut_off():
    x = np.random.default_rng(0).laplace(size=50_000).astype(np.float32)
    found = []
    for observer in (HistogramObserver(), MinMaxObserver()):
        observer(x)
        found.append(observer.calculate_qparams()[0][0])
    assert found[0] < found[1] * 0.95


def test_the_search_reckons_with_all_codes_of_the_storage():
    levels = [HistogramObserver(dtype=name).dst_nbins for name in ("quint4x2", "int16", "int32")]
    assert levels == [2**8, 2**16, 2**32]
    four_bits = HistogramObserver(quant_min=0, quant_max=15)
    assert four_bits.dst_nbins == 2**8


def test_nan_leaves_the_state_as_it_was():
    observer = HistogramObserver(bins=4)
    observer(np.float32([0, 4]))
    with pytest.raises(RuntimeError, match="no histogram"):
        observer(np.float32([np.nan, 9]))
    assert observer.histogram.tolist() == [1, 0, 0, 1]
    first = HistogramObserver()
    for x in ([np.nan], [1.0]):  # as first data it spoils every later batch
        with pytest.raises(RuntimeError):
            first(np.float32(x))
    assert np.isnan(first.min_val) and np.isnan(first.calculate_qparams()[0]).all()


def test_refusals():
    with pytest.raises(QvizError, match="int64") as error:
        HistogramObserver()(np.arange(4))
    assert error.value.stands_for == "NotImplementedError"
    with pytest.raises(NotImplementedError, match="cannot be reset"):
        HistogramObserver().reset_min_max_vals()
