"""_LearnableFakeQuantize: parameters, modes, gradients; and the mode of the app."""

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from qviz.dialects.pytorch import _LearnableFakeQuantize as Learnable
from qviz.dialects.pytorch.learnable import TorchLearnable, shifted
from qviz.spec import QuantSpec, Range

MINMAX = pytorch.MinMaxObserver
X = np.float32([-3, 0.4, 1, 9])


def test_parameters_follow_the_observer_until_they_learn():
    module = Learnable(MINMAX)
    module(np.float32([-1, 254]))
    assert module.scale.tolist() == [1] and module.zero_point.tolist() == [1]
    assert module.scale.dtype == module.zero_point.dtype == np.float32
    assert module.enable_param_learning() is module
    module(np.float32([1000]))
    assert module.scale.tolist() == [1] and module.activation_post_process.max_val == 254
    module.scale = np.float32([-5])
    module(X)
    assert module.scale.tolist() == [2.0**-23]  # raised before each forward pass
    module.enable_static_observation()
    assert module(X) is X and module.backward(X) is X
    module.enable_static_estimate()
    assert module(X) is not X and module.scale.tolist() == [np.float32(257 / 255)]


def test_gradients_by_hand():
    module = Learnable(MINMAX, quant_min=-2, quant_max=4, scale=1.0, zero_point=0.0, dtype="qint8")
    module.enable_param_learning()
    assert module(X).tolist() == [-2, 0, 1, 4]
    found = module.gradients(np.float32([1, 2, 4, 8]))
    assert found.input.tolist() == module.backward(np.float32([1, 2, 4, 8])).tolist()
    assert found.input.tolist() == [0, 2, 4, 0]
    # below: -2; inside: 2 (0 - 0.4), 4 (1 - 1); above: 8 * 4
    assert found.parameters["scale"] == pytest.approx([-2 - 0.8 + 32])
    assert found.parameters["zero_point"].tolist() == [-9]


def test_gradients_may_be_scaled_down():
    plain, scaled = (Learnable(MINMAX, use_grad_scaling=scale) for scale in (False, True))
    grads = []
    for module in (plain, scaled):
        module.enable_param_learning()
        module(X)
        grads.append(module.gradients(np.ones(4, np.float32)).parameters["scale"][0])
    assert grads[1] == pytest.approx(grads[0] / np.sqrt(4 * 255), rel=1e-6)
    with pytest.raises(ZeroDivisionError):
        scaled(np.zeros(0, np.float32))


def test_a_symmetric_scheme_sets_the_zero_point_to_0():
    module = Learnable(MINMAX, qscheme="per_tensor_symmetric")
    y = module(np.float32([-1, 1]))
    assert module.zero_point.tolist() == [0] and y[0] == 0  # half the range is lost


def test_channels():
    module = Learnable(pytorch.PerChannelMinMaxObserver, channel_len=2, ch_axis=0)
    module(torch.tensor([[0.0, 255.0], [-1.0, 254.0]]))
    assert module.scale.tolist() == [1, 1] and module.zero_point.tolist() == [0, 1]
    zero = module.calculate_qparams()[1]
    assert zero.tolist() == [0, 1] and zero.dtype == torch.int64
    with pytest.raises(RuntimeError, match="2 qparams do not fit 1"):
        Learnable(pytorch.PerChannelMinMaxObserver)(np.zeros((2, 2), np.float32))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"quant_min": 3, "quant_max": 3}, "too few"),
        ({"channel_len": 0}, "no count"),
        ({"quant_min": -1}, "out of bound"),
    ],
)
def test_refusals(given, words):
    with pytest.raises(AssertionError, match=words):
        Learnable(MINMAX, **given)


def test_gradients_need_a_forward_pass():
    with pytest.raises(AssertionError, match="Nothing was quantized"):
        Learnable(MINMAX).gradients(X)


def test_the_backward_pass_has_a_zero_point_of_its_own():
    assert shifted(np.float32([-3, 2.5, 2, 300, -0.7]), (-128, 127)).tolist() == [-2, 3, 2, 127, 0]


def test_the_mode():
    grid = TorchLearnable().quantizer(Range(-1.0, 1.0), QuantSpec(8, symmetric=True))
    assert grid.zero_point.tolist() == [0]
    grid = TorchLearnable().quantizer(Range(-1.0, 254.0), QuantSpec(8))
    found = grid.backward(np.float32([[-5, 2.25]]), np.float32([[1, 1]]))
    assert found.input.tolist() == [[0, 1]]
    assert found.parameters["scale"].tolist() == [[-1, -0.25]]
    assert found.parameters["zero_point"].tolist() == [[-1, 0]]
