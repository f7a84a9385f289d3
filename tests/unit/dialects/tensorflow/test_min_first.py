"""MIN_FIRST: ranges, ties, drift, refusals."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow.min_first import MinFirst, MinFirstQuantizer
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.stream import Stream

MODE = QUANTIZERS.make("tf.min_first")
BYTE = MODE.quantizer(Range(0.0, 255.0), QuantSpec(8))


def test_ties_go_away_from_zero():
    x = np.float32([[0.5, 1.5, 254.5, 300, -3, np.nan, np.inf]])
    want = [[1, 2, 255, 255, 0, 0, 255]]
    assert BYTE.quantize(x).tolist() == want
    assert BYTE.quantize(torch.from_numpy(x)).tolist() == want


def test_signed_codes():
    grid = MODE.quantizer(Range(0.0, 255.0), QuantSpec(8, signed=True))
    assert grid.ends == (-128, 127)
    assert grid.quantize(np.float32([[0, 255]])).tolist() == [[-128, 127]]
    assert grid.levels(-128, -126).tolist() == [[0, 1, 2]]


def test_thirty_two_bits_end_below_the_largest_integer():
    grid = MinFirstQuantizer(np.float32([0]), np.float32([1]), 32, True)
    assert grid.ends == (-(2**31), 2_147_483_520)
    assert grid.quantize(np.float32([[1, np.nan]])).tolist() == [[2_147_483_520, -(2**31)]]


def test_round_trips_drift():
    grid = MODE.quantizer(Range(-1.0, 1.0), QuantSpec(8))
    codes = np.float32([[10, 20, 100]])
    assert not grid.idempotent
    assert grid.quantize(grid.dequantize(codes)).tolist() == [[11, 21, 101]]


def test_no_width_at_all():
    grid = MinFirst(0.0).quantizer(Range(0.0, 0.0), QuantSpec(8))
    assert grid.quantize(np.float32([[0, 1, np.nan]])).tolist() == [[0, 0, 0]]
    assert grid.dequantize(np.float32([[0, 255]])).tolist() == [[0, 0]]


def test_the_scale_is_known_and_the_zero_point_is_not():
    assert BYTE.qparams()["scale"].tolist() == [1]
    assert BYTE.qparams()["zero_point"] is None


def test_a_width_that_overflows_is_refused():
    with pytest.raises(QvizError, match="too wide"):
        MODE.quantizer(Range(-3e38, 3e38), QuantSpec(8))


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (QuantSpec(8), None),
        (QuantSpec(16, signed=True), None),
        (QuantSpec(4), "8 and 16 bits"),
        (QuantSpec(8, signed=True, symmetric=True), "symmetric"),
        (QuantSpec(8, narrow_range=True), "narrow_range"),
        (QuantSpec(8, quant_min=0, quant_max=100), "all codes"),
    ],
)
def test_codes_that_the_mode_has(spec, reason):
    said = MODE.accepts(Target.of(spec, mode=MODE))
    assert said is None if reason is None else reason in said


def test_per_tensor_only():
    target = Target.of(granularity=Granularity("per_channel", 0), mode=MODE)
    assert "Unimplemented" in MODE.accepts(target)


def test_in_a_comparison():
    x = np.random.default_rng(0).normal(size=2000).astype(np.float32)
    (row,) = compare(Stream.of(x), [OBSERVERS.make("minmax")], Target.of(mode=MODE)).rows
    assert row.refused is None
    step = float(row.qparams["scale"][0])
    assert row.covered.lo[0] == pytest.approx(x.min(), abs=step)
    assert row.covered.hi[0] == pytest.approx(x.max(), abs=step)
