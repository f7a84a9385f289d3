"""The whole range."""

from qviz.observers.minmax import MinMaxObserver
from tests.unit.observers.watching import ends


def test_extremes_of_each_group_without_what_is_not_finite():
    nan, inf = float("nan"), float("inf")
    assert ends(MinMaxObserver(), [-3, 1, 2], [nan, 1, inf]) == [[-3, 2], [1, 1]]
