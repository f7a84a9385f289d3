import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.quantizers.affine import Affine, middle_code, symmetric_half, typed
from qviz.quantizers.base import Target
from qviz.spec import PER_TENSOR, QuantSpec, Range

TIES = [[0.5, 1.5, 2.5, -0.5, -1.5]]


def grid(lo, hi, spec=None, **knobs):
    return Affine(**knobs).quantizer(Range(lo, hi), spec or QuantSpec())


def qparams(quantizer):
    return quantizer.scale.tolist(), quantizer.zero_point.tolist(), quantizer.ends


def test_ties_go_to_even():
    assert typed(1.0, 0, -8, 7).encode(np.array(TIES)).tolist() == [[0, 2, 2, 0, -2]]


def test_ties_go_away_from_zero():
    away = typed(1.0, 0, -8, 7, tie="away")
    assert away.encode(np.array(TIES)).tolist() == [[1, 2, 3, -1, -2]]
    below = np.nextafter(0.5, 0)  # adding one half and flooring would give 1
    assert away.encode(np.array([[below, -below]])).tolist() == [[0, 0]]


def test_ties_are_of_the_value_and_not_of_the_code():
    odd = typed(1.0, 3, 0, 15)
    assert odd.encode(np.array(TIES)).tolist() == [[3, 5, 5, 3, 1]]


def test_affine_by_hand():
    assert qparams(grid(-1.0, 1.55)) == ([pytest.approx(0.01)], [100], (0, 255))
    assert qparams(grid(-1.0, 1.55, QuantSpec(8, signed=True)))[1:] == ([-28], (-128, 127))
    assert qparams(grid(0.0, 3.0, QuantSpec(2))) == ([1.0], [0], (0, 3))
    assert qparams(grid(-3.0, 12.0, QuantSpec(4, narrow_range=True))) == ([15 / 14], [4], (1, 15))
    assert qparams(grid(-3.0, 0.1, QuantSpec(8, reduce_range=True)))[1:] == ([123], (0, 127))
    custom = QuantSpec(quant_min=-7, quant_max=24)
    assert qparams(grid(-7.0, 24.0, custom)) == ([1.0], [0], (-7, 24))


def test_the_code_of_zero_rounds_half_to_even():
    assert grid(-0.5, 14.5, QuantSpec(4)).zero_point.tolist() == [0]
    assert grid(-1.5, 13.5, QuantSpec(4)).zero_point.tolist() == [2]


def test_ranges_are_widened_to_hold_zero():
    assert qparams(grid(4.0, 7.5, QuantSpec(4))) == ([0.5], [0], (0, 15))
    assert qparams(grid(-7.5, -4.0, QuantSpec(4))) == ([0.5], [15], (0, 15))
    assert qparams(grid(4.0, 7.0, QuantSpec(4, signed=True, symmetric=True)))[0] == [1.0]


def test_symmetric_by_hand():
    even = QuantSpec(8, signed=True, symmetric=True)
    assert qparams(grid(-2.54, 1.0, even)) == ([0.02], [0], (-128, 127))
    full = grid(-2.55, 1.0, even, full_range=True)
    assert qparams(full) == ([pytest.approx(0.02)], [0], (-128, 127))
    unsigned = QuantSpec(8, symmetric=True)
    assert qparams(grid(-2.54, 1.0, unsigned)) == ([0.02], [128], (0, 255))
    narrow = QuantSpec(8, signed=True, symmetric=True, narrow_range=True)
    assert qparams(grid(-2.54, 1.0, narrow, full_range=True)) == ([0.02], [0], (-127, 127))


def test_full_range_uses_the_lowest_code_and_cuts_the_top():
    even = QuantSpec(4, signed=True, symmetric=True)
    x = np.array([[-7.5, 7.5]])
    assert grid(-7.5, 7.5, even, full_range=True).quantize(x).tolist() == [[-8, 7]]
    assert grid(-7.0, 7.0, even).fake_quantize(np.array([[-7.0, 7.0]])).tolist() == [[-7, 7]]


def test_the_middle_code():
    ends = [(-128, 127), (-127, 127), (0, 255), (1, 255), (-1, 0), (0, 1), (3, 9), (5, 20)]
    assert [middle_code(*e) for e in ends] == [0, 0, 128, 128, 0, 1, 6, 13]


def test_half_the_grid():
    assert symmetric_half(QuantSpec(8, signed=True), False) == 127
    assert symmetric_half(QuantSpec(8, signed=True), True) == 127.5
    assert symmetric_half(QuantSpec(1, signed=True), False) == 0


def test_one_bit():
    assert grid(-1.0, 1.0, QuantSpec(1)).levels().tolist() == [[0.0, 2.0]]
    assert grid(-3.0, 1.0, QuantSpec(1, signed=True)).levels().tolist() == [[-4.0, 0.0]]
    even = QuantSpec(1, signed=True, symmetric=True)
    reason = Affine().accepts(Target(even, PER_TENSOR, Affine()))
    assert reason == "no code above 0: use full_range or more bits"
    assert Affine(full_range=True).accepts(Target(even, PER_TENSOR, Affine())) is None
    with pytest.raises(QvizError, match=r"-1 to 0 cannot be symmetric.*Use full_range"):
        grid(-1.0, 1.0, even)
    assert grid(-1.0, 1.0, even, full_range=True).levels().tolist() == [[-2.0, 0.0]]


def test_a_range_without_width_has_steps_of_one():
    assert qparams(grid(0.0, 0.0)) == ([1.0], [0], (0, 255))
    assert qparams(grid(0.0, 0.0, QuantSpec(4, signed=True)))[:2] == ([1.0], [-8])


def test_the_narrowest_step_is_a_normal_number():
    assert grid(0.0, 5e-324).scale.tolist() == [2.0**-1022]
    assert grid(-1e-40, 1e-40).scale.tolist() == [pytest.approx(2e-40 / 255, rel=1e-15)]


def test_the_widest_range_has_a_finite_step():
    top = np.finfo(np.float64).max
    assert grid(-top, top).scale.tolist() == [pytest.approx(top / 127.5)]
    assert grid(-top, top, QuantSpec(8, signed=True)).zero_point.tolist() in ([-1], [0])  # a tie
    assert grid(-top, top, QuantSpec(1)).scale.tolist() == [top]


@pytest.mark.parametrize("ends", [(np.nan, 1.0), (0.0, np.inf), (-np.inf, np.nan)])
def test_a_range_without_ends_is_refused(ends):
    with pytest.raises(QvizError, match="Both ends must be finite"):
        grid(*ends)


def test_values_beyond_all_codes_saturate_in_silence():
    tiny = typed(1e-300, 0, -8, 7)
    x = np.array([[1e308, -1e308, np.inf, -np.inf]])
    assert tiny.quantize(x).tolist() == [[7, -8, 7, -8]]
    assert np.isnan(tiny.fake_quantize(np.array([[np.nan]]))).all()
    assert typed(1e308, 0, -8, 7).levels()[0, [0, -1]].tolist() == [-np.inf, np.inf]


def test_each_group_has_its_own_step():
    both = grid(np.array([0.0, -1.0]), np.array([3.0, 5.0]), QuantSpec(2))
    assert both.fake_quantize(np.array([[1.2], [1.2]])).tolist() == [[1.0], [2.0]]
    assert both.qparams()["zero_point"].tolist() == [0, 0]


def test_typed_numbers_are_one_group():
    quantizer = typed(0.5, 3, 0, 7)
    assert qparams(quantizer) == ([0.5], [3], (0, 7))
    assert quantizer.fake_quantize(np.array([[-9.0, 0.3, 9.0]])).tolist() == [[-1.5, 0.5, 2.0]]
    assert typed([1.0, 2.0], 0, 0, 1).zero_point.tolist() == [0, 0]
    assert typed(1.0, [0, 1], 0, 1).scale.tolist() == [1.0, 1.0]


REFUSED = {
    "A scale of 0 is no step size. It must be finite and above 0.": (0.0, 0, 0, 7),
    "A scale of -1 is no step size": (-1.0, 0, 0, 7),
    "A scale of nan is no step size": (np.nan, 0, 0, 7),
    "A scale of inf is no step size": ([1.0, np.inf], 0, 0, 7),
    "Zero point 8 is not one of the codes. Real 0 must have a code.": (1.0, 8, 0, 7),
    "Zero point 1.5 is not one of the codes": (1.0, 1.5, 0, 7),
    "Zero point nan is not one of the codes": (1.0, np.nan, 0, 7),
    "Type a whole number from 0 to 7": (1.0, [0, -1], 0, 7),
    "fewer than two": (1.0, 0, 7, 7),
    "65,537 codes": (1.0, 0, 0, 65_536),
    "They go together group by group": ([1.0, 2.0], [0, 1, 2], 0, 7),
    "Scales of shape": ([[1.0, 2.0]], 0, 0, 7),
    "No rule for ties is called 'up'. Known: even, away.": (1.0, 0, 0, 7, "up"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_typed_numbers_that_are_no_qparams(message):
    with pytest.raises(QvizError) as error:
        typed(*REFUSED[message])
    assert message in str(error.value)
