"""DEFAULT: limits, levels and masks of each reading, by hand."""

import numpy as np
import pytest
import torch

from qviz.dialects.mindspore import FakeQuantWithMinMaxObserver
from qviz.dialects.mindspore.default import default_quantizer
from qviz.dialects.mindspore.readings import ASCEND, DOC, GPU
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target, covered
from qviz.spec import Granularity, QuantSpec, Range

ALL = (DOC, GPU, ASCEND)


def grid_of(reading, lo, hi, bits=8, dtype=np.float32, **codes):
    ends = (np.array([end], dtype) for end in (lo, hi))
    return default_quantizer(reading, *ends, QuantSpec(bits, **codes))


def limits(grid):
    return grid.u_min[0], grid.u_max[0]


@pytest.mark.parametrize("reading", ALL)
def test_limits_are_moved_so_that_zero_is_a_level(reading):
    grid = grid_of(reading, -1, 2)  # zp 85 steps above the lowest code, exactly
    assert grid.scale == pytest.approx(3 / 255)
    assert grid.zero_point - grid.quant_min == 85
    assert limits(grid) == pytest.approx((-1, 2))
    assert grid.fake_quantize(np.zeros((1, 1), np.float32)).tolist() == [[0]]


def test_codes_of_the_document_are_signed_those_of_the_kernels_not():
    assert grid_of(DOC, -1, 1).ends == (-128, 127)
    assert grid_of(DOC, -1, 1, narrow_range=True).ends == (-127, 127)
    for reading in (GPU, ASCEND):
        assert grid_of(reading, -1, 1, bits=4).ends == (0, 15)
        assert grid_of(reading, -1, 1, bits=4, narrow_range=True).ends == (1, 15)


def test_symmetric_in_the_document_is_the_scale_only():
    grid = grid_of(DOC, -1, 3, symmetric=True)
    assert grid.zero_point == -85  # floor(-128 + 42.5 + 0.5)
    assert limits(grid) == pytest.approx((-1.0118, 4.9882), abs=1e-4)


@pytest.mark.parametrize("reading", [GPU, ASCEND])
def test_symmetric_in_the_kernels_cuts_the_top_by_half_a_step(reading):
    grid = grid_of(reading, -127.5, 100, symmetric=True)
    assert grid.scale == 1 and grid.zero_point == 128  # of 127.5
    assert limits(grid) == (-128, 127)
    narrow = grid_of(reading, -100, 127, symmetric=True, narrow_range=True)
    assert narrow.scale == 1 and narrow.zero_point == 128  # 1 + 127, exactly
    assert limits(narrow) == (-127, 127)


@pytest.mark.parametrize(("reading", "ends_pass"), [(DOC, 1), (GPU, 1), (ASCEND, 0)])
def test_gradient_at_the_limits(reading, ends_pass):
    grid = grid_of(reading, 0, 255)
    x = np.float32([[-1e-3, 0, 1, 254, 255, 255.001]])
    got = grid.backward(x, np.ones_like(x)).input
    assert got.tolist() == [[0, ends_pass, 1, 1, ends_pass, 0]]


def test_gradient_is_autograd_with_rounding_passed_through():
    x = np.random.default_rng(1).standard_normal((4, 30)).astype(np.float32) * 4
    grid = grid_of(GPU, -3, 5)
    t = torch.from_numpy(x).requires_grad_(True)
    t.clamp(float(grid.u_min[0]), float(grid.u_max[0])).backward(torch.full(t.shape, 2.0))
    assert grid.backward(x, np.full_like(x, 2)).input.tolist() == t.grad.tolist()
    assert 0 < (t.grad == 0).sum() < x.size


def test_the_registered_gradient_forgets_attributes():
    common = {"symmetric": True, "min_init": -1, "max_init": 2}
    x = np.float32([[-1.5]])  # inside [-2, 2], outside [-1, 2]
    for reading in ("gpu", "ascend"):
        found = FakeQuantWithMinMaxObserver(**common, reading=reading).gradients(x, x)
        assert found.dx.tolist() == [[-1.5]]
        assert found.dx_framework.tolist() == [[0]]
    channels = {"per_channel": True, "channel_axis": 0}
    gpu = FakeQuantWithMinMaxObserver(**common, **channels, reading="gpu").gradients(x, x)
    ascend = FakeQuantWithMinMaxObserver(**common, **channels, reading="ascend").gradients(x, x)
    assert gpu.dx_framework.tolist() == [[-1.5]]  # symmetric is handed on there
    assert ascend.dx_framework.tolist() == [[0]]
    assert FakeQuantWithMinMaxObserver(**common).gradients(x, x).dx_framework is None


def test_per_channel_narrow_range_is_that_of_symmetric():
    x = np.float32([[-127.75]])  # of [-128, 127]; with narrow_range the limits are -/+ 127.5
    given = {"symmetric": True, "min_init": -127.5, "max_init": 100, "per_channel": True}
    found = FakeQuantWithMinMaxObserver(**given, reading="gpu").gradients(x, x)
    assert (found.dx[0, 0], found.dx_framework[0, 0]) == (x[0, 0], 0)


def test_ties_just_below_one_half():
    t = np.nextafter(np.float32(0.5), np.float32(0))  # adding 0.5 rounds up to 1
    assert GPU.rounded(np.array([t]), False) == 0
    for reading, per_channel in ((GPU, True), (DOC, False), (ASCEND, False)):
        assert reading.rounded(np.array([t]), per_channel) == 1


def test_a_mode_pulls_the_range_to_zero_as_training_does():
    spec = QuantSpec(8)
    for name in ("doc", "gpu", "ascend"):
        mode = QUANTIZERS.make(f"mindspore.default@{name}")
        assert covered(mode.quantizer(Range(3.0, 6.0), spec)).hi == pytest.approx(6, rel=1e-6)
        stored = QUANTIZERS.make(f"mindspore.default@{name}:training=false")
        assert covered(stored.quantizer(Range(3.0, 6.0), spec)).hi == pytest.approx(3)
        exact = QUANTIZERS.make(f"mindspore.default@{name}:precision=f64")
        assert exact.quantizer(Range(-1.0, 2.0), spec).scale.dtype == np.float64


def test_an_empty_range():
    with pytest.raises(QvizError, match="NaN from the range 0 to 0"):
        QUANTIZERS.make("mindspore.default@doc").quantizer(Range(0.0, 0.0), QuantSpec(8))
    grid = QUANTIZERS.make("mindspore.default@gpu").quantizer(Range(0.0, 0.0), QuantSpec(8))
    assert grid.fake_quantize(np.float32([[-1, 0, 1]])).tolist() == [[0, 0, 0]]
    for name in ("doc", "gpu", "ascend"):
        with pytest.raises(QvizError, match="overflows"):
            mode = QUANTIZERS.make(f"mindspore.default@{name}")
            mode.quantizer(Range(-3e38, 3e38), QuantSpec(8))


REFUSED = {
    "4, 7 and 8 bits": Target.of(QuantSpec(5), mode="mindspore.default@doc"),
    "reduce_range": Target.of(QuantSpec(8, reduce_range=True), mode="mindspore.default@doc"),
    "per layer": Target.of(granularity=Granularity("per_token"), mode="mindspore.default@doc"),
    "below 0": Target.of(granularity=Granularity("per_channel", -1), mode="mindspore.default@doc"),
    "axis 0": Target.of(granularity=Granularity("per_channel", 1), mode="mindspore.default@gpu"),
    "0 or 1": Target.of(granularity=Granularity("per_channel", 2), mode="mindspore.default@ascend"),
}


@pytest.mark.parametrize("words", REFUSED)
def test_targets_that_are_refused(words):
    target = REFUSED[words]
    assert words in target.mode.accepts(target)


def test_targets_that_are_served():
    for reading, axis in (("doc", 3), ("gpu", 0), ("ascend", 1)):
        for signed in (False, True):
            spec = QuantSpec(7, signed, symmetric=True, narrow_range=True)
            target = Target.of(
                spec, Granularity("per_channel", axis), f"mindspore.default@{reading}"
            )
            assert target.mode.accepts(target) is None
