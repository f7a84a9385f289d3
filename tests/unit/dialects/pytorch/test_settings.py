"""Codes, zero points and refusals of the observers' arguments."""

import numpy as np
import pytest

from qviz.dialects.pytorch import (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    PerChannelMinMaxObserver,
)
from qviz.dialects.pytorch.settings import resolved
from qviz.errors import QvizError


def settings(dtype="quint8", qscheme="per_tensor_affine", reduce=False, low=None, high=None):
    return resolved(dtype, qscheme, reduce, low, high, 2.0**-23)


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        ({}, (0, 255)),
        ({"reduce": True}, (0, 127)),
        ({"dtype": "qint8", "reduce": True}, (-64, 63)),
        ({"low": -7, "high": 7, "reduce": True}, (-4, 3)),  # floored, not truncated
        ({"low": 0, "high": 127, "reduce": True}, (0, 63)),
        ({"low": -8}, (0, 255)),  # one end alone is ignored
        ({"high": 15}, (0, 255)),
        ({"low": 0, "high": 300}, (0, 300)),  # only 8-bit signed and 32-bit types are checked
        ({"dtype": "int16", "reduce": True}, (-32768, 32767)),
        ({"dtype": "float8_e5m2"}, (0, 15)),
    ],
)
def test_codes(given, ends):
    assert settings(**given).ends == ends


@pytest.mark.parametrize(
    ("given", "zero"),
    [
        ({}, 128),
        ({"low": -18, "high": 43}, 12),
        ({"low": -4, "high": 1}, -2),
        ({"reduce": True, "dtype": "uint8"}, 128),
        ({"dtype": "uint16"}, 32768),
        ({"dtype": "qint8"}, 0),
        ({"dtype": "quint4x2"}, 0),
    ],
)
def test_symmetric_zero_points(given, zero):
    assert settings(qscheme="per_tensor_symmetric", **given).symmetric_zero == zero


REFUSED = [
    (MinMaxObserver, {"dtype": "float16"}, "AssertionError", "No observer works"),
    (MinMaxObserver, {"quant_min": 1, "quant_max": 5}, "AssertionError", "include 0"),
    (MinMaxObserver, {"quant_min": 0, "quant_max": 0}, "AssertionError", "less than"),
    (
        MinMaxObserver,
        {"quant_min": -128, "quant_max": 128, "dtype": "qint8"},
        "AssertionError",
        "at most 256",
    ),
    (MinMaxObserver, {"qscheme": "per_channel_affine"}, "NotImplementedError", "Its schemes"),
    (
        MinMaxObserver,
        {"qscheme": "per_tensor_symmetric", "reduce_range": True},
        "NotImplementedError",
        "reduced range",
    ),
    (MovingAverageMinMaxObserver, {"is_dynamic": True}, "NotImplementedError", "dynamic"),
    (PerChannelMinMaxObserver, {"qscheme": "per_tensor_affine"}, "NotImplementedError", "schemes"),
    (PerChannelMinMaxObserver, {"is_dynamic": True}, "NotImplementedError", "dynamic"),
    (HistogramObserver, {"dtype": "float8_e5m2"}, "TypeError", "integer type"),
    (HistogramObserver, {"bins": 0}, "RuntimeError", "too few"),
    (MinMaxObserver, {"foo": 1}, "TypeError", "no argument foo"),
]


@pytest.mark.parametrize(("cls", "given", "name", "words"), REFUSED)
def test_refusals_are_the_errors_they_stand_for(cls, given, name, words):
    with pytest.raises(QvizError, match=words) as error:
        cls(**given)
    assert error.value.stands_for == name
    assert isinstance(error.value, __builtins__[name])


def test_what_is_not_refused():
    assert MinMaxObserver(is_dynamic=True).is_dynamic
    assert MovingAverageMinMaxObserver(1, is_dynamic=True).is_dynamic
    symmetric = {"qscheme": "per_tensor_symmetric", "reduce_range": True}
    assert HistogramObserver(**symmetric).quant_max == 127
    assert MinMaxObserver(dtype="uint8", **symmetric).quant_max == 127
    assert MinMaxObserver(factory_kwargs={"dtype": "float64"}).eps == 2.0**-23


def test_the_order_of_refusals():
    with pytest.raises(QvizError) as error:
        MinMaxObserver(dtype="float16", qscheme="per_channel_affine")
    assert error.value.stands_for == "NotImplementedError"
    with pytest.raises(QvizError) as error:
        MinMaxObserver("float16", quant_min=5, quant_max=1)
    assert "float16" in str(error.value)


def test_qparams_without_data_and_with():
    none = settings().qparams(np.array(np.inf, np.float32), np.array(-np.inf, np.float32))
    assert [v.tolist() for v in none] == [[1.0], [0]]
    assert [v.dtype for v in none] == [np.float32, np.int64]
    scale, zero = settings().qparams(np.array(-1.0, np.float32), np.array(254.0, np.float32))
    assert (scale.tolist(), zero.tolist(), zero.dtype) == ([1.0], [1], np.int32)
    with pytest.raises(QvizError, match="min 2 should be less than max 1") as error:
        settings().qparams(np.array(2.0, np.float32), np.array(1.0, np.float32))
    assert error.value.stands_for == "AssertionError"


def test_a_real_zero_point_keeps_the_lower_end():
    made = resolved("quint8", "per_channel_affine_float_qparams", False, None, None, 2.0**-23)
    scale, zero = made.qparams(np.float32([1, 3]), np.float32([52, 3]))
    assert scale.tolist() == [np.float32(0.2), 1.0]  # a constant gets scale 1
    assert zero.tolist() == [-5.0, -3.0] and zero.dtype == np.float32
