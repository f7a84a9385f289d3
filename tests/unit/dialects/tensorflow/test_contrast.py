"""A measured op beside its formula, on elements worked out by hand."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.contrast import Element, contrast
from qviz.dialects.tensorflow.setting import Setting
from qviz.spec import QuantSpec


def of(name, lo, hi, values, **setting):
    return contrast(name, lo, hi, Setting(**setting), np.float32(values))


def test_a_cast_against_a_rounding():
    found = of("tf.min_combined", 0.0, 255.0, [0, 0.4, 0.5, 3])
    assert found.element == Element(0.5, 1, 1.0, 0, 0.0)
    assert found.share == 0.25


def test_codes_that_the_documentation_leaves_out():
    found = of("tf.scaled", -1.0, 0.5, [0.25], spec=QuantSpec(8, signed=True))
    assert found.measured.quantizer.ends == (-128, 127)
    assert found.documented.quantizer.ends == (-127, 127)


def test_no_difference_no_element():
    found = of("tf.fake_quant", 0.0, 255.0, [0, 1, 7.25])
    assert (found.share, found.element) == (0, None)


def test_points_of_the_range_are_no_values():
    # MIN_COMBINED rounds what its documentation casts: of these six, 0.1 and 0.7 differ, 127.5
    # steps a unit being 140.25 and 216.75 from the lower end; 1 is code 255 for both
    found = of("tf.min_combined", -1.0, 1.0, [-1, -0.25, 0, 0.1, 0.7, 1])
    assert (found.looked, found.share) == (6, pytest.approx(3 / 6))
    own = of("tf.min_combined", 0.0, 255.0, [0, 3])
    assert (own.looked, own.share) == (2, 0)
    assert own.element.code == own.element.documented_code + 1
    assert 0 < own.element.x % 1 and own.element.back == own.element.code
    assert of("tf.scaled", -1.0, 1.0, []).share == 0


def test_min_first_starts_where_it_is_told_by_the_documentation_alone():
    found = of("tf.min_first", -0.7, 0.7, [-0.7])
    assert found.element.documented_back == np.float32(-0.7)
    assert found.element.back == pytest.approx(-128 * 1.4 / 255)


def test_a_refused_one_and_one_without_a_formula():
    refused = of("tf.min_first", -1.0, 1.0, [0], spec=QuantSpec(4))
    assert refused.measured.refused and refused.element is None
    assert of("tf.quantize_and_dequantize", -1.0, 1.0, [0]) is None
