"""Floats as integers, by values whose bits are known."""

import numpy as np
import pytest

from qviz.pipeline.element_floats import apart, floats, keys, least, searched


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (0.0, 0),
        (-0.0, 0),
        (2.0**-149, 1),
        (-(2.0**-149), -1),
        (1.0, 0x3F800000),
        (-1.0, -0x3F800000),
    ],
)
def test_keys_of_float32(value, key):
    assert keys(np.array([value]), "float32")[0] == key
    assert floats(np.array([key]), "float32")[0] == value


def test_keys_of_float64():
    assert keys(np.array([1.0]), "float64")[0] == 0x3FF0_0000_0000_0000
    assert floats(np.array([-1]), "float64")[0] == -5e-324


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_keys_keep_the_order(kind):
    x = np.array([-3e38, -1.0, -1e-40, 0.0, 1e-40, 0.5, 3e38], kind)
    assert (np.diff(keys(x, kind)) > 0).all()
    assert (floats(keys(x, kind), kind) == x).all()


def test_apart_counts_floats_on_both_sides_of_zero():
    assert apart(1.0, 1.0 + 2.0**-22, "float32") == 2
    assert apart(2.0**-149, -(2.0**-149), "float32") == -2
    assert apart(1.0, 1.0 + 2.0**-22, "float64") == 2**30


@pytest.mark.parametrize(("kind", "above"), [("float32", 0.1 + 1.4901161e-9), ("float64", 0.1)])
def test_least_is_the_first_float_that_is_reached(kind, above):
    found = least(lambda v: v >= 0.1, np.array([-5.0], kind), np.array([7.0], kind), kind)
    assert found[0] == np.array(above, kind) and found.dtype == kind
    assert np.nextafter(found[0], -np.inf) < 0.1 <= found[0]


def test_the_type_a_boundary_is_sought_in():
    assert [searched(k) for k in ("float16", "float32", "float64")] == [
        "float32", "float32", "float64",
    ]  # fmt: skip
