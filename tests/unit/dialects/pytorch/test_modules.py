"""FakeQuantize and FixedQParamsFakeQuantize: buffers, switches, gradients, refusals."""

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from qviz.dialects.pytorch import FakeQuantize, FixedQParamsFakeQuantize
from qviz.errors import QvizError


def test_observe_then_quantize():
    module = FakeQuantize()
    y = module(np.float32([-1, 0.4, 254, 300]))  # the first batch is copied: -1 to 300
    assert module.scale.tolist() == [np.float32(301 / 255)] and module.zero_point.tolist() == [1]
    assert module.zero_point.dtype == np.int32
    step = np.float32(301 / 255)
    assert y.tolist() == [np.float32(k) * step for k in (-1, 0, 215, 254)]
    assert module.backward(np.ones(4, np.float32)).tolist() == [1, 1, 1, 1]
    scale, zero = module.calculate_qparams()
    assert (scale.tolist(), zero.tolist()) == (module.scale.tolist(), [1])


def test_switches():
    module = FakeQuantize(observer="MinMaxObserver", dtype="qint8", quant_min=-2, quant_max=1)
    module.disable_observer()
    x, grad = torch.tensor([-5.0, 0.6, 3.0]), torch.tensor([1.0, 2.0, 3.0])
    assert module(x).tolist() == [-2, 1, 1]  # scale 1 and zero point 0 before data
    assert module.backward(grad).tolist() == [0, 2, 0]
    module.disable_fake_quant()
    assert module(x) is x and module.backward(grad) is grad
    module.enable_observer()
    module(x)
    assert isinstance(module.scale, torch.Tensor)
    assert module.scale.tolist() == [np.float32(8 / 3)]
    module.enable_fake_quant()
    assert module(x).tolist() != x.tolist()


def test_the_observers_reduced_codes_are_used():
    module = pytorch.default_fake_quant()
    assert (module.quant_min, module.quant_max) == (0, 127)
    y = module(np.float32([0, 127]))
    assert module.scale.tolist() == [1] and y.tolist() == [0, 127]


def test_symmetric_reduced_quint8_is_one_sided():
    module = FakeQuantize(
        observer=pytorch.HistogramObserver, qscheme="per_tensor_symmetric", reduce_range=True
    )
    y = module(np.linspace(-1, 1, 100, dtype=np.float32))
    assert module.zero_point.tolist() == [128] and (y < 0).all()


def test_channels_and_real_zero_points():
    module = FakeQuantize(
        observer=pytorch.PerChannelMinMaxObserver, qscheme=torch.per_channel_affine_float_qparams
    )
    y = module(np.float32([[1, 256], [5, 5]]))
    assert module.zero_point.tolist() == [-1, -5] and module.zero_point.dtype == np.float32
    assert y.tolist() == [[1, 256], [5, 5]] and module.ch_axis == 0


def test_an_empty_first_batch():
    assert FakeQuantize()(np.zeros((0, 3), np.float32)).shape == (0, 3)
    channels = FakeQuantize(observer=pytorch.PerChannelMinMaxObserver, qscheme="per_channel_affine")
    with pytest.raises(RuntimeError, match="1 scales for 4 channels"):
        channels(np.zeros((4, 0), np.float32))


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"quant_min": 5, "quant_max": 1}, AssertionError, "above quant_max"),
        ({"quant_min": 0, "quant_max": 255, "dtype": "qint8"}, AssertionError, "out of bound"),
        ({"quant_min": 0, "quant_max": 1, "dtype": "float16"}, TypeError, "no limits"),
        ({"qscheme": "per_channel_affine"}, NotImplementedError, "does not support"),
        ({"observer": "NoopObserver"}, TypeError, "no observer for a module"),
    ],
)
def test_refusals(given, error, words):
    with pytest.raises(error, match=words):
        FakeQuantize(**given)


def test_a_type_given_in_advance_sets_the_limits():
    signed = pytorch.MovingAverageMinMaxObserver.with_args(dtype="qint8")
    assert FakeQuantize(signed, -128, 127).dtype == "qint8"
    with pytest.raises(QvizError, match="qint8 holds"):
        FakeQuantize(signed, 0, 255)


def test_fixed_qparams():
    module = pytorch.default_fixed_qparams_range_neg1to1_fake_quant()
    y = module(torch.tensor([-1.0, 0.5, 1.0]))
    assert y.tolist() == [-1.0, 0.5, 127 / 128]
    assert module.scale.tolist() == [1 / 128] and module.zero_point.tolist() == [128]
    assert [v.tolist() for v in module.calculate_qparams()] == [[1 / 128], [128]]
    with pytest.raises(AssertionError, match="no fixed qparams"):
        FixedQParamsFakeQuantize(pytorch.MinMaxObserver)
