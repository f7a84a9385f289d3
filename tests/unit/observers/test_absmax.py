"""The largest magnitude, to both sides."""

from qviz.observers.absmax import AbsMaxObserver
from tests.unit.observers.watching import ends


def test_the_larger_magnitude_decides():
    assert ends(AbsMaxObserver(), [-3, 1, 2], [0, 1, 4]) == [[-3, 3], [-4, 4]]


def test_nothing_finite_gives_zero_without_a_sign():
    found = ends(AbsMaxObserver(), [float("nan")] * 2, [0, 0])
    assert str(found) == "[[0.0, 0.0], [0.0, 0.0]]"
