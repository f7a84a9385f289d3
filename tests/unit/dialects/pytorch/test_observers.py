"""The observers' door: state, answers, kinds of arrays."""

import inspect

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from qviz.dialects.pytorch import (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from qviz.errors import QvizError

MINMAX = [
    ("dtype", "quint8"),
    ("qscheme", "per_tensor_affine"),
    ("reduce_range", False),
    ("quant_min", None),
    ("quant_max", None),
    ("factory_kwargs", None),
    ("eps", 1.1920928955078125e-07),
    ("is_dynamic", False),
]
AVERAGED = [pair for pair in MINMAX if pair[0] != "factory_kwargs"]
CHANNELS = [("dtype", "quint8"), ("qscheme", "per_channel_affine"), *MINMAX[2:]]
SIGNATURES = {
    "MinMaxObserver": MINMAX,
    "MovingAverageMinMaxObserver": [("averaging_constant", 0.01), *AVERAGED],
    "PerChannelMinMaxObserver": [("ch_axis", 0), *CHANNELS],
    "MovingAveragePerChannelMinMaxObserver": [
        ("averaging_constant", 0.01),
        ("ch_axis", 0),
        *(pair for pair in CHANNELS if pair[0] != "factory_kwargs"),
    ],
    "HistogramObserver": [("bins", 2048), *MINMAX],
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_arguments_and_defaults_are_torchs(name):
    parameters = inspect.signature(getattr(pytorch, name)).parameters.values()
    named = [(p.name, p.default) for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert named == SIGNATURES[name]
    assert [p.name for p in parameters if p.kind is p.VAR_KEYWORD] == ["kwargs"]


def test_a_constant_is_no_special_case():
    observer = MinMaxObserver()
    observer(np.full(4, 2.55, np.float32))
    scale, zero = observer.calculate_qparams()
    assert scale.tolist() == pytest.approx([0.01]) and zero.tolist() == [0]
    observer.reset_min_max_vals()
    observer(np.full(4, -2.55, np.float32))
    assert observer.calculate_qparams()[1].tolist() == [255]


def test_before_data_and_after_a_reset():
    observer = MinMaxObserver(qscheme="per_tensor_symmetric")
    assert [v.tolist() for v in observer.calculate_qparams()] == [[1.0], [0]]
    x = torch.tensor([1.0, 2.0])
    assert observer(x) is x
    assert observer.min_val == 1.0 and observer.min_val.shape == ()
    assert isinstance(observer.max_val, torch.Tensor)
    observer.reset_min_max_vals()
    assert observer.min_val == np.inf and observer.max_val == -np.inf


def test_answers_come_in_the_kind_seen_last():
    observer = MinMaxObserver()
    assert all(isinstance(v, np.ndarray) for v in observer.calculate_qparams())
    observer(torch.tensor([1.0], requires_grad=True))
    assert all(isinstance(v, torch.Tensor) for v in observer.calculate_qparams())
    observer(np.float32([2]))
    assert isinstance(observer.min_val, np.ndarray)


def test_lists_and_other_types_are_cast_to_float32():
    observer = MinMaxObserver()
    observer([1, 2])
    observer(torch.tensor([7, -3], dtype=torch.int32))
    observer(torch.tensor([8.5], dtype=torch.bfloat16))
    assert (observer.min_val, observer.max_val) == (-3, 8.5)
    assert observer.min_val.dtype == torch.float32


def test_the_averages_share():
    half = MovingAverageMinMaxObserver(averaging_constant=0.5)
    for x in ([-4.0, 8.0], [0.0, 0.0]):
        half(np.float32(x))
    assert (half.min_val, half.max_val) == (-2, 4)
    channels = MovingAveragePerChannelMinMaxObserver(0.5)
    for k in (0, 4):
        channels(np.float32([[0, 1], [2, 3]]) + k)
    assert channels.min_val.tolist() == [2, 4] and channels.max_val.tolist() == [3, 5]


def test_channels():
    observer = PerChannelMinMaxObserver(ch_axis=-1, dtype="qint8", qscheme="per_channel_symmetric")
    assert observer.min_val.shape == (0,)
    assert [v.tolist() for v in observer.calculate_qparams()] == [[1.0], [0]]
    observer(np.float32([[-127.5, 1], [0, 255]]))
    assert observer.min_val.tolist() == [-127.5, 1] and observer.max_val.tolist() == [0, 255]
    scale, zero = observer.calculate_qparams()
    assert scale.tolist() == [1, 2] and zero.tolist() == [0, 0] and zero.dtype == np.int64
    observer.reset_min_max_vals()
    assert observer.max_val.shape == (0,)


@pytest.mark.parametrize(
    ("shape", "axis", "error"),
    [((4,), 0, IndexError), ((), 0, IndexError), ((2, 3), 2, IndexError)],
)
def test_channels_that_do_not_exist(shape, axis, error):
    with pytest.raises(error, match="Two axes or more"):
        PerChannelMinMaxObserver(axis)(np.zeros(shape, np.float32))


def test_another_number_of_channels():
    observer = PerChannelMinMaxObserver()
    observer(np.zeros((3, 2), np.float32))
    with pytest.raises(RuntimeError, match="4 channels, those before had 3"):
        observer(np.zeros((4, 2), np.float32))
    observer(np.ones((1, 2), np.float32))  # one channel serves all
    assert observer.max_val.tolist() == [1, 1, 1]
    assert observer(np.zeros((9, 0), np.float32)).shape == (9, 0)  # nothing changes nothing


def test_crossed_ends_stop_the_answer_only():
    observer = MovingAverageMinMaxObserver(averaging_constant=0.1)
    observer(np.float32([0.06, np.nextafter(np.float32(0.06), np.float32(1))]))
    observer(np.float32([1.42]))
    with pytest.raises(AssertionError, match="should be less than max"):
        observer.calculate_qparams()
    assert observer.min_val > observer.max_val


def test_nan_and_infinities():
    observer = MinMaxObserver()
    observer(np.float32([-1, np.inf]))
    assert [v.tolist() for v in observer.calculate_qparams()] == [[np.inf], [0]]
    observer(np.float32([np.nan]))
    scale, zero = observer.calculate_qparams()
    assert np.isnan(scale).all() and zero.tolist() == [0]


def test_arguments_given_in_advance():
    made = MinMaxObserver.with_args(dtype="qint8").with_args(quant_min=-8, quant_max=7)
    one, other = made(), made(quant_max=3)
    assert (one.dtype, one.quant_min, one.quant_max) == ("qint8", -8, 7)
    assert other.quant_max == 3 and one is not other
    with pytest.raises(QvizError):
        made(qscheme="per_channel_affine")
