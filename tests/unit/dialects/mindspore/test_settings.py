"""What the constructor refuses, and with which kind of error."""

import numpy as np
import pytest

from qviz.dialects.mindspore import FakeQuantWithMinMaxObserver, QuantDtype
from qviz.errors import QvizError

LEARNED = {"mode": "LEARNED_SCALE", "symmetric": True, "narrow_range": True}
TYPES = [
    *({"min_init": value} for value in ("3", None, (1,), True, ["a"], [None])),
    *({"max_init": value} for value in ("3", None, (1,), True)),
    *({"quant_delay": value} for value in (1.0, True)),
    *({name: 1} for name in ("ema", "symmetric", "narrow_range")),
    {"ema_decay": "0.5"},
    {"ema_decay": True},
    {"per_channel": True, "num_channels": 1.0},
    {"per_channel": True, "channel_axis": True},
]
VALUES = [
    {"quant_delay": -1},
    {"min_init": 6},
    {"min_init": 7},
    {"min_init": [1.0], "max_init": [1.0]},
    {"min_init": 2.0**24, "max_init": 2.0**24 + 1},  # the same float32
    {"min_init": [1.0, 2.0]},
    {"min_init": []},
    {"max_init": [1.0, 2.0], "per_channel": True, "num_channels": 3},
    {"min_init": [0.0, 2.0], "max_init": [1.0, 1.0], "per_channel": True, "num_channels": 2},
    {"max_init": float("nan")},
    {"max_init": float("inf")},
    {"max_init": 10**400},
    {"mode": "default"},
    {"mode": None},
    {"mode": "LEARNED_SCALE"},
    {"mode": "LEARNED_SCALE", "symmetric": True},
    LEARNED | {"neg_trunc": True},
    LEARNED | {"quant_dtype": QuantDtype.INT1},
    {"ema": True, "ema_decay": 0},
    {"ema_decay": 1.5},
    {"ema_decay": -0.1},
    {"ema_decay": float("nan")},
    *({"quant_dtype": name} for name in ("INT3", "INT16", "UINT5")),
    {"per_channel": True, "channel_axis": -1},
    {"per_channel": True, "channel_axis": 2, "reading": "ascend"},
    {"per_channel": True, "num_channels": 0},
    {"reading": "cpu"},
    {"precision": "f16"},
]
ACCEPTED = [
    {"neg_trunc": "x"},
    {"channel_axis": 5, "per_channel": True},
    {"channel_axis": -1},
    {"num_channels": 7},
    {"ema_decay": 0},
    {"ema": True, "ema_decay": 1},
    LEARNED | {"ema": "x", "quant_dtype": "INT16"},
    {"mode": "LEARNED_SCALE", "symmetric": True, "neg_trunc": True, "min_init": -6, "max_init": -1},
    {"min_init": [-1, 2.0], "max_init": 3, "per_channel": True, "num_channels": 2},
]


def written(given):
    return ",".join(f"{k}={v}" for k, v in given.items())[:60]


@pytest.mark.parametrize("given", TYPES, ids=written)
def test_types_that_are_refused(given):
    with pytest.raises(TypeError) as error:
        FakeQuantWithMinMaxObserver(**given)
    assert isinstance(error.value, QvizError) and error.value.stands_for == "TypeError"


@pytest.mark.parametrize("given", VALUES, ids=written)
def test_values_that_are_refused(given):
    with pytest.raises(ValueError, match=r"\.$") as error:
        FakeQuantWithMinMaxObserver(**given)
    assert isinstance(error.value, QvizError) and error.value.stands_for == "ValueError"


@pytest.mark.parametrize("given", ACCEPTED, ids=written)
def test_accepted_without_complaint(given):
    made = FakeQuantWithMinMaxObserver(**given)
    assert made.maxq.shape == ((given.get("num_channels", 1),) if "per_channel" in given else (1,))


@pytest.mark.parametrize("given", [7, None, "INT17", "int8", np.int8])
def test_what_is_no_quant_dtype_has_no_bits(given):
    with pytest.raises(AttributeError) as error:
        FakeQuantWithMinMaxObserver(quant_dtype=given)
    assert isinstance(error.value, QvizError) and error.value.stands_for == "AttributeError"


def test_initial_values_are_rounded_to_float32_whatever_the_precision():
    made = FakeQuantWithMinMaxObserver(max_init=0.1, precision="f64")
    assert made.maxq.dtype == np.float64
    assert made.maxq.tolist() == [float(np.float32(0.1))]
