"""Random streams through the door and through torch.ao, as long as torch has it."""

import warnings

import numpy as np
import pytest
import torch

from qviz.dialects import pytorch
from tests.unit.dialects.pytorch.oracle import NOTHING, batch, outcome, same

theirs = pytest.importorskip("torch.ao.quantization")
learnable = pytest.importorskip("torch.ao.quantization._learnable_fake_quantize")
TYPES = ("quint8", "qint8", "int8", "uint8", "int16", "uint16", "qint32", "quint4x2", "float16")
WHOLE = ("MinMaxObserver", "MovingAverageMinMaxObserver", "HistogramObserver")
CHANNELS = ("PerChannelMinMaxObserver", "MovingAveragePerChannelMinMaxObserver")
SCHEMES = {
    True: ("per_channel_affine", "per_channel_symmetric", "per_channel_affine_float_qparams"),
    False: ("per_tensor_affine", "per_tensor_symmetric"),
}
LEARNABLE = "_LearnableFakeQuantize"
MODULES = ("FakeQuantize", "FusedMovingAvgObsFakeQuantize", LEARNABLE)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def settings(rng, name, shape):
    """Random arguments of an observer; some of them are refused."""
    given = {
        "qscheme": str(rng.choice(SCHEMES["Channel" in name])),
        "dtype": str(rng.choice(TYPES)),
    }
    if rng.random() < 0.2:
        given["reduce_range"] = True
    if rng.random() < 0.4:
        ends = ((-128, 127), (0, 255), (-8, 7), (0, 15), (0, 300), (5, 1))[rng.integers(6)]
        given["quant_min"], given["quant_max"] = ends
    if rng.random() < 0.3:
        given["eps"] = float(2.0 ** rng.integers(-40, -2))
    if "Moving" in name:
        given["averaging_constant"] = float(rng.choice([0.01, 0.5, 1.0, 1 / 3]))
    if "Channel" in name and rng.random() < 0.4:
        given["ch_axis"] = int(rng.integers(-1, len(shape)))
    if name == "HistogramObserver":
        given["bins"] = int(rng.choice([16, 64, 256, 2048]))
    return given


def torchs(given):
    return {k: getattr(torch, v) if k in ("dtype", "qscheme") else v for k, v in given.items()}


def said(result):
    return result if isinstance(result, str) else NOTHING


def state(observer):
    found = (observer.min_val, observer.max_val)
    return (*found, observer.histogram) if hasattr(observer, "histogram") else found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", WHOLE + CHANNELS)
def test_observers(name, seed):
    rng = np.random.default_rng([seed, len(name)])
    shape = ((12,), (4, 6), (3, 2, 5))[rng.integers(3)] if "Hist" not in name else (20, 15)
    given = settings(rng, name, shape)
    ours = outcome(lambda: getattr(pytorch, name)(**given))
    want = outcome(lambda: getattr(theirs, name)(**torchs(given)))
    assert said(ours) == said(want)
    if isinstance(want, str):
        return
    assert same(ours.calculate_qparams(), want.calculate_qparams())
    for k in range(3):
        tensor = torch.from_numpy(batch(rng, shape, odd=seed % 2 == 1))
        x = tensor if k % 2 else tensor.numpy()
        assert said(outcome(lambda x=x: ours(x))) == said(outcome(lambda x=tensor: want(x)))
        assert same(state(ours), state(want))
        if name != "HistogramObserver" or k == seed % 3:  # its search takes torch seconds
            assert same(outcome(ours.calculate_qparams), outcome(want.calculate_qparams))


def module_of(rng, cls, shape):
    channels = bool(rng.integers(2)) and len(shape) > 1
    pool = CHANNELS if channels else WHOLE[:2]
    name = pool[1] if cls == MODULES[1] else str(rng.choice(pool))
    given = settings(rng, name, shape)
    given["dtype"], given["quant_min"], given["quant_max"] = (
        ("qint8", -128, 127),
        ("quint8", 0, 255),
        ("qint8", -8, 7),
    )[rng.integers(3)]
    if cls == LEARNABLE:
        given["use_grad_scaling"] = bool(rng.integers(2))
        if channels:
            given["channel_len"] = shape[given.get("ch_axis", 0)]
    home = learnable if cls == LEARNABLE else theirs
    ours = outcome(lambda: getattr(pytorch, cls)(observer=getattr(pytorch, name), **given))
    want = outcome(lambda: getattr(home, cls)(observer=getattr(theirs, name), **torchs(given)))
    return ours, want


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("cls", MODULES)
def test_modules(cls, seed):
    rng = np.random.default_rng([seed, len(cls)])
    shape = ((12,), (4, 6), (3, 2, 5))[rng.integers(3)]
    ours, want = module_of(rng, cls, shape)
    assert said(ours) == said(want)
    if isinstance(want, str):
        return
    for k in range(3):
        if cls == LEARNABLE and k == 2:
            for module in (ours, want):
                module.enable_param_learning()
        x = torch.from_numpy(batch(rng, shape, odd=seed % 2 == 1)).requires_grad_()
        got, there = outcome(lambda x=x: ours(x)), outcome(lambda x=x: want(x))
        assert said(got) == said(there)
        if isinstance(there, str):
            return
        assert same((got, ours.scale, ours.zero_point), (there, want.scale, want.zero_point))
        assert same(outcome(ours.calculate_qparams), outcome(want.calculate_qparams))
        grad = torch.from_numpy(rng.normal(size=shape).astype(np.float32))
        check_gradients(ours, want, grad, x, there)


def check_gradients(ours, want, grad, x, there):
    wanted = outcome(lambda: there.backward(grad))
    if isinstance(wanted, str):
        assert outcome(lambda: ours.backward(grad)) == wanted
        return
    assert same(ours.backward(grad), x.grad)
    if isinstance(want.scale, torch.nn.Parameter) and want.learning_enabled:
        found = ours.gradients(grad).parameters
        assert same((found["scale"], found["zero_point"]), (want.scale.grad, want.zero_point.grad))
    for parameter in (want.scale, want.zero_point):
        parameter.grad = None
