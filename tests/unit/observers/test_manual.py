"""A range given by hand."""

import pytest

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.observers.manual import ManualObserver
from qviz.pipeline import settle
from tests.unit.observers.watching import ends, seen_of, target


def test_every_group_gets_it():
    assert ends(ManualObserver(lo=-0.5, hi=2), [1, 2], [3, 4]) == [[-0.5, 2], [-0.5, 2]]


def test_equal_ends_are_a_range():
    assert ManualObserver(lo=2, hi=2).accepts(target()) is None


@pytest.mark.parametrize(
    ("lo", "hi", "said"),
    [(2, 1, "above"), (0, float("inf"), "not finite"), (float("nan"), 1, "not finite")],
)
def test_a_range_that_is_none_is_refused_with_the_reason(lo, hi, said):
    observer = ManualObserver(lo=lo, hi=hi)
    assert said in observer.accepts(target())
    with pytest.raises(QvizError, match=said):
        settle(observer, seen_of(observer, [1, 2]), target())


def test_it_stands_in_no_list():
    assert "manual" not in OBSERVERS.presets
    assert OBSERVERS.make("manual:lo=-3,hi=0.5") == ManualObserver(lo=-3, hi=0.5)
