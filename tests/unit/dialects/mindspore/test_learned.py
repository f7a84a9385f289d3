"""LEARNED_SCALE: levels, the two forms of its gradient, and the mode."""

import numpy as np
import pytest
import torch

from qviz.dialects.mindspore import FakeQuantWithMinMaxObserver
from qviz.dialects.mindspore.learned import LearnedQuantizer, checked_learned
from qviz.dialects.mindspore.readings import ASCEND, DOC, GPU
from qviz.errors import QvizError
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec, Range

SYMMETRIC = {"mode": "LEARNED_SCALE", "symmetric": True, "narrow_range": True}
TRUNCATED = {"mode": "LEARNED_SCALE", "symmetric": True, "neg_trunc": True}
ONE_BIT = QuantSpec(1, symmetric=True, narrow_range=True, quant_min=-2, quant_max=1)
NARROW = QuantSpec(8, signed=True, symmetric=True, narrow_range=True)


def made(reading="gpu", **given):
    return FakeQuantWithMinMaxObserver(**(SYMMETRIC | given), reading=reading)


def test_half_way_goes_up_on_both_sides():
    x = np.float32([[0.5, -0.5, 1.5, -1.5, 300, -300]])
    assert made(max_init=127)(x).tolist() == [[1, 0, 2, -1, 127, -127]]


def test_neg_trunc_cuts_below_zero():
    x = np.float32([[-1, 3, 254.6, 999]])
    observer = FakeQuantWithMinMaxObserver(**TRUNCATED, max_init=255, reading="gpu")
    assert observer(x).tolist() == [[0, 3, 255, 255]]
    doc = FakeQuantWithMinMaxObserver(**TRUNCATED, max_init=256)
    assert doc(x).tolist() == [[0, 3, 255, 256]]  # quant_max is 256 there, as printed


def test_minq_follows_maxq_in_training_only():
    observer = made(min_init=-1, max_init=3)
    observer(np.ones((1, 1), np.float32))
    assert observer.minq.tolist() == [-1]
    observer.set_train()(np.ones((1, 1), np.float32))
    assert observer.minq.tolist() == [-3]
    truncated = FakeQuantWithMinMaxObserver(**TRUNCATED).set_train()
    truncated(np.ones((1, 1), np.float32))
    assert truncated.minq.tolist() == [0]


def test_gradients_of_the_kernels_by_hand():
    x = np.float32([[-3, -2, 0.3, 2, 3]])  # ratio -1.5, -1, 0.15, 1, 1.5
    found = made("gpu", max_init=2).gradients(x, np.ones_like(x))
    assert found.dx.tolist() == [[0, 1, 1, 1, 0]]
    inner = np.floor(0.15 * 127 + 0.5) / 127 - 0.15
    assert found.dmaxq[0] == pytest.approx(-1 + inner + 1, abs=1e-6)


def test_gradients_of_the_document_by_hand():
    x = np.float32([[-3, -2, 0.3, 1.4, 2, 3]])
    found = made("doc", max_init=2).gradients(x, np.ones_like(x))
    assert found.dx.tolist() == [[0, 0, 1, 1, 0, 0]]
    # ends: -1 twice, +1 twice; inside round(r) - r: 0 - 0.15 and 1 - 0.7
    assert found.dmaxq[0] == pytest.approx(-0.15 + 0.3, abs=1e-6)
    assert found.dx_framework is None


@pytest.mark.parametrize("reading", ["gpu", "ascend"])
def test_gradients_are_autograd_with_rounding_passed_through(reading):
    rng = np.random.default_rng(5)
    x, dout = (rng.standard_normal((3, 50)) * 2 for _ in range(2))
    maxq = torch.tensor([[0.7], [2.0], [3.1]], dtype=torch.float64).float().double()
    maxq.requires_grad_(True)
    t = torch.tensor(x, requires_grad=True)
    ratio = (t / maxq).clamp(-1, 1)
    steps = ratio * 127
    rounded = steps + (torch.floor(steps + 0.5) - steps).detach()
    (rounded / 127 * maxq).backward(torch.tensor(dout))
    channels = {"per_channel": True, "channel_axis": 0, "num_channels": 3}
    observer = made(reading, max_init=[0.7, 2.0, 3.1], precision="f64", **channels)
    found = observer.gradients(x, dout)
    assert found.dx == pytest.approx(t.grad.numpy(), abs=1e-12)
    assert found.dmaxq == pytest.approx(maxq.grad[:, 0].numpy(), rel=1e-9)
    assert found.dx_framework.tolist() == found.dx.tolist()


def test_before_the_delay_is_over_maxq_gets_no_gradient():
    observer = made("gpu", max_init=2, quant_delay=1).set_train()
    x = np.float32([[3.0]])
    assert observer(x).tolist() == [[3]]
    first, second = (observer.gradients(x, np.ones_like(x)) for _ in range(2))
    assert (first.dx.tolist(), first.dmaxq.tolist()) == ([[1]], [0])
    assert (second.dx.tolist(), second.dmaxq.tolist()) == ([[0]], [1])


def test_ascend_keeps_its_divisor_from_zero():
    quantizer = LearnedQuantizer(np.float32([1e-8, -1e-8, 2]), 127, False, ASCEND)
    assert quantizer.step[:2] == pytest.approx(1e-6 / 127)
    assert quantizer.step[2] == pytest.approx(2 / 127)
    assert LearnedQuantizer(np.float32([1e-8]), 127, False, GPU).step == pytest.approx(1e-8 / 127)


def test_nan_becomes_the_lower_bound_on_cuda_only():
    x = np.float32([[np.nan]])
    assert made("gpu", max_init=2)(x).tolist() == [[-2]]
    assert np.isnan(made("ascend", max_init=2)(x)).all()


def test_the_mode_takes_the_larger_magnitude():
    grid = checked_learned(GPU, Range(-3.0, 1.0), NARROW, "f32", False)
    assert (grid.maxq.tolist(), grid.ends) == ([3], (-127, 127))
    above = checked_learned(DOC, Range(-3.0, 1.0), NARROW, "f64", True)
    assert (above.maxq.tolist(), above.ends) == ([1], (0, 256))
    assert above.maxq.dtype == np.float64
    with pytest.raises(QvizError, match="no scale to learn from"):
        checked_learned(GPU, Range(-3.0, -1.0), NARROW, "f32", True)


@pytest.mark.parametrize("reading", ["doc", "gpu", "ascend"])
def test_codes_that_are_refused(reading):
    def reason(spec, mode=f"mindspore.learned_scale@{reading}"):
        target = Target.of(spec, mode=mode)
        return target.mode.accepts(target)

    assert reason(NARROW) is None
    truncated = f"mindspore.learned_scale@{reading}:neg_trunc=true"
    assert reason(QuantSpec(8, symmetric=True), truncated) is None
    assert "symmetric" in reason(QuantSpec(8))
    assert "narrow_range" in reason(QuantSpec(8, signed=True, symmetric=True))
    assert "narrow_range" in reason(NARROW, truncated)
    assert "no codes above 0" in reason(ONE_BIT)
