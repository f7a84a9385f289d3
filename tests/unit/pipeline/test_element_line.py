"""Levels and boundaries around a value, by hand."""

import numpy as np
import pytest

from qviz.pipeline.element_line import Level, end_boundaries, line
from qviz.quantizers.affine import AffineQuantizer, typed
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec, Range

GRID = typed(1.0, 2, 0, 7)  # levels -2 to 5, half to even
ABOVE = np.nextafter  # the next float


def test_a_value_between_two_levels():
    found = line(GRID, 0.3, "float32")
    assert found.levels == (Level(1, -1.0), Level(2, 0.0), Level(3, 1.0), Level(4, 2.0))
    # -0.5 and 0.5 go to 0, so the first float above 0.5 comes back as 1; 1.5 goes to 2
    after = float(ABOVE(np.float32(0.5), np.float32(1)))
    assert found.boundaries == (-0.5, after, 1.5)
    assert found.nearest == after
    assert found.steps == pytest.approx(0.2, abs=1e-6)
    assert found.floats == -(
        int(np.float32(after).view(np.int32)) - int(np.float32(0.3).view(np.int32))
    )


def test_on_a_boundary():
    found = line(GRID, 1.5, "float32")
    assert (found.nearest, found.floats, found.steps) == (1.5, 0, 0.0)


def test_float64_is_told_apart_more_finely():
    found = line(GRID, 0.5, "float64")
    assert found.nearest == ABOVE(0.5, 1.0) and found.floats == -1


def test_clipped_values_look_at_the_end():
    found = line(GRID, 9.0, "float32")
    assert [level.code for level in found.levels] == [4, 5, 6, 7]
    assert found.nearest == 5.5  # 7.5 is rounded to 8, which is no code
    assert found.steps == 3.5
    assert line(GRID, -9.0, "float32").nearest == -2.5


def test_few_codes():
    found = line(typed(1.0, 0, 0, 1), 0.2, "float32")
    assert [level.value for level in found.levels] == [0.0, 1.0]


def test_ends_of_the_codes():
    assert end_boundaries(GRID) == (-2.5, 5.5)
    low, high = (float(ABOVE(np.float32(v), np.float32(9))) for v in (-1.5, 0.5))
    assert end_boundaries(typed(1.0, 0, -1, 0)) == (low, high)  # both go to even: -2 and 0


@pytest.mark.parametrize("name", ["tf.min_combined", "tf.min_first", "ti.pact2", "torch.affine"])
def test_any_rule_has_a_boundary_between_its_levels(name):
    target = Target.of(QuantSpec(4), mode=name)
    with np.errstate(all="ignore"):
        quantizer = target.mode.quantizer(Range(-0.5, 2.5).as_float32(), target.spec)
    found = line(quantizer, 1.03, "float32")
    for boundary in found.boundaries:
        x = np.float32([[np.nextafter(np.float32(boundary), np.float32(-9)), boundary]])
        below, at = quantizer.fake_quantize(x)[0].tolist()
        assert below < at
    assert len(found.boundaries) == 3


def test_a_grid_without_numbers_has_no_line():
    scale, zero = np.array([np.nan]), np.array([0])
    assert line(AffineQuantizer(scale, zero, 0, 7), 0.0, "float32") is None


def test_one_level_has_no_boundary():
    scale, zero = np.array([0.0]), np.array([0])
    with np.errstate(all="ignore"):
        found = line(AffineQuantizer(scale, zero, 0, 7), 0.3, "float32")
    assert (found.boundaries, found.nearest, found.steps) == ((), None, 0.0)
