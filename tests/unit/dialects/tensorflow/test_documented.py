"""The documented formulas: figures worked out by hand, and where the kernels differ from them."""

import numpy as np
import pytest
import torch

from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range

BYTE, SIGNED = QuantSpec(8), QuantSpec(8, signed=True)
DOCUMENTED = ["tf.min_combined@doc", "tf.min_first@doc", "tf.scaled@doc", "tf.fake_quant@doc"]


def grid(spelling, lo, hi, spec=BYTE):
    return QUANTIZERS.make(spelling).quantizer(Range(lo, hi), spec)


def codes(spelling, x, lo, hi, spec=BYTE):
    made = grid(spelling, lo, hi, spec)
    found = made.quantize(np.array([x], np.float32))
    theirs = made.quantize(torch.tensor([x], dtype=torch.float32))
    assert np.array_equal(theirs.numpy(), found)
    return found[0].tolist()


def test_min_combined_multiplies_and_casts():
    x = [0, 0.4, 0.5, 1.9, 255, 300]
    assert codes("tf.min_combined@doc", x, 0.0, 255.0) == [0, 0, 0, 1, 255, 255]
    assert codes("tf.min_combined", x, 0.0, 255.0) == [0, 0, 1, 2, 255, 255]
    x = [0, 0.5, 127.5, 128.5, 254.5]
    assert codes("tf.min_combined@doc", x, 0.0, 255.0, SIGNED) == [-128, -127, 0, 0, 126]
    assert codes("tf.min_combined", x, 0.0, 255.0, SIGNED) == [-128, -128, -1, 1, 127]


def test_min_combined_starts_where_it_is_told():
    assert grid("tf.min_combined@doc", 10.0, 20.0).levels()[0, [0, -1]].tolist() == [10, 20]
    assert grid("tf.min_combined", 10.0, 20.0).levels()[0, [0, -1]].tolist() == [0, 20]
    signed = grid("tf.min_combined@doc", 10.0, 20.0, SIGNED)
    assert signed.levels()[0, [0, -1]].tolist() == [10, 20]
    assert signed.step[0] == 10 / 255


def test_min_first_rounds_the_scaled_low_end():
    made = grid("tf.min_first@doc", -1.0, 1.0)
    assert made.step[0] == pytest.approx(2 / 255)
    assert codes("tf.min_first@doc", [-1, 0, 1, 0.004], -1.0, 1.0) == [0, 128, 255, 129]
    assert codes("tf.min_first@doc", [-1, 0], -1.0, 1.0, SIGNED) == [-128, 0]


def test_min_first_dequantizes_from_the_low_end_itself():
    ours, theirs = grid("tf.min_first@doc", -0.7, 0.7), grid("tf.min_first", -0.7, 0.7)
    assert ours.levels(0, 0)[0, 0] == -0.7
    assert theirs.levels(0, 0)[0, 0] == pytest.approx(-128 * 1.4 / 255)  # a whole step


def test_scaled_takes_the_larger_magnitude():
    assert grid("tf.scaled@doc", -1.0, 0.5, SIGNED).step[0] == 2 / 254
    assert codes("tf.scaled@doc", [-1, -0.5, 1, 9], -1.0, 0.5, SIGNED) == [-127, -64, 127, 127]
    made = grid("tf.scaled@doc", -1.0, 1.0, SIGNED)
    assert made.ends == (-127, 127) and grid("tf.scaled", -1.0, 1.0, SIGNED).ends == (-128, 127)


def test_scaled_wastes_half_of_the_unsigned_codes():
    assert codes("tf.scaled@doc", [0, 1, -1], 0.0, 1.0) == [0, 128, 0]
    assert codes("tf.scaled", [0, 1, -1], 0.0, 1.0) == [0, 255, 0]


def test_scaled_ties():
    even = "tf.scaled@doc:round_mode=HALF_TO_EVEN"
    assert codes("tf.scaled@doc", [0.5, -2.5], -127.0, 127.0, SIGNED) == [1, -3]
    assert codes(even, [0.5, -2.5], -127.0, 127.0, SIGNED) == [0, -2]


@pytest.mark.parametrize(
    ("lo", "hi", "ends"),
    [
        (1.0, 3.0, (0, 2)),
        (-3.0, -1.0, (-2, 0)),
        (-127.4, 127.6, (-127, 128)),
        (0.0, 255.0, (0, 255)),
    ],
)
def test_fake_quant_moves_the_range(lo, hi, ends):
    made = grid("tf.fake_quant@doc", lo, hi)
    assert made.levels()[0, [0, -1]].tolist() == pytest.approx(ends)
    assert made.fake_quantize(np.zeros((1, 1)))[0, 0] == 0


def test_fake_quant_with_one_code_less_keeps_its_scale():
    narrow = grid("tf.fake_quant@doc", 0.0, 255.0, QuantSpec(8, narrow_range=True))
    assert narrow.step[0] == 1 and narrow.levels()[0, [0, -1]].tolist() == [0, 254]
    theirs = grid("tf.fake_quant", 0.0, 254.0, QuantSpec(8, narrow_range=True))
    assert theirs.step[0] == 1


def test_fake_quant_without_a_width_is_refused():
    with pytest.raises(QvizError, match="no step"):
        grid("tf.fake_quant@doc", 1.0, 1.0)


@pytest.mark.parametrize("spelling", DOCUMENTED[:3])
def test_near_ends_are_kept_apart(spelling):
    spec = SIGNED
    assert grid(spelling, 1.0, 1.0, spec).step[0] > 0
    wide = grid(f"{spelling}:ensure_minimum_range=2", 0.0, 0.0, spec)
    assert wide.levels()[0, -1] == pytest.approx(2)


@pytest.mark.parametrize("spelling", DOCUMENTED)
@pytest.mark.parametrize(
    ("spec", "granularity"),
    [
        (QuantSpec(8, symmetric=True), "per_tensor"),
        (BYTE, "per_token"),
        (QuantSpec(1), "per_tensor"),
    ],
)
def test_what_no_documented_mode_serves(spelling, spec, granularity):
    mode = QUANTIZERS.make(spelling)
    assert mode.accepts(Target.of(spec, Granularity.parse(granularity), mode))
    assert mode.accepts(Target.of(BYTE, Granularity("per_channel", 0), mode)) is None


@pytest.mark.parametrize("spelling", DOCUMENTED)
def test_ranges_that_overflow_are_refused(spelling):
    with pytest.raises(QvizError):
        grid(spelling, -1.7e308, 1.7e308)
