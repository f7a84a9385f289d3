"""torch.moving_average: the order of its float32 operations."""

import numpy as np
import pytest
import torch
from torch.ao.quantization.observer import MovingAverageMinMaxObserver

from qviz.dialects.pytorch.moving_average import TorchMovingAverage
from qviz.errors import QvizError
from qviz.pipeline import compare, gather
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.stats.stream import Stream

TENTH = TorchMovingAverage(0.1)


def seen_of(*batches):
    return gather(Stream.of([np.float32(x) for x in batches]).tiles[0], TENTH.needs)


def ends_of(observer, *batches):
    found = observer.range(seen_of(*batches), Target.of())
    return found.lo[0], found.hi[0]


def test_the_first_batch_is_copied_and_the_rest_averaged():
    assert ends_of(TorchMovingAverage(0.5), [-4, 8]) == (-4, 8)
    assert ends_of(TorchMovingAverage(0.5), [-4, 8], [0, 0], [2, 4]) == (0, 4)


def test_equal_batches_leave_the_range_as_it_is():
    # 0.9 * 0.1 + 0.1 * 0.1 is one float32 less than 0.1
    m, c = np.float32(0.1), np.float32(0.1)
    assert (np.float32(1) - c) * m + c * m < m
    assert ends_of(TENTH, [0.1], [0.1]) == (m, m)


def test_empty_batches_are_passed_over():
    assert ends_of(TENTH, [], [1, 2], []) == (1, 2)


def test_ends_that_cross_are_refused_as_torch_refuses_them():
    first, second = np.float32([0.06, np.nextafter(np.float32(0.06), np.float32(1))]), [1.42]
    theirs = MovingAverageMinMaxObserver(averaging_constant=0.1)
    theirs(torch.from_numpy(first))
    theirs(torch.tensor(second))
    with pytest.raises(AssertionError, match="less than max"):
        theirs.calculate_qparams()
    with pytest.raises(QvizError, match=r"minimum above their maximum.*AssertionError"):
        ends_of(TENTH, first, second)


def test_an_infinity_is_refused():
    with pytest.raises(QvizError, match="NaN or infinite"):
        ends_of(TENTH, [1, np.inf], [1, 2], [1, 2])


@pytest.mark.parametrize("seed", range(30))
def test_torch_says_the_same(seed):
    rng = np.random.default_rng(seed)
    batches = [(rng.normal(0.2, 1 + k, 500)).astype(np.float32) for k in range(3)]
    spec = QuantSpec(8, signed=seed % 2 == 1, symmetric=seed % 3 == 0)
    theirs = MovingAverageMinMaxObserver(
        dtype=torch.qint8 if spec.signed else torch.quint8,
        qscheme=torch.per_tensor_symmetric if spec.symmetric else torch.per_tensor_affine,
    )
    for x in batches:
        theirs(torch.from_numpy(x))
    scale, zero = theirs.calculate_qparams()
    target = Target.of(spec, mode="torch.affine")
    (row,) = compare(Stream.of(batches), [TorchMovingAverage()], target).rows
    assert (row.range.lo[0], row.range.hi[0]) == (theirs.min_val.item(), theirs.max_val.item())
    assert row.qparams["scale"].tolist() == scale.tolist()
    assert row.qparams["zero_point"].tolist() == zero.tolist()


def test_the_decision_follows_the_batches():
    seen = seen_of([-4, 8], [0, 0])
    decision = TorchMovingAverage(0.5).decision(seen, Target.of())
    assert decision.curves["batch max"].tolist() == [8, 0]
    assert decision.curves["lo"].tolist() == [-4, -2]
    assert decision.curves["hi"].tolist() == [8, 4]
    assert decision.chosen == (2.0,)
    assert TENTH.decision(seen_of([1]), Target.of()) is None
