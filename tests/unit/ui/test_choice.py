"""What is looked at, in words and as a key."""

import numpy as np
import pytest

from qviz.quantizers.base import Target
from qviz.sources.base import TensorInfo
from qviz.spec import Granularity, QuantSpec
from qviz.ui.choice import Choice, in_a_batch, shape_words
from qviz.ui.library import Item


class Held(Item):
    """An item with its elements at hand."""

    def array(self):
        return np.arange(self.info.size, dtype=np.float32).reshape(self.info.shape)


def choice(shape=(4, 3), role="weight", granularity="per_tensor", spec=None, **more):
    item = Held("t", "A tensor", TensorInfo("t", shape, "float32", "f"), None, False)
    target = Target.of(spec, Granularity.parse(granularity))
    return Choice(item, target, more.pop("batch_axis", None), role, **more)


@pytest.mark.parametrize(
    ("shape", "role", "granularity", "axis"),
    [
        ((), "weight", "per_tensor", None),
        ((7,), "bias", "per_tensor", None),
        ((8, 3), "weight", "per_tensor", 0),
        ((8, 3, 3, 3), "weight", "per_tensor", 0),
        ((8, 3), "unknown", "per_tensor", 0),
        ((8, 3), "activation", "per_tensor", 1),
        ((8, 5, 3), "activation", "per_tensor", 2),
        ((8, 3, 9, 9), "activation", "per_tensor", 1),
        ((8, 3, 9, 9), "activation", "per_channel:2", 2),
        ((8, 3), "weight", "per_channel:1", 1),
        ((8, 4), "activation", "per_group:-1:2", 1),
        ((8, 4), "activation", "per_token", 1),
    ],
)
def test_channel_axis(shape, role, granularity, axis):
    assert choice(shape, role, granularity).channel_axis == axis


@pytest.mark.parametrize(
    ("shape", "batch_axis", "axis"),
    [
        ((12, 3, 9, 9), 0, 0),  # axis 1 of the tensor is axis 0 of a batch
        ((12, 3, 9, 9), 2, 1),
        ((12, 3, 9, 9), 1, None),  # every batch has one channel
        ((12, 64), 0, 0),
        ((12, 64), 1, None),
        ((5, 12, 64), 0, 1),
    ],
)
def test_channel_axis_of_a_batch(shape, batch_axis, axis):
    made = choice(shape, "activation", batch_axis=batch_axis)
    assert made.channel_axis == axis
    if axis is not None:
        whole = choice(shape, "activation").channel_axis
        assert made.stream().batches[0].shape[axis] == shape[whole]


@pytest.mark.parametrize(
    ("axis", "batch_axis", "there"),
    [(None, 0, None), (2, None, 2), (0, 1, 0), (2, 1, 1), (1, 1, None), (1, 0, 0)],
)
def test_an_axis_in_a_batch(axis, batch_axis, there):
    assert in_a_batch(axis, batch_axis) == there


@pytest.mark.parametrize(
    ("spec", "granularity", "words"),
    [
        (QuantSpec(), "per_tensor", "8-bit unsigned affine"),
        (QuantSpec(4, True, True, True), "per_tensor", "4-bit signed symmetric narrow range"),
        (QuantSpec(reduce_range=True), "per_tensor", "8-bit unsigned affine reduced range"),
        (QuantSpec(quant_min=5, quant_max=1_005), "per_tensor", "codes 5 to 1,005 affine"),
        (QuantSpec(), "per_channel:1", "8-bit unsigned affine per channel:1"),
        (QuantSpec(), "per_group:-1:32", "8-bit unsigned affine per group:-1:32"),
        (QuantSpec(), "per_token", "8-bit unsigned affine per token"),
    ],
)
def test_scheme(spec, granularity, words):
    assert choice((4, 32), granularity=granularity, spec=spec).scheme == words


@pytest.mark.parametrize(
    ("shape", "words"),
    [((), "a single value"), ((5,), "5"), ((64, 3, 7), "64 × 3 × 7"), ((30_522, 1), "30,522 × 1")],
)
def test_shape_words(shape, words):
    assert shape_words(shape) == words


def test_about():
    assert choice((4, 3)).about == "A tensor, 4 × 3"


def test_batches_are_slices_along_their_axis():
    whole, cut = choice(batch_axis=0), choice(batch_axis=1, upto=2)
    assert (choice().batches, whole.batches, cut.batches) == (1, 4, 3)
    assert [b.tolist() for b in cut.stream().batches] == [[0, 3, 6, 9], [1, 4, 7, 10]]
    assert len(whole.stream().batches) == 4
    assert choice().stream().batches[0].shape == (4, 3)


def test_keys_tell_streams_apart_and_not_codes():
    made = [
        choice(),
        choice(batch_axis=0),
        choice(batch_axis=1),
        choice(batch_axis=0, upto=2),
        choice(granularity="per_channel:0"),
        choice(granularity="per_channel:1"),
    ]
    assert len({one.key for one in made}) == len(made)
    assert choice(spec=QuantSpec(2)).key == choice().key
