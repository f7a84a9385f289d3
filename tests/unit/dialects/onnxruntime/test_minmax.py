"""Extremes of collect calls, plain, symmetric and averaged."""

import numpy as np
import pytest
import torch

from qviz.dialects.onnxruntime.errors import InvalidValue
from qviz.dialects.onnxruntime.minmax import BATCHES, OrtMinMax, OrtMovingAverage, one_call
from qviz.quantizers.base import Target
from qviz.spec import Granularity
from qviz.stats.base import NOTHING, Seen
from qviz.stats.minmax import MinMax

CHANNELS = Granularity("per_channel", 0)


def seen_of(*batches):
    return Seen({BATCHES: tuple(MinMax().of(np.atleast_2d(x), NOTHING) for x in batches)})


def range_of(observer, *batches):
    found = observer.range(seen_of(*map(np.float32, batches)), Target.of())
    return found.lo.tolist(), found.hi.tolist()


def test_extremes_over_all_calls():
    assert range_of(OrtMinMax(), [1, -2], [3, 0]) == ([-2], [3])
    assert range_of(OrtMinMax(symmetric=True), [1, -2], [3, 0]) == ([-3], [3])
    both = ([[1, 2], [-4, 3]], [[0, 1], [5, 6]])
    assert range_of(OrtMinMax(), *both) == ([0, -4], [2, 6])


def test_a_call_of_several_batches():
    states = [MinMax().of(np.float32([x]), NOTHING) for x in ([-1, 2], [-3, 8])]
    assert one_call(states, False)[0].tolist() == [-3]
    lo, hi = one_call(states, False, averages=True)
    assert (lo.tolist(), hi.tolist()) == ([-2], [5])
    lo, hi = one_call(states, True, averages=True)
    assert (lo.tolist(), hi.tolist()) == ([-5], [5])


def test_the_average_moves_by_its_constant():
    assert range_of(OrtMovingAverage(0.5), [-1, 1], [-3, 2], [-3, 5]) == ([-2.5], [3.25])
    assert range_of(OrtMovingAverage(0), [-1, 1], [-9, 9]) == ([-1], [1])
    assert range_of(OrtMovingAverage(0.5, symmetric=True), [-1, 1], [-3, 2]) == ([-2], [2])


def test_each_step_is_rounded_to_float32():
    first, second = np.float32([-1.1, 2.3]), np.float32([-0.7, 3.1])
    lo, hi = range_of(OrtMovingAverage(), first, second)
    c = torch.tensor(0.01)
    for found, old, new in ((lo, first[0], second[0]), (hi, first[1], second[1])):
        start, end = torch.tensor(old), torch.tensor(new)
        assert found == [float(start + c * (end - start))]


@pytest.mark.parametrize("observer", [OrtMinMax(), OrtMovingAverage()])
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(observer, odd):
    with pytest.raises(InvalidValue, match="NaN or infinite"):
        range_of(observer, [1, odd])


def test_a_channel_without_elements_is_left_alone():
    empty = np.zeros((1, 0), np.float32)
    assert range_of(OrtMinMax(), empty) == ([np.inf], [-np.inf])


@pytest.mark.parametrize("observer", [OrtMinMax(), OrtMovingAverage()])
def test_whom_it_serves(observer):
    assert observer.accepts(Target.of()) is None
    assert observer.accepts(Target.of(granularity=CHANNELS)) is None
    assert "per channel" in observer.accepts(Target.of(granularity=Granularity("per_token")))


def test_the_picture_follows_the_calls():
    observer = OrtMovingAverage(0.5)
    shown = observer.decision(seen_of(np.float32([-1, 1]), np.float32([-3, 2])), Target.of())
    assert shown.curves["lo"].tolist() == [-1, -2]
    assert shown.curves["batch max"].tolist() == [1, 2]
    assert observer.decision(seen_of(np.float32([1])), Target.of()) is None
    empty = np.zeros((1, 0), np.float32)
    assert observer.decision(seen_of(np.float32([1]), empty), Target.of()) is None
