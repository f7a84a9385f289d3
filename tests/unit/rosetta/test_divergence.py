"""The first step at which two rules part, on ranges whose answer is known from their sources."""

import itertools

import numpy as np
import pytest

from qviz.rosetta.comparison import lowest
from qviz.rosetta.divergence import divergence
from qviz.rosetta.probe import inside, probe
from tests.unit.rosetta.made import DOC, GPU, ORT, QINT8, QUANTIZE, RANGES, TF, TORCH, every, of

FUSED, CHANNEL = "torch.fused uint8", "torch.per_channel_affine uint8"
ORT8, PACT2 = "ort.affine int8 sym. narrow", "ti.pact2 int8"
ASCEND, NAN = "mindspore.default@ascend uint8", float("nan")
FIRST = [
    (TORCH, TF, -0.5, 2.5, "rounded"),
    (TORCH, DOC, -0.5, 2.5, "rounded"),
    (TORCH, ORT, -1, 1, "raw zero point"),
    (TORCH, ORT, -0.5, 2.5, "quotient"),
    (TORCH, TF, 1, 3, "widened"),
    (TF, "tf.fake_quant@doc uint8", -1, 1, "raw zero point"),
    (TORCH, TF, -22, -15, "widened"),
    (TORCH, ORT, -1e-8, 1e-8, "floor"),
    (TORCH, ORT, 0, 0, "floor"),
    (TORCH, TF, 0, 0, "floor"),
    (TORCH, FUSED, -1e-8, 1e-8, "floor"),
    (TORCH, FUSED, -6, 6, "raw zero point"),
    ("mindspore.default@ascend uint8", TF, -1, 1, "zero point added"),
    ("mindspore.default@gpu uint8", TF, -1, 1, "zero point added"),
    (ORT, "tf.min_first uint8", -1, 1, "together"),
    (TORCH, FUSED, -0.5, 2.5, None),
    (TORCH, CHANNEL, -0.5, 2.5, None),
    (TORCH, QUANTIZE, -0.5, 2.5, "zero point added"),
    (QINT8, ORT8, -1, 1, "scale before floor"),
    (TORCH, QINT8, -0.5, 2.5, "mirrored"),
    (QINT8, PACT2, -0.5, 2.5, "snapped"),
    (TORCH, "tf.min_combined uint8", -0.5, 2.5, "raw zero point"),
    ("tf.fake_quant uint8", "tf.fake_quant:op=args uint8", -0.5, 2.5, "quotient"),
    ("tf.min_first uint8", "tf.min_first@doc uint8", -0.5, 2.5, "precision"),
    (TORCH, "torch.affine@doc uint8", 2, 2, "widened"),
    (TORCH, TF, 2, 2, "widened"),
    (TORCH, GPU, 0, 0, "floor"),
    (TORCH, ORT, NAN, NAN, None),
]


@pytest.mark.parametrize(("a", "b", "lo", "hi", "first"), FIRST)
def test_the_first_step_that_differs(a, b, lo, hi, first):
    one, other = of(a, lo, hi), of(b, lo, hi)
    x = inside(probe((one, other)), lo, hi)
    if first is None and one.degenerate != other.degenerate:
        first = divergence(one, other, x).first
        assert one.degenerate == "NaN" and other.degenerate == "raises"
    assert divergence(one, other, x).first == first


@pytest.mark.parametrize("lo_hi", RANGES)
def test_any_two_rules_can_be_compared(lo_hi):
    given = every(*lo_hi)
    x = inside(probe(given), *lo_hi)[:: len(given)] if np.isfinite(lo_hi).all() else np.zeros(0)
    for a, b in itertools.combinations(given, 2):
        found = divergence(a, b, np.float32(x))
        same = found.first is None
        if a.usable and b.usable:
            assert not (same and found.noticed)
        elif a.degenerate == b.degenerate:
            assert same
        names = [line.name for line in found.lines]
        assert found.first in (None, "values", "together", *names)
        if found.first not in (None, "values", "together"):
            assert not found.lines[names.index(found.first)].equal


def test_what_is_gone_again_is_no_divergence():
    """NVIDIA's amax does not widen, but mirrors all the same: they part at the scale."""
    a, b = of(QINT8, 1, 3), of("nvidia.amax int8 sym. narrow", 1, 3)
    found = divergence(a, b, np.float32([1, 2, 3]))
    apart = [line.name for line in found.lines if not line.equal]
    assert apart[0] == "widened" and found.first == "scale before floor"


def test_zero_points_are_counted_from_the_lowest_code():
    found = divergence(of(ASCEND, -0.5, 2.5), of(DOC, -0.5, 2.5), np.float32([0, 1]))
    assert found.first is None and not found.noticed
    (line,) = [line for line in found.lines if line.name == "zero point"]
    assert line.a.values == (43.0,) and line.b.values == (-85.0,) and line.equal


def test_scales_are_compared_in_float32():
    found = divergence(of(TORCH, 0, 3), of("affine uint8", 0, 3), np.float32([0, 1]))
    assert {line.name: line.equal for line in found.lines}["scale"]
    assert found.lines[0].a.values == (0.0, 3.0)


def test_codes_of_a_type_are_counted_from_its_lowest():
    for ends in ((-127, 127), (-128, 127), (-64, 64)):
        assert lowest(ends) == -128
    assert (lowest((-8, 7)), lowest((0, 255)), lowest((1, 9))) == (-8, 0, 0)
