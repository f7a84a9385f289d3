"""The percentile observer: left edges, shares of one or of both sides."""

import numpy as np
import pytest

from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.dialects.onnxruntime.percentile import OrtPercentile, cumulative
from qviz.quantizers.base import Target
from qviz.spec import Granularity
from qviz.stats.base import Seen
from tests.unit.dialects.onnxruntime.peer import collected, state_of, tensors

RAMP = np.arange(-100, 101, dtype=np.float32)


def range_of(observer, *batches):
    found = observer.range(seen_of(observer, *batches), Target.of())
    return found.lo[0], found.hi[0]


def seen_of(observer, *batches):
    (rule,) = observer.needs
    return Seen({rule: state_of(rule, batches)}, len(batches))


def test_symmetric_by_hand():
    # |x| = 0 .. 10 in bins of width 2: 2 2 2 2 3 of 11; half is reached in the third
    x = np.arange(11, dtype=np.float32) * np.float32([1, -1] * 5 + [1])
    assert range_of(OrtPercentile(50, 5), x) == (-4, 4)
    assert range_of(OrtPercentile(100, 5), x) == (-8, 8)  # the last left edge, not 10
    assert range_of(OrtPercentile(0, 5), x) == (0, 0)


def test_two_sided_by_hand():
    # 201 values in bins of width 50: 50 50 50 51; a quarter falls off each side
    assert range_of(OrtPercentile(50, 4, False), RAMP) == (-50, 50)
    assert range_of(OrtPercentile(100, 4, False), RAMP) == (-100, 50)


def test_shares_are_added_in_order():
    assert cumulative(np.array([1, 0, 3])).tolist() == [0.25, 0.25, 1.0]
    assert np.isnan(cumulative(np.zeros(2, int))).all()


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("percentile", [0, 37.5, 99.0, 99.999, 100])
def test_ends_are_onnxruntimes(symmetric, percentile):
    observer = OrtPercentile(percentile, 64, symmetric)
    (rule,) = observer.needs
    checked = 0
    for batches in tensors(9):
        histogram, theirs = collected(
            batches, symmetric=symmetric, num_bins=64, percentile=percentile
        )
        if isinstance(histogram, str) or not histogram[0].any():
            continue
        checked += 1
        ours = observer.ends(state_of(rule, batches))
        assert [float(end) for end in ours] == [float(end) for end in theirs[:2]]
    assert checked > 20


def test_a_range_never_turns_round():
    x = np.full(9, 9.99, np.float32)  # the left edge of the last bin lies below every value
    lo, hi = range_of(OrtPercentile(50, 2048, False), x)
    assert lo == hi < x[0]


def test_percentages_only():
    with pytest.raises(InvalidValue, match=r"100\.5 is no percentile"):
        range_of(OrtPercentile(100.5), RAMP)
    channels = Target.of(granularity=Granularity("per_channel", 0))
    assert "per tensor only" in OrtPercentile().accepts(channels)


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_picture_marks_the_ends(symmetric):
    observer = OrtPercentile(90, 1024, symmetric)
    seen = seen_of(observer, RAMP)
    shown, chosen = observer.decision(seen, Target.of()), observer.range(seen, Target.of())
    assert len(shown.x) <= 400 and shown.curves["cumulative share"][-1] == pytest.approx(100)
    assert shown.chosen[-1] == chosen.hi[0]
    assert set(shown.marks) == ({"t"} if symmetric else {"lo", "hi"})
    assert observer.decision(seen_of(observer, np.full(3, 2, np.float32)), Target.of()) is None
