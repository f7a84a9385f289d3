"""Extremes as PyTorch keeps them."""

import numpy as np
import pytest

from qviz.dialects.pytorch.extremes import checked, extremes, refusal
from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.stats.base import NOTHING
from qviz.stats.minmax import MinMax

NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    ("row", "ends"),
    [
        ([1, -2, 3], (-2, 3)),
        ([1, NAN, -INF], (NAN, NAN)),
        ([1, -INF], (-INF, 1)),
        ([INF, INF], (INF, INF)),
        ([1e300, -1], (-1, INF)),  # overflows float32
        ([0.1], (np.float32(0.1), np.float32(0.1))),
        ([], (INF, -INF)),
    ],
)
def test_extremes_are_those_of_aminmax(row, ends):
    lo, hi = extremes(MinMax().of(np.array([row], np.float64), NOTHING))
    assert lo.dtype == hi.dtype == np.float32
    assert np.array_equal([lo[0], hi[0]], ends, equal_nan=True)


def test_a_group_that_is_not_finite_is_counted():
    with pytest.raises(QvizError, match="2 of 3 ranges are NaN or infinite"):
        checked(np.float32([0, NAN, 0]), np.float32([1, NAN, INF]))


def test_groups_without_data_pass():
    found = checked(np.float32([INF, 0]), np.float32([-INF, 1]))
    assert found.lo.tolist() == [INF, 0]


def test_what_the_constructors_refuse():
    odd = QuantSpec(8, symmetric=True, reduce_range=True)
    signed = QuantSpec(8, symmetric=True, reduce_range=True, signed=True)
    assert "quint8 with reduce_range" in refusal(Target.of(odd))
    assert refusal(Target.of(signed)) is None
