"""What TensorFlow 2.21.0 recorded of MIN_FIRST: ranges, codes, dequantized values."""

import numpy as np
import pytest

from qviz import xp
from qviz.dialects.tensorflow.min_first import MinFirst, MinFirstQuantizer, adjusted
from qviz.errors import QvizError
from qviz.quantizers.base import PER_TENSOR, Target
from qviz.spec import QuantSpec, Range
from tests.golden.loader import KINDS, array, cases, same

TYPES = {
    "qint8": (8, True, "int8"),
    "quint8": (8, False, "uint8"),
    "qint16": (16, True, "int16"),
    "quint16": (16, False, "uint16"),
    "qint32": (32, True, "int32"),
}
RECORDED = cases("tensorflow", op="quantize", mode="MIN_FIRST")
QUANTIZE = [case for case in RECORDED if "raises" not in case]
REFUSED = [case for case in RECORDED if "raises" in case]
DEQUANTIZE = cases("tensorflow", op="dequantize", mode="MIN_FIRST")

both_kinds = pytest.mark.parametrize("kind", KINDS)


def each(recorded):
    return pytest.mark.parametrize("case", recorded, ids=lambda case: case["id"])


def bounds_of(case):
    return tuple(case["inputs"][name].reshape(-1) for name in ("min_range", "max_range"))


def grid_of(case):
    """The grid for the recorded bounds; through the mode where it offers codes and range."""
    bits, signed, _ = TYPES[case["params"]["T"]]
    margin, bounds = case["params"]["ensure_minimum_range"], bounds_of(case)
    lo, hi = adjusted(*bounds, margin)
    with np.errstate(all="ignore"):
        offered = bits < 32 and np.isfinite(hi - lo).all()
    if not offered:
        return MinFirstQuantizer(lo, hi, bits, signed)
    mode, spec = MinFirst(margin), QuantSpec(bits, signed)
    assert mode.accepts(Target(spec, PER_TENSOR, mode)) is None
    return mode.quantizer(Range(*bounds), spec)


@each(QUANTIZE)
@both_kinds
def test_quantize(case, kind):
    grid, x, expected = grid_of(case), case["inputs"]["input"], case["expected"]
    codes = xp.host(grid.quantize(array(x, kind).reshape(1, -1))).reshape(x.shape)
    assert same(codes.astype(TYPES[case["params"]["T"]][2]), expected["output"])
    assert same(grid.lo.reshape(expected["output_min"].shape), expected["output_min"])
    assert same(grid.hi.reshape(expected["output_max"].shape), expected["output_max"])


@each(DEQUANTIZE)
@both_kinds
def test_dequantize(case, kind):
    bits, signed, _ = TYPES[case["params"]["T"]]
    grid, codes = MinFirstQuantizer(*bounds_of(case), bits, signed), case["inputs"]["input"]
    plain = array(codes.astype(np.int64), kind)
    got = xp.host(grid.dequantize(plain.reshape(1, -1))).reshape(codes.shape)
    assert same(got, case["expected"]["output"])


@each(REFUSED)
def test_an_inverted_range_is_refused(case):
    with pytest.raises(QvizError, match="min_range <= max_range"):
        adjusted(*bounds_of(case), case["params"]["ensure_minimum_range"])


def test_every_recorded_case_is_replayed():
    assert [len(recorded) for recorded in (QUANTIZE, DEQUANTIZE, REFUSED)] == [325, 180, 5]
