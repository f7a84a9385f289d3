"""Corners lie on the code boundaries, to the last float32."""

from itertools import product

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.pipeline.corners import corners, halved
from qviz.quantizers.affine import AffineQuantizer, typed
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range

SPECS = (
    QuantSpec(4),
    QuantSpec(8),
    QuantSpec(4, signed=True, symmetric=True, narrow_range=True),
    QuantSpec(8, signed=True, symmetric=True, narrow_range=True),
    QuantSpec(8, signed=True, symmetric=True),
)
GROUPS = ("per_tensor", "per_channel:0", "per_group:-1:32")


def after(x):
    return float(np.nextafter(np.float32(x), np.float32(np.inf)))


def test_a_grid_of_quarters_jumps_half_way_between():
    x, y = corners(typed(0.25, 0, -2, 2), -1.0, 1.0)
    # half to even: -0.375 goes to code -2 and 0.375 to 2, while -0.125 and 0.125 go to 0
    jumps = [after(-0.375), -0.125, after(0.125), 0.375]
    assert x.tolist() == [-1.0, *np.repeat(jumps, 2).tolist(), 1.0]
    assert y.tolist() == np.repeat([-0.5, -0.25, 0.0, 0.25, 0.5], 2).tolist()


def test_a_line_without_a_jump_has_two_points():
    x, y = corners(typed(0.25, 0, -2, 2), 5.0, 6.0)
    assert (x.tolist(), y.tolist()) == ([5.0, 6.0], [0.5, 0.5])


def test_a_step_narrower_than_two_samples_is_still_placed_exactly():
    x, y = corners(typed(1.0, 0, 0, 1), -10_000.0, 10_000.0)
    assert x[1] == x[2] == pytest.approx(0.5, abs=20_000 / 6_000 / 2**24)
    assert y.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_many_steps_become_a_line_of_1024_points():
    x, y = corners(typed(2.0**-12, 0, -32768, 32767), -1.0, 1.0)
    assert x.size == y.size == 1024
    assert np.abs(x - y).max() <= 2.0**-13


def test_a_group_can_be_chosen():
    grid = AffineQuantizer(np.array([1.0, 0.5]), np.zeros(2, np.int64), -1, 1)
    assert corners(grid, -3.0, 3.0, group=1)[1].max() == 0.5
    assert corners(grid, -3.0, 3.0)[1].max() == 1.0


@pytest.mark.parametrize("ends", [(1.0, 1.0), (2.0, 1.0), (0.0, 1e39), (np.nan, 1.0)])
def test_nothing_to_draw_is_refused(ends):
    with pytest.raises(QvizError, match="nothing to draw"):
        corners(typed(1.0, 0, 0, 1), *ends)


@pytest.mark.parametrize("name", QUANTIZERS)
def test_every_mode_has_corners_that_are_levels(name):
    grid = next(filter(None, (made(QUANTIZERS[name](), *pair) for pair in product(SPECS, GROUPS))))
    _, y = corners(grid, -1.5, 2.5)
    apart = np.abs(y[:, None] - grid.levels()[0][None, :]).min(axis=1)
    assert apart.max() < 1e-6
    assert (np.diff(y) >= -1e-6).all()


def made(mode, spec, granularity):
    if mode.accepts(Target(spec, Granularity.parse(granularity), mode)) is not None:
        return None
    return mode.quantizer(Range(np.full(1, -1.0), np.full(1, 2.0)), spec)


def test_halving_ends_where_the_jump_is():
    left, right = halved(lambda x: (x >= 0.3).astype(float), np.zeros(1, "f4"), np.ones(1, "f4"))
    assert left[0] < 0.3 <= right[0]
    assert right[0] - left[0] <= 2.0**-24
