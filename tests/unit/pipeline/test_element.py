"""The whole explanation of one element."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.pipeline import element
from qviz.pipeline.element import Element, explain
from qviz.quantizers.affine import AffineQuantizer, typed
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec, Range

WIDE = Range(-0.5, 2.5)


def why(x, range=WIDE, kind="float32", quantizer=None, **spec):
    mode = spec.pop("mode", "affine")
    target = Target.of(QuantSpec(**spec), mode=mode)
    return explain(Element.of(np.array([x], kind), 7), range, target, quantizer)


def test_a_tie_in_float32_only():
    found = why(0.052941177)
    assert found.element.index == 7 and found.bits.power == -5
    assert found.scale == 3 / 255 and found.ends == (0, 255)
    assert found.tie == ("x ÷ s in float32", "x × (1/s) in float32")
    assert found.line.nearest == float(np.float32(0.052941177))
    assert found.chosen.rule == "affine" and found.chosen.code == 47


def test_float64_keeps_its_own_digits():
    found = why(0.052941177, kind="float64")
    assert found.bits.kind == "float64" and found.line.kind == "float64"
    assert found.line.floats != 0


def test_a_clipped_value_has_no_tie():
    found = why(9.0, Range(-3, 4), bits=3, quantizer=typed(1.0, 3, 0, 7))
    assert found.chosen.clipped == "high" and found.tie == ()
    assert {way.boundary for way in found.ways} == {4.5}
    assert found.chosen.rule == "typed"


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite(x):
    found = why(x)
    assert found.line is None and found.ways == () and found.no_ways == element.NOT_FINITE
    assert len(found.answers) > 10


def test_why_there_is_no_distance():
    assert why(0.1, mode="tf.min_combined").no_ways == element.NO_ZERO
    assert why(1e30).no_ways == element.TOO_FAR
    nothing = AffineQuantizer(np.array([0.0]), np.array([3]), 0, 7)
    assert why(0.1, quantizer=nothing).no_ways == element.NO_SCALE


def test_a_rule_that_cannot_serve_says_so():
    with pytest.raises(QvizError, match="no steps"):
        why(0.1, Range(np.nan, 1.0))


@pytest.mark.parametrize("x", [0.0, -0.0, 3.0, -2.0])
def test_on_a_level_line_and_quotients_speak_of_one_boundary(x):
    found = why(x, Range(-3, 252))  # scale 1: half steps are boundaries
    assert found.line.nearest == pytest.approx(found.ways[0].boundary, abs=1e-6)


def test_a_tie_is_on_its_boundary_and_its_neighbour_is_not():
    assert why(0.5, Range(-3, 252)).on_boundary and why(1.5, Range(-3, 252)).on_boundary
    above = float(np.nextafter(np.float32(0.5), np.float32(1)))
    assert not why(above, Range(-3, 252)).on_boundary
    assert not why(0.052941177).on_boundary  # in float32 only


def test_a_whole_number_that_float64_does_not_hold_is_kept():
    assert Element.of(np.int64([2**53 + 1])).whole == 2**53 + 1
    assert Element.of(np.int64([2**53 + 2])).whole is None
    assert Element.of(np.float32([0.1])).whole is None
