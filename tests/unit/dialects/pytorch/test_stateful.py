"""The modules in training give the numbers of torch's own, where torch still has them."""

import warnings

import numpy as np
import pytest

from qviz.quantizers.stateful import LEARNERS, STATEFUL
from qviz.spec import QuantSpec

BATCHES = [np.random.default_rng(i).normal(i, i + 1, 200).astype(np.float32) for i in range(4)]
SPECS = (
    QuantSpec(8),
    QuantSpec(8, signed=True, symmetric=True),
    QuantSpec(4),
    QuantSpec(8, reduce_range=True),
    QuantSpec(4, signed=True, symmetric=True, narrow_range=True),
)


@pytest.fixture(scope="module")
def torch():
    found = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("torch.ao.quantization")
    return found


def settings(torch, spec):
    """torch's own arguments for these codes, written out once more."""
    scheme = torch.per_tensor_symmetric if spec.symmetric else torch.per_tensor_affine
    made = {"dtype": torch.qint8 if spec.signed else torch.quint8, "qscheme": scheme}
    if spec.bits == 8 and spec.reduce_range:
        return made | {"reduce_range": True}
    if spec.bits == 8:
        return made
    low, high = spec.ends
    return made | {"quant_min": low, "quant_max": high}


@pytest.mark.filterwarnings("ignore:Please use quant_min:UserWarning")  # reduce_range
@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize(
    ("name", "observer"),
    [("torch.minmax", "MinMaxObserver"), ("torch.moving_average", "MovingAverageMinMaxObserver")],
)
def test_fake_quantize(torch, name, observer, spec):
    ao = torch.ao.quantization
    made = settings(torch, spec)
    ends = {k: made.pop(k) for k in ("quant_min", "quant_max") if k in made}
    theirs = ao.FakeQuantize(getattr(ao, observer), *ends.values(), **made)
    ours = STATEFUL.make(name).machine(spec)
    ours.train(True)
    for batch in BATCHES:
        theirs(torch.from_numpy(batch))
        after = ours.step(batch)
        assert after.quantizer.scale.tolist() == theirs.scale.tolist()
        assert after.quantizer.zero_point.tolist() == theirs.zero_point.tolist()
        assert after.lo == float(theirs.activation_post_process.min_val)
        assert after.export.scale == float(theirs.calculate_qparams()[0])


@pytest.mark.parametrize("spec", SPECS[:2], ids=str)
def test_fused(torch, spec):
    ao = torch.ao.quantization
    low, high = spec.ends
    theirs = ao.FusedMovingAvgObsFakeQuantize(
        quant_min=low, quant_max=high, **settings(torch, spec)
    )
    ours = STATEFUL.make("torch.fused").machine(spec)
    ours.train(True)
    for batch in BATCHES:
        theirs(torch.from_numpy(batch))
        after = ours.step(batch)
        assert after.quantizer.scale.tolist() == theirs.scale.tolist()
        scale, zero = theirs.calculate_qparams()
        assert (after.export.scale, after.export.zero_point) == (float(scale), int(zero))


def test_learnable_scaling_is_that_of_the_module():
    learner = LEARNERS.make("torch.learnable:use_grad_scaling=true")
    value, words = learner.factor(10_000, QuantSpec(8, signed=True, symmetric=True))
    assert value == pytest.approx(1 / (10_000 * 127) ** 0.5)
    assert words == "gradient ÷ √(10,000 × 127)"


def test_a_scale_is_kept_at_the_floor():
    assert LEARNERS.make("torch.learnable").raised(-1.0) == 2.0**-23
