import numpy as np
import pytest

from qviz.metrics.boundaries import boundaries, float_of, key_of
from qviz.quantizers.affine import Affine, typed
from qviz.quantizers.power_of_two import PowerOfTwo
from qviz.spec import QuantSpec, Range
from tests.unit.metrics.grids import Codebook

TOP = float(np.finfo(np.float32).max)


def test_keys_keep_the_order_of_floats():
    values = np.array([-TOP, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1e-38, 1.0, TOP], np.float32)
    keys = key_of(values)
    assert keys[3] == keys[4] == 0
    assert (np.diff(keys)[[0, 1, 2, 4, 5, 6, 7]] > 0).all()
    assert key_of(np.float32(1e-45)) == 1  # the smallest float above 0
    assert (float_of(keys) == values).all()


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize(
    ("mode", "symmetric"),
    [
        (Affine(), False),
        (Affine(tie="away"), False),
        (Affine(full_range=True), True),
        (PowerOfTwo(), False),
        (PowerOfTwo(tie="away", full_range=True), True),
    ],
)
@pytest.mark.parametrize("ends", [(-0.7, 3.1), (-1.0, 1.0), (0.0, 1e-3), (-5e8, 1e2)])
def test_the_code_changes_exactly_there(mode, symmetric, bits, ends):
    spec = QuantSpec(bits, signed=symmetric, symmetric=symmetric)
    quantizer = mode.quantizer(Range(*ends), spec)
    low, high = quantizer.ends
    at = boundaries(quantizer, 1)[0].astype(np.float32)
    codes = np.arange(low, high + 2)
    before = np.nextafter(at, np.float32(-np.inf))
    assert (quantizer.encode(at[None])[0] >= codes).all()
    assert (quantizer.encode(before[None])[0] < codes).all()
    assert (np.diff(at) >= 0).all()


def above(value):
    return float(np.nextafter(np.float32(value), np.float32(np.inf)))


def test_ties_by_hand():
    even = boundaries(typed(1.0, 0, -1, 2), 1)[0]
    assert even.tolist() == [above(-1.5), -0.5, above(0.5), 1.5, above(2.5)]
    away = boundaries(typed(1.0, 0, -1, 2, tie="away"), 1)[0]
    assert away.tolist() == [above(-1.5), above(-0.5), 0.5, 1.5, 2.5]


def test_codes_that_no_float_reaches():
    huge = boundaries(typed(1e38, 0, -1, 9), 1)[0]
    assert np.isfinite(huge[:5]).all()
    assert huge[5:].tolist() == [np.inf] * 7  # 3.4e38 has code 3
    assert boundaries(typed(1e38, 5, 0, 9), 1)[0, :2].tolist() == [-TOP, -TOP]  # all floats do


def test_each_group_has_its_own():
    both = boundaries(typed([1.0, 2.0], [0, 1], 0, 1), 2)
    one = [boundaries(typed(s, z, 0, 1), 1)[0] for s, z in ((1.0, 0), (2.0, 1))]
    assert (both == np.array(one)).all()


def test_an_uneven_grid():
    nearly = [-1.5, -0.5, 0.25, 1.25, 2.5]
    assert boundaries(Codebook(), 1)[0].tolist() == pytest.approx(nearly, rel=1e-6)
