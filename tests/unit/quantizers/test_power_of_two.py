import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.quantizers.affine import Affine
from qviz.quantizers.base import Target
from qviz.quantizers.power_of_two import PowerOfTwo
from qviz.spec import PER_TENSOR, QuantSpec, Range


def grid(lo, hi, spec=None, **knobs):
    return PowerOfTwo(**knobs).quantizer(Range(lo, hi), spec or QuantSpec(4))


def test_by_hand():
    up = grid(-3.0, 12.0)  # 15 / 15 = 1 stays
    assert (up.scale.tolist(), up.zero_point.tolist()) == ([1.0], [3])
    wider = grid(-3.0, 12.1)  # 15.1 / 15 goes to 2, and the code of 0 to round(1.5) = 2
    assert (wider.scale.tolist(), wider.zero_point.tolist()) == ([2.0], [2])
    assert grid(0.0, 0.9375).scale.tolist() == [2.0**-4]


def test_symmetric_by_hand():
    even = QuantSpec(8, signed=True, symmetric=True)
    assert grid(-1.0, 1.0, even).scale.tolist() == [2.0**-6]
    assert grid(-127 / 64, 1.0, even).scale.tolist() == [2.0**-6]
    assert grid(-127.5 / 64, 1.0, even, full_range=True).scale.tolist() == [2.0**-6]
    assert grid(-2.0, 1.0, QuantSpec(8, symmetric=True)).zero_point.tolist() == [128]


@pytest.mark.parametrize("width", np.geomspace(1e-44, 1e38, 60).tolist())
@pytest.mark.parametrize("symmetric", [False, True])
def test_at_least_the_uniform_step_and_under_twice(width, symmetric):
    spec = QuantSpec(8, signed=True, symmetric=symmetric)
    plain = Affine().quantizer(Range(-width, width / 3), spec).scale[0]
    scale = grid(-width, width / 3, spec).scale[0]
    assert np.frexp(scale)[0] == 0.5
    assert plain <= scale < 2 * plain


def test_everything_is_covered():
    quantizer = grid(-1.7, 4.9, QuantSpec(3))
    x = np.linspace(-1.7, 4.9, 100)[None]
    assert (np.abs(quantizer.fake_quantize(x) - x) <= quantizer.scale).all()


def test_a_range_without_width_has_steps_of_one():
    assert grid(0.0, 0.0).scale.tolist() == [1.0]


def test_the_ends_of_float64():
    top = float(np.finfo(np.float64).max)
    assert grid(-top, top, QuantSpec(1)).scale.tolist() == [2.0**1023]
    assert grid(0.0, 5e-324).scale.tolist() == [2.0**-1022]


def test_ties_away():
    x = np.array([[0.5, 2.5]])
    assert grid(0.0, 15.0).quantize(x).tolist() == [[0, 2]]
    assert grid(0.0, 15.0, tie="away").quantize(x).tolist() == [[1, 3]]


def test_what_is_refused():
    even = QuantSpec(1, symmetric=True)
    assert "full_range" in PowerOfTwo().accepts(Target(even, PER_TENSOR, PowerOfTwo()))
    with pytest.raises(QvizError, match="cannot be symmetric"):
        grid(-1.0, 1.0, even)
    with pytest.raises(QvizError, match="must be finite"):
        grid(-1.0, np.inf)
