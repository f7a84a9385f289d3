"""fake_quant_with_min_max_* under TensorFlow's own names."""

import numpy as np
import pytest
import torch

from qviz.dialects import tensorflow as tf
from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec, Range

f32 = np.float32
TIE = f32([0.5])  # in the range (1, 2), which is nudged to (0, 1)


def test_the_three_differ_at_ties():
    args = tf.fake_quant_with_min_max_args(TIE, 1.0, 2.0)
    one = tf.fake_quant_with_min_max_vars(TIE, f32(1), f32(2))
    channel = tf.fake_quant_with_min_max_vars_per_channel(TIE, f32([1]), f32([2]))
    assert (args[0], one[0], channel[0]) == (f32(0.5019608), f32(0.49803925), f32(0.5019608))


def test_defaults_of_args():
    got = tf.fake_quant_with_min_max_args(f32([-9, 0, 9]))
    assert got == pytest.approx([-6.0235295, 0, 5.9764705])


def test_arguments_reach_the_rule():
    x = f32([-9, 9])
    assert tf.fake_quant_with_min_max_args(x, -1, 1, num_bits=2).tolist() == pytest.approx(
        [-4 / 3, 2 / 3]
    )
    narrow = tf.fake_quant_with_min_max_vars(x, -1.0, 1.0, 2, True)
    assert narrow.tolist() == [-1, 1]
    per = tf.fake_quant_with_min_max_vars_per_channel(x, f32([-1, 0]), f32([1, 3]), 2, True)
    assert per.tolist() == [-1, 3]


def test_zeros_and_equal_bounds():
    x = f32([np.nan, 5])
    assert tf.fake_quant_with_min_max_vars(x, 0.0, 0.0).tobytes() == f32([0.0, 0.0]).tobytes()
    assert np.isnan(tf.fake_quant_with_min_max_vars(x, 2.0, 2.0)).all()
    with pytest.raises(InvalidArgument, match="min < max"):
        tf.fake_quant_with_min_max_args(x, 0.0, 0.0)


def test_gradients():
    x, g = f32([[-2, 0.1], [0.2, 3]]), f32([[1, 2], [4, 8]])
    assert tf.fake_quant_with_min_max_args_gradient(g, x, -1, 1).tolist() == [[0, 2], [4, 0]]
    dx, low, high = tf.fake_quant_with_min_max_vars_gradient(g, x, -1.0, 1.0)
    assert dx.tolist() == [[0, 2], [4, 0]] and (low, high) == (1, 8)
    dx, low, high = tf.fake_quant_with_min_max_vars_per_channel_gradient(
        torch.from_numpy(g), torch.from_numpy(x), f32([-1, -1]), f32([1, 9]), 8, True
    )
    assert dx.tolist() == [[0, 2], [4, 8]]
    assert (low.tolist(), high.tolist()) == ([1, 0], [0, 0]) and low.dtype == torch.float32


def test_gradients_take_bits_and_narrow_range():
    x = f32([-1.25])
    wide = tf.fake_quant_with_min_max_args_gradient(f32([1]), x, -1, 1, 2)  # starts at -4/3
    narrow = tf.fake_quant_with_min_max_args_gradient(f32([1]), x, -1, 1, 2, True)
    assert (wide[0], narrow[0]) == (1, 0)


@pytest.mark.parametrize("channels", [3, 100])
def test_channels_lie_along_the_last_axis_of_any_shape(channels):
    rng = np.random.default_rng(channels)
    x = rng.normal(size=(2, 3, 5, channels)).astype(f32)
    low, high = -rng.random(channels).astype(f32), rng.random(channels).astype(f32)
    got = tf.fake_quant_with_min_max_vars_per_channel(x, low, high, 4)
    for c in range(channels):
        alone = tf.fake_quant_with_min_max_args(x[..., c], low[c], high[c], 4)
        assert np.array_equal(got[..., c], alone)


@pytest.mark.parametrize(("op", "call"), [("args", "args"), ("vars", "vars")])
def test_a_mode_says_what_the_op_says(op, call):
    x = np.random.default_rng(2).normal(size=300).astype(f32)
    grid = QUANTIZERS.make(f"tf.fake_quant:op={op}").quantizer(Range(-1.3, 0.7), QuantSpec(5))
    ours = getattr(tf, f"fake_quant_with_min_max_{call}")(x, f32(-1.3), f32(0.7), 5)
    assert np.array_equal(grid.fake_quantize(x[None])[0], ours)
