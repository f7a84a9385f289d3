"""Few points of a long curve."""

import numpy as np
import pytest

from qviz.observers.thinning import POINTS, thinned


def test_short_curves_stay_whole():
    assert thinned(5, 2).tolist() == [0, 1, 2, 3, 4]
    assert thinned(1, 0).tolist() == [0]


@pytest.mark.parametrize("count", [400, 401, 1921, 100_000])
@pytest.mark.parametrize("chosen", [0, 7, 399])
def test_long_curves_keep_ends_and_choice(count, chosen):
    found = thinned(count, chosen)
    assert len(found) <= POINTS and (np.diff(found) > 0).all()
    assert {0, chosen, count - 1} <= set(found.tolist())
    assert np.diff(found).max() <= count / POINTS + 2
