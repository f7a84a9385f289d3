"""Group-wise int4 by hand: what each sign of a group comes to."""

import numpy as np
import pytest
import torch

from qviz.errors import QvizError
from qviz.observers.minmax import MinMaxObserver
from qviz.quantizers.base import Target
from qviz.quantizers.group_int4 import GroupInt4
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.gather import gather
from qviz.stats.stream import Stream

AFFINE, SYMMETRIC = QuantSpec(4), QuantSpec(4, symmetric=True)


def grid(lo, hi, spec):
    return GroupInt4().quantizer(Range(np.float64(lo), np.float64(hi)), spec)


@pytest.mark.parametrize(
    ("ends", "spec", "scale", "zero"),
    [
        ((-1, 2), AFFINE, 0.2, 5),
        ((1, 3), AFFINE, 0.2, 0),  # stretched to hold 0
        ((-3, -1), AFFINE, 0.2, 15),
        ((-1, 1), AFFINE, 2 / 15, 8),  # 7.5 goes to the even one
        ((0, 0), AFFINE, 2 / 15, 8),
        ((-1, 2), SYMMETRIC, 4 / 15, 8),
        ((-3, 1), SYMMETRIC, 6 / 15, 8),
        ((1, 3), SYMMETRIC, 3 / 15, 8),  # no negative value: half the codes are wasted
        ((0, 0), SYMMETRIC, 2 / 15, 8),
    ],
)
def test_scale_and_zero_point(ends, spec, scale, zero):
    made = grid(*ends, spec)
    assert made.scale[0] == pytest.approx(scale, rel=1e-15) and made.zero_point[0] == zero
    assert made.ends == (0, 15)


def test_a_symmetric_group_without_negative_values_clips_its_top():
    made = grid(0, 3, SYMMETRIC)
    x = np.array([[0.0, 1.0, 1.5, 3.0]])
    assert made.quantize(x).tolist() == [[8, 13, 15, 15]]
    assert made.fake_quantize(x)[0].tolist() == pytest.approx([0, 1, 1.4, 1.4])


def test_groups_of_a_tensor():
    x = np.random.default_rng(0).standard_normal((3, 64)).astype(np.float32)
    groups = Granularity("per_group", -1, 32)
    (tile,) = Stream.of(x, groups).tiles
    observer = MinMaxObserver()
    chosen = observer.range(gather(tile, observer.needs), Target.of(AFFINE, groups))
    made = GroupInt4().quantizer(chosen, AFFINE)
    assert made.scale.shape == (6,)
    rows = x.reshape(6, 32).astype(np.float64)
    lo, hi = rows.min(axis=1, keepdims=True), rows.max(axis=1, keepdims=True)
    scale = (hi - lo) / 15
    zero = np.rint(-lo / scale)
    wanted = (np.clip(np.rint(rows / scale) + zero, 0, 15) - zero) * scale
    assert np.array_equal(made.fake_quantize(groups.rows(x)), wanted)
    tensor = made.fake_quantize(groups.rows(torch.from_numpy(x)))
    assert np.array_equal(tensor.numpy(), wanted)


def test_only_sixteen_codes_are_served():
    mode = GroupInt4()
    assert mode.accepts(Target.of(AFFINE, mode=mode)) is None
    assert mode.accepts(Target.of(QuantSpec(8, quant_min=0, quant_max=15), mode=mode)) is None
    for spec in (QuantSpec(8), QuantSpec(4, signed=True)):
        assert "codes 0 to 15" in mode.accepts(Target.of(spec, mode=mode))
    with pytest.raises(QvizError, match="no steps"):
        grid(-np.inf, 1, AFFINE)


@pytest.mark.parametrize("end", [5e-324, 1e-310, 1.7e308])
def test_extreme_ranges_have_a_step(end):
    for spec in (AFFINE, SYMMETRIC):
        made = grid(-end, end, spec)
        assert np.isfinite(made.scale[0]) and made.scale[0] > 0
        assert 0 <= made.zero_point[0] <= 15
