"""Ends that are cut to the data, and ends that cross."""

import numpy as np
import pytest

from qviz.dialects.onnxruntime.errors import FailedAssertion, InvalidValue
from qviz.dialects.onnxruntime.state import cut, ordered, usable
from qviz.dialects.onnxruntime.values import OrtHistogram
from qviz.errors import QvizError


def state(lo, hi, counts=(1,), refused=""):
    edges = np.array([lo, hi], np.float32)
    kept = None if counts is None else np.array(counts)
    return OrtHistogram(kept, edges, np.float32(lo), np.float32(hi), np.float32(hi), refused)


@pytest.mark.parametrize(
    ("edges", "data", "ends"),
    [
        ((-5, 5), (-2, 3), (-2, 3)),
        ((-1, 5), (-2, 3), (-1, 3)),
        ((-0.5, 0.5), (9, 10), (9, 0.5)),
        ((-0.5, 0.5), (-10, -9), (-0.5, -9)),
    ],
)
def test_each_end_moves_to_the_data(edges, data, ends):
    assert cut(*np.float32(edges), state(*data)) == ends


@pytest.mark.parametrize(
    ("ends", "kept"),
    [((-2, 3), (-2, 3)), ((9, 0.5), (0.5, 0.5)), ((-0.5, -9), (-0.5, -0.5)), ((0, 0), (0, 0))],
)
def test_of_ends_that_cross_the_one_counts_that_is_left_once_0_is_held(ends, kept):
    found = ordered(*np.float32(ends))
    assert (found.lo[0], found.hi[0]) == kept
    held = (min(ends[0], 0), max(ends[1], 0))
    assert (min(found.lo[0], 0), max(found.hi[0], 0)) == held


def test_usable_counts():
    assert usable(state(0, 1, (4,))).tolist() == [4]
    with pytest.raises(InvalidValue, match="No histogram"):
        usable(state(0, 1, None))
    with pytest.raises(InvalidValue, match="because"):
        usable(state(0, 1, (4,), "because."))


def test_errors_are_of_both_kinds():
    for kind, builtin in ((InvalidValue, ValueError), (FailedAssertion, AssertionError)):
        assert issubclass(kind, QvizError) and issubclass(kind, builtin)
        assert kind.stands_for == builtin.__name__
