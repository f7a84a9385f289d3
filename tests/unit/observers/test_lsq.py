"""First steps of LSQ and LSQ+, and what they refuse."""

import numpy as np
import pytest

from qviz.observers.base import OBSERVERS
from qviz.observers.lsq import (
    LsqObserver,
    LsqPlusObserver,
    gradient_scale,
    largest,
    lsq_plus_step,
    lsq_step,
)
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.base import NOTHING
from qviz.stats.moments import Moments
from tests.unit.observers.watching import ends, target


def moments(*rows):
    return Moments().of(np.array(rows, np.float32), NOTHING)


def test_by_hand():
    assert [largest(b) for b in (2, 4, 8)] == [1, 7, 127]
    seen = moments([1, -2, 4, -1])  # mean magnitude 2, mean 0.5
    assert lsq_step(seen, 4) == pytest.approx([4 / np.sqrt(7)])
    assert gradient_scale(seen, 4) == pytest.approx([1 / np.sqrt(28)])
    std = np.sqrt((0.25 + 6.25 + 12.25 + 2.25) / 4)
    assert lsq_plus_step(seen, 4) == pytest.approx([(0.5 + 3 * std) / 8])
    assert lsq_plus_step(moments([-1, 2, -4, 1]), 4) == pytest.approx([(0.5 + 3 * std) / 8])


@pytest.mark.parametrize(
    ("observer", "step"), [(LsqObserver(), lsq_step), (LsqPlusObserver(), lsq_plus_step)]
)
def test_a_symmetric_grid_over_the_range_has_the_step(observer, step):
    x, spec = [0.3, -1.7, 2.2, 0.1], QuantSpec(4, signed=True, symmetric=True)
    (found,) = ends(observer, x, aim=target(4, signed=True, symmetric=True))
    grid = Target.of(spec).mode.quantizer(Range(*np.array(found)[:, None]), spec)
    assert grid.step == pytest.approx(step(moments(x), 4), rel=1e-12)


@pytest.mark.parametrize("observer", [LsqObserver(), LsqPlusObserver()])
def test_refusals_and_nothing(observer):
    one_bit = Target.of(QuantSpec(1), Granularity("per_channel", 0))
    assert "2 bits or more" in observer.accepts(one_bit)
    assert observer.accepts(target(2)) is None
    assert ends(observer, [np.nan, np.nan], aim=target(4)) == [[0, 0]]
    assert not OBSERVERS.entry(OBSERVERS.name_of(observer)).presets
