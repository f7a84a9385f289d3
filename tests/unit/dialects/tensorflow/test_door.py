"""TensorFlow's own names: arguments, defaults, axes, kinds of arrays."""

import inspect

import numpy as np
import pytest
import torch

from qviz.dialects import tensorflow as tf
from qviz.dialects.tensorflow.errors import InvalidArgument, Unimplemented
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec, Range

f32 = np.float32
NEEDED = inspect.Parameter.empty
FAKE = {"num_bits": 8, "narrow_range": False, "name": None}
ROUND_TRIP = {
    "input": NEEDED,
    "input_min": NEEDED,
    "input_max": NEEDED,
    "signed_input": True,
    "num_bits": 8,
    "range_given": False,
    "round_mode": "HALF_TO_EVEN",
    "name": None,
    "narrow_range": False,
    "axis": None,
}
DOCUMENTED = {
    "quantize": {
        "input": NEEDED,
        "min_range": NEEDED,
        "max_range": NEEDED,
        "T": NEEDED,
        "mode": "MIN_COMBINED",
        "round_mode": "HALF_AWAY_FROM_ZERO",
        "name": None,
        "narrow_range": False,
        "axis": None,
        "ensure_minimum_range": 0.01,
    },
    "dequantize": {
        "input": NEEDED,
        "min_range": NEEDED,
        "max_range": NEEDED,
        "mode": "MIN_COMBINED",
        "name": None,
        "axis": None,
        "narrow_range": False,
        "dtype": "float32",
    },
    "fake_quant_with_min_max_args": {"inputs": NEEDED, "min": -6, "max": 6, **FAKE},
    "fake_quant_with_min_max_vars": {"inputs": NEEDED, "min": NEEDED, "max": NEEDED, **FAKE},
    "quantize_and_dequantize": ROUND_TRIP,
    "quantize_and_dequantize_v2": ROUND_TRIP,
    "quantize_and_dequantize_v3": {
        "input": NEEDED,
        "input_min": NEEDED,
        "input_max": NEEDED,
        "num_bits": NEEDED,
        "signed_input": True,
        "range_given": True,
        "narrow_range": False,
        "axis": -1,
        "name": None,
    },
    "quantize_and_dequantize_v4_grad": {
        "gradients": NEEDED,
        "input": NEEDED,
        "input_min": NEEDED,
        "input_max": NEEDED,
        "axis": -1,
        "name": None,
    },
    "quantized_concat": {
        "concat_dim": NEEDED,
        "values": NEEDED,
        "input_mins": NEEDED,
        "input_maxes": NEEDED,
        "name": None,
    },
}
_VARS = DOCUMENTED["fake_quant_with_min_max_vars"]
DOCUMENTED["fake_quant_with_min_max_vars_per_channel"] = _VARS
for _name in ("args", "vars", "vars_per_channel"):
    _forward = DOCUMENTED[f"fake_quant_with_min_max_{_name}"]
    DOCUMENTED[f"fake_quant_with_min_max_{_name}_gradient"] = {"gradients": NEEDED, **_forward}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_arguments_and_defaults(name):
    found = inspect.signature(getattr(tf, name)).parameters
    assert {key: p.default for key, p in found.items()} == DOCUMENTED[name]
    assert list(found) == list(DOCUMENTED[name])


def test_nothing_else_is_offered():
    assert set(tf.__all__) == set(DOCUMENTED)


X = f32([[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("axis", [1, -1, 3, -3])
def test_a_negative_axis_counts_from_the_end(axis):
    low, high = np.zeros(3, f32), f32([3, 4, 10])
    if axis == 3:
        with pytest.raises(InvalidArgument, match="Axis 3"):
            tf.quantize(X, low, high, "quint8", axis=axis)
        return
    codes, lo, hi = tf.quantize(X, low, high, "quint8", axis=axis)
    assert codes.tolist() == [[0, 64, 51], [255, 255, 128]] and hi.tolist() == [3, 4, 10]
    back = tf.dequantize(codes, lo, hi, axis=axis)
    assert back == pytest.approx(X, abs=0.02)
    per_slice = tf.quantize_and_dequantize(X, 0, 0, axis=axis, num_bits=2, narrow_range=True)
    assert per_slice.tolist() == [[0, 0, 0], [3, 4, 5]]


def test_an_axis_of_a_single_value():
    with pytest.raises(InvalidArgument, match="single value"):
        tf.quantize(f32(1), 0.0, 1.0, "quint8", axis=-1)


@pytest.mark.parametrize("T", ["quint8", np.uint8, np.dtype("uint8"), torch.quint8])
def test_types_by_name_and_by_object(T):  # noqa: N803 - TensorFlow's name
    codes, _, _ = tf.quantize(f32([0, 255]), 0.0, 255.0, T)
    assert codes.dtype == np.uint8 and codes.tolist() == [0, 255]


def test_output_types_by_name_and_by_object():
    for dtype in ("bfloat16", torch.bfloat16):
        assert tf.dequantize(np.uint8([255]), 0.0, 1.0, dtype=dtype).tolist() == [0x3F80]
    assert tf.dequantize(np.uint8([255]), 0.0, 1.0, dtype=np.float32).dtype == f32


def test_arguments_reach_the_ops():
    x = f32([0.5, -9])
    even = tf.quantize(x, -127.0, 127.0, "qint8", "SCALED", "HALF_TO_EVEN", narrow_range=True)
    assert even[0].tolist() == [0, -9]
    assert tf.quantize(x, -1.0, 1.0, "qint8", "SCALED")[1] < -1
    assert tf.quantize(x, 0.0, 0.0, "quint8", ensure_minimum_range=2.0)[2] == 2
    assert tf.dequantize(np.int8([-127]), -1.0, 0.0, "SCALED", narrow_range=True)[0] == -1
    with pytest.raises(Unimplemented):
        tf.dequantize(np.uint8([1, 2]), f32([0, 0]), f32([1, 1]), "MIN_FIRST", axis=0)
    given = tf.quantize_and_dequantize_v2(x, -2.0, 2.0, range_given=True, num_bits=2)
    assert given.tolist() == [0, -4]
    up = tf.quantize_and_dequantize_v2(x, -9.0, 1.0, True, 2, True, "HALF_UP", None, True)
    assert up.tolist() == [0, -9]
    unsigned = tf.quantize_and_dequantize(f32([9, 0]), 0, 0, signed_input=False, num_bits=1)
    assert unsigned.tolist() == [9, 0]
    v3 = tf.quantize_and_dequantize_v3(f32([1, 9]), f32([-1]), f32([3]), 2, False)
    assert v3.tolist() == [1, 3]


def test_both_kinds_of_arrays_give_the_same():
    x = np.random.default_rng(0).normal(size=(20, 3)).astype(f32)
    t = torch.from_numpy(x).requires_grad_()
    ours = tf.quantize(x, -1.0, 2.0, "quint16", "MIN_FIRST")
    theirs = tf.quantize(t, torch.tensor(-1.0), torch.tensor(2.0), "quint16", "MIN_FIRST")
    for one, other in zip(ours, theirs, strict=True):
        assert isinstance(other, torch.Tensor) and not other.requires_grad
        assert np.array_equal(other.numpy(), one)


@pytest.mark.parametrize(
    ("spelling", "mode", "spec", "T"),
    [
        ("tf.min_combined", "MIN_COMBINED", QuantSpec(8, signed=True), "qint8"),
        ("tf.min_first", "MIN_FIRST", QuantSpec(16), "quint16"),
        ("tf.scaled", "SCALED", QuantSpec(8, signed=True, narrow_range=True), "qint8"),
    ],
)
def test_a_mode_says_what_the_op_says(spelling, mode, spec, T):  # noqa: N803
    x = np.random.default_rng(1).normal(size=500).astype(f32)
    grid = QUANTIZERS.make(spelling).quantizer(Range(-1.3, 0.7), spec)
    codes, lo, hi = tf.quantize(x, -1.3, 0.7, T, mode, narrow_range=spec.narrow_range)
    assert np.array_equal(grid.quantize(x[None])[0], codes)
    back = tf.dequantize(codes, lo, hi, mode, narrow_range=spec.narrow_range)
    assert np.array_equal(grid.fake_quantize(x[None])[0], back)


def test_no_warning_for_odd_values():
    odd = f32([np.nan, np.inf, -np.inf, 3e38, 1e-40, -0.0])
    for lo, hi in ((-np.inf, np.inf), (0.0, 1e-40), (-3e38, 3e38), (1.0, 1.0)):
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
            assert tf.quantize(odd, lo, hi, "qint32", mode)[0].dtype == np.int32
            assert tf.dequantize(np.int8([-1, 0, 1]), lo, hi, mode).shape == (3,)
        assert tf.fake_quant_with_min_max_vars(odd, lo, hi).shape == (6,)
        assert tf.quantize_and_dequantize(odd, lo, hi, range_given=True).shape == (6,)
