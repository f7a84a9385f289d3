"""What the documentation says, taken literally, where the code does otherwise."""

import numpy as np
import pytest

from qviz.dialects.pytorch.documented import documented_qparams
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare, gather
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import QuantSpec, Range
from qviz.stats.stream import Stream

DOC, CODE = (QUANTIZERS.make(name) for name in ("torch.affine@doc", "torch.affine"))


def qparams(lo, hi, **spec):
    scale, zero = documented_qparams(np.array([lo]), np.array([hi]), QuantSpec(8, **spec))
    return scale[0], zero[0]


def test_the_formulas():
    assert qparams(-1.0, 254.0) == (1, 1)
    assert qparams(10.0, 265.0) == (1, -10)  # 0 is not forced inside, nor the zero point
    assert qparams(-51.0, 20.0, signed=True, symmetric=True) == (2 * 51 / 255, 0)
    assert qparams(-51.0, 20.0, symmetric=True) == (2 * 51 / 255, 128)
    assert qparams(3.0, 3.0) == qparams(3.0, 3.0, symmetric=True) == (1, 0)


def test_a_constant_differs_from_the_code():
    documented, measured = (m.quantizer(Range(2.55, 2.55), QuantSpec(8)) for m in (DOC, CODE))
    assert documented.step.tolist() == [1]
    assert measured.step.tolist() == pytest.approx([0.01])


def test_the_zero_point_is_added_before_rounding():
    grids = [mode.quantizer(Range(-1.0, 254.0), QuantSpec(8)) for mode in (DOC, CODE)]
    x = np.float32([[0.5, 1.5]])
    assert [grid.fake_quantize(x).tolist() for grid in grids] == [[[1, 1]], [[0, 2]]]


@pytest.mark.parametrize(
    ("spec", "served"),
    [
        (QuantSpec(8), True),
        (QuantSpec(4, signed=True), True),
        (QuantSpec(8, quant_min=-128, quant_max=200), False),
        (QuantSpec(16), False),
    ],
)
def test_only_8_bit_types(spec, served):
    assert (DOC.accepts(Target.of(spec, mode=DOC)) is None) == served


def test_the_average_in_real_numbers():
    observer = OBSERVERS.make("torch.moving_average@doc:averaging_constant=0.25")
    batches = [np.float32(x) for x in ([-4, 8], [], [0, 0], [2, 4])]
    seen = gather(Stream.of(batches).tiles[0], observer.needs)
    found = observer.range(seen, Target.of())
    assert (found.lo[0], found.hi[0]) == (-3 * 0.75 + 2 * 0.25, 6 * 0.75 + 4 * 0.25)


def test_crossing_ends_are_a_matter_of_rounding():
    first = np.float32([0.06, np.nextafter(np.float32(0.06), np.float32(1))])
    batches = [first, np.float32([1.42])]
    names = ("torch.moving_average@doc", "torch.moving_average")
    observers = [OBSERVERS.make(f"{name}:averaging_constant=0.1") for name in names]
    rows = compare(Stream.of(batches), observers, Target.of(QuantSpec(8))).rows
    assert rows[0].refused is None and "AssertionError" in rows[1].refused
