import numpy as np
import pytest

from qviz.pipeline.largest import largest_along

SHAPES = [(7,), (1, 1), (2, 0, 3), (5, 1, 3), (113, 6, 3, 3), (3000, 2), (2, 17, 40), (1, 2_000)]


@pytest.mark.parametrize("shape", SHAPES)
def test_each_axis_of_each_shape(shape):
    x = np.abs(np.random.default_rng(0).standard_normal(shape)).astype(np.float32)
    found = largest_along(x)
    assert len(found) == len(shape)
    for axis, largest in enumerate(found):
        others = tuple(a for a in range(x.ndim) if a != axis)
        np.testing.assert_array_equal(largest, x.max(axis=others, initial=0))


def test_a_block_in_any_order_of_memory():
    x = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    assert [a.tolist() for a in largest_along(x)] == [[20, 21, 22, 23], [11, 23], [15, 19, 23]]
