"""The fused module: two answers, infinite running values, refusals; and its members."""

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from qviz.dialects.pytorch import FusedMovingAvgObsFakeQuantize as Fused
from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare, gather, settle
from qviz.pipeline.judging import ALWAYS
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.stats.stream import Stream

SYMMETRIC = QuantSpec(8, signed=True, symmetric=True)
CHANNELS = {"observer": pytorch.MovingAveragePerChannelMinMaxObserver}


def test_one_module_two_answers():
    module = pytorch.default_fused_wt_fake_quant()
    module(np.float32([1, 2]))
    trained = module.scale[0], module.zero_point[0]
    exported = [v[0] for v in module.calculate_qparams()]
    assert trained == (np.float32(2 / 255), -128)
    assert exported == [np.float32(2 / 127.5), 0]


def test_the_member_shows_both():
    observer = OBSERVERS.make("torch.fused_moving_average")
    target = Target.of(SYMMETRIC, mode="torch.affine")
    seen = gather(Stream.of(np.float32([1, 2])).tiles[0], (*observer.needs, *ALWAYS))
    grid = settle(observer, seen, target).quantizer
    assert (grid.step[0], grid.zero_point[0]) == (np.float32(2 / 255), -128)
    decision = observer.decision(seen, target)
    assert decision.words == (
        "Training uses scale 0.00784314 and zero point -128; "
        "calculate_qparams() exports scale 0.0156863 and zero point 0."
    )
    assert decision.curves["in training"][[0, -1]] == pytest.approx([0, 2])
    assert decision.curves["exported"][[0, -1]] == pytest.approx([-2.008, 1.992], abs=1e-3)
    assert decision.chosen == (-128,)


def test_the_member_in_a_comparison():
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=(4, 50)).astype(np.float32) * (1 + k) for k in range(3)]
    module = Fused()
    for x in batches:
        module(x)
    names = ("torch.fused_moving_average", "torch.moving_average")
    target = Target.of(QuantSpec(8), mode="torch.affine")
    rows = compare(Stream.of(batches), [OBSERVERS.make(name) for name in names], target).rows
    assert rows[0].qparams["scale"].tolist() == module.scale.tolist()
    assert rows[0].qparams["zero_point"].tolist() == module.zero_point.tolist()
    assert rows[1].qparams["scale"].tolist() == module.calculate_qparams()[0].tolist()


@pytest.mark.parametrize(
    ("granularity", "reason"),
    [
        (Granularity("per_channel", 0), None),
        (Granularity("per_channel", 1), "axis 0"),
        (Granularity("per_token"), "axis 0"),
    ],
)
def test_what_the_member_serves(granularity, reason):
    said = OBSERVERS.make("torch.fused_moving_average").accepts(Target.of(SYMMETRIC, granularity))
    assert said is None if reason is None else reason in said


def test_an_infinite_running_value_is_replaced():
    module = Fused(averaging_constant=0.5)
    module(np.float32([-1, np.inf]))
    module(np.float32([-3, 7]))
    watching = module.activation_post_process
    assert (watching.min_val, watching.max_val) == (-2, 7)


def test_switches_before_data():
    module = Fused(quant_min=-128, quant_max=127, dtype="qint8")
    module.disable_observer()
    module(np.float32([1]))
    assert module.scale.tolist() == [np.float32(0.1)] and module.zero_point.tolist() == [127]
    module.disable_fake_quant()
    module.enable_observer()
    x = torch.tensor([1.0])
    assert module(x) is x and module.scale.tolist() == [np.float32(0.1)]  # stale
    assert module.activation_post_process.max_val == 1


def test_channels():
    module = Fused(**CHANNELS, qscheme="per_channel_affine")
    y = module(np.float32([[0, 255], [-1, 254]]))
    assert module.zero_point.tolist() == [0, 1] and y.tolist() == [[0, 255], [-1, 254]]


@pytest.mark.parametrize(
    ("given", "x", "error"),
    [
        ({}, np.zeros(2), RuntimeError),
        ({**CHANNELS, "qscheme": "per_channel_affine"}, np.zeros(2, np.float32), IndexError),
        (
            {**CHANNELS, "qscheme": "per_channel_affine", "ch_axis": 1},
            np.zeros((2, 2), np.float32),
            RuntimeError,
        ),
        (
            {**CHANNELS, "qscheme": "per_channel_affine"},
            np.full((2, 2), np.nan, np.float32),
            RuntimeError,
        ),
    ],
)
def test_refusals(given, x, error):
    with pytest.raises(error):
        Fused(**given)(x)
    with pytest.raises(AssertionError, match="cannot be fused"):
        Fused(pytorch.MinMaxObserver)


def test_nothing_changes_nothing():
    module, x = Fused(), np.zeros((0, 2))
    assert module(x) is x and module.scale.tolist() == [1]
