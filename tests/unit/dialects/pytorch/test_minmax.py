"""torch.minmax through the pipeline."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare, gather
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.stats.stream import Stream

OBSERVER = OBSERVERS.make("torch.minmax")


def test_range_over_all_batches_in_float32():
    seen = gather(Stream.of([np.array([0.1, 2]), np.array([-0.3])]).tiles[0], OBSERVER.needs)
    found = OBSERVER.range(seen, Target.of())
    assert (found.lo[0], found.hi[0]) == (np.float32(-0.3), 2)
    assert OBSERVER.decision(seen, Target.of()) is None


def test_channels_have_an_observer_of_their_own():
    by_row = Granularity("per_channel", 0)
    target = Target.of(QuantSpec(8, signed=True, symmetric=True), by_row, "torch.affine")
    (row,) = compare(Stream.of(np.float32([[-1, 0.5], [0, 255]]), by_row), [OBSERVER], target).rows
    assert "MinMaxObserver is per tensor only" in row.refused


def test_refuses_what_torch_refuses():
    target = Target.of(QuantSpec(8, symmetric=True, reduce_range=True), mode="torch.affine")
    (row,) = compare(Stream.of(np.float32([1, 2])), [OBSERVER], target).rows
    assert "reduce_range" in row.refused


def test_nan_stays_and_is_refused():
    seen = gather(Stream.of(np.float32([1, np.nan])).tiles[0], OBSERVER.needs)
    with pytest.raises(QvizError, match="keep NaN"):
        OBSERVER.range(seen, Target.of())
