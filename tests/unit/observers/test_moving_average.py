"""The range that follows the batches."""

import numpy as np
import pytest

from qviz.observers.moving_average import MovingAverageObserver
from qviz.stats.gather import gather
from qviz.stats.stream import Stream
from tests.unit.observers.watching import target


def path(observer, *batches):
    tile = Stream.of([np.array(batch, np.float32) for batch in batches]).tiles[0]
    return observer.range(gather(tile, observer.needs), target())


def test_one_batch_is_min_max():
    chosen = path(MovingAverageObserver(), [-1, 5])
    assert (chosen.lo[0], chosen.hi[0]) == (-1, 5)


def test_each_batch_moves_the_range_by_the_rate():
    chosen = path(MovingAverageObserver(rate=0.25), [0, 8], [-4, 4], [-4, 4])
    # lo: 0, -1, -1.75; hi: 8, 7, 6.25
    assert (chosen.lo[0], chosen.hi[0]) == (-1.75, 6.25)


@pytest.mark.parametrize("at", [0, 1])
def test_a_batch_without_finite_elements_is_passed_over(at):
    batches = [[0, 8], [-4, 4]]
    batches.insert(at, [np.nan, np.nan])
    chosen = path(MovingAverageObserver(rate=0.5), *batches)
    assert (chosen.lo[0], chosen.hi[0]) == (-2, 6)


def test_decision_shows_both_paths():
    observer = MovingAverageObserver(rate=0.5)
    tile = Stream.of([np.array([0, 8.0]), np.array([-4, 4.0])]).tiles[0]
    shown = observer.decision(gather(tile, observer.needs), target())
    assert shown.x.tolist() == [1, 2]
    assert shown.curves["batch max"].tolist() == [8, 4]
    assert shown.curves["lo"].tolist() == [0, -2]
