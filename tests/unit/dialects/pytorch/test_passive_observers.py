"""Observers that compute nothing from the data."""

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from qviz.errors import QvizError

SILENT = ("PlaceholderObserver", "RecordingObserver", "NoopObserver", "ReuseInputObserver")


@pytest.mark.parametrize("name", SILENT)
def test_no_answer(name):
    observer = getattr(pytorch, name)()
    x = torch.tensor([1.0])
    assert observer(x) is x
    with pytest.raises(QvizError, match=name) as error:
        observer.calculate_qparams()
    assert error.value.stands_for == "Exception"


def test_their_types():
    kinds = [getattr(pytorch, name)().dtype for name in SILENT]
    assert kinds == ["float32", "quint8", "float16", "quint8"]
    placeholder = pytorch.PlaceholderObserver(torch.float16, quant_min=0, quant_max=255)
    assert (placeholder.dtype, placeholder.quant_max) == ("float16", 255)
    assert placeholder.qscheme == "per_tensor_affine" and placeholder.eps == 2.0**-23


def test_fixed_qparams():
    observer = pytorch.FixedQParamsObserver(1 / 3, 7)
    observer(torch.tensor([5.0]))
    scale, zero = observer.calculate_qparams()
    assert scale.dtype == torch.float32 and scale.tolist() == [np.float32(1 / 3)]
    assert zero.dtype == torch.int32 and zero.tolist() == [7]
    assert (observer.quant_min, observer.quant_max) == (0, 255)
    with pytest.raises(NotImplementedError):
        pytorch.FixedQParamsObserver(1, 0, is_dynamic=True)


def test_recorded_batches_are_copies():
    observer, x, y = pytorch.RecordingObserver(), np.float32([1]), torch.tensor([2.0])
    observer(x)
    observer(y)
    x[0] = y[0] = 9
    assert [v.tolist() for v in observer.get_tensor_value()] == [[1], [2]]
