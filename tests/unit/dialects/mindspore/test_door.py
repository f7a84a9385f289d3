"""The pasted call: arguments, modes, steps, kinds of arrays."""

import inspect

import numpy as np
import pytest
import torch

from qviz.dialects.mindspore import FakeQuantWithMinMaxObserver, QuantDtype
from qviz.errors import QvizError

X = np.array([[1, 2, 1], [-2, 0, -1]], np.float32)
READINGS = ("doc", "gpu", "ascend")
LEARNED = {"mode": "LEARNED_SCALE", "symmetric": True, "narrow_range": True, "max_init": 2}


def observer(**given):
    return FakeQuantWithMinMaxObserver(**given)


def test_the_arguments_are_those_of_the_documentation():
    documented = {
        "min_init": -6,
        "max_init": 6,
        "ema": False,
        "ema_decay": 0.999,
        "per_channel": False,
        "channel_axis": 1,
        "num_channels": 1,
        "quant_dtype": QuantDtype.INT8,
        "symmetric": False,
        "narrow_range": False,
        "quant_delay": 0,
        "neg_trunc": False,
        "mode": "DEFAULT",
    }
    found = inspect.signature(FakeQuantWithMinMaxObserver).parameters.values()
    own = {p.name for p in found if p.kind is p.KEYWORD_ONLY}
    assert own == {"reading", "precision"}
    assert {p.name: p.default for p in found if p.name not in own} == documented
    assert [p.name for p in found][:13] == list(documented)
    reset = inspect.signature(FakeQuantWithMinMaxObserver.reset).parameters
    assert [p.default for p in reset.values()][1:] == [QuantDtype.INT8, -6, 6]


@pytest.mark.parametrize("reading", READINGS)
def test_the_documented_example_prints_as_published(reading):
    printed = "[[ 0.9882355  1.9764705  0.9882355]\n [-1.9764705  0.        -0.9882355]]"
    assert str(observer(reading=reading)(X)) == printed


@pytest.mark.parametrize("reading", READINGS)
def test_after_set_train_the_same_input_gives_another_result(reading):
    made = observer(reading=reading)
    assert made.set_train() is made
    # The range is now [-2, 2]: scale 4/255, codes of 1 and 2 are 64 and 127 or 128 steps from 0.
    step = np.float64(4 / 255)
    want = [[64 * step, 128 * step, 64 * step], [-127 * step, 0, -64 * step]]
    assert made(X) == pytest.approx(np.array(want), rel=1e-6)
    assert (made.minq.tolist(), made.maxq.tolist()) == ([-2], [2])


def test_a_fresh_observer_observes_nothing():
    made = observer()
    made(100 * X)
    assert (made.minq.tolist(), made.maxq.tolist()) == ([-6], [6])
    made.set_train()(X)
    made.set_train(False)(100 * X)
    assert (made.minq.tolist(), made.maxq.tolist()) == ([-2], [2])


def test_in_float64_the_document_example_takes_the_other_level():
    out = observer(precision="f64")(X)
    assert out.dtype == np.float64
    assert out[0, 1] == pytest.approx(43 * 12 / 255)  # 2 lies 42.5 steps from 0
    assert out[1, 0] == pytest.approx(-42 * 12 / 255)


def outcome(given):
    """All that two training steps, their gradients and an export show of an observer."""
    rng = np.random.default_rng(3)
    made = observer(**given).set_train()
    shown = []
    for _ in range(2):
        x, dout = (rng.standard_normal((3, 3)).astype(np.float32) * 3 for _ in range(2))
        shown.append(made(x).astype(np.float64))
        found = made.gradients(x, dout)
        shown += [found.dx, found.dmaxq, made.minq, made.maxq, *made.export()]
    shown.append(made.set_train(False)(x))
    return np.concatenate([np.ravel(part).astype(np.float64) for part in shown])


CHANNELS = {"per_channel": True, "num_channels": 3}
MATTERS = {
    "min_init": ({"ema": True}, {"min_init": -5}),
    "max_init": ({"ema": True}, {"max_init": 5}),
    "ema": ({}, {"ema": True}),
    "ema_decay": ({"ema": True}, {"ema_decay": 0.5}),
    "per_channel": ({"num_channels": 3}, {"per_channel": True}),
    "channel_axis": (CHANNELS, {"channel_axis": 0}),
    "quant_dtype": ({}, {"quant_dtype": "INT4"}),
    "symmetric": ({}, {"symmetric": True}),
    "narrow_range": ({}, {"narrow_range": True}),
    "quant_delay": ({}, {"quant_delay": 1}),
    "mode": ({"symmetric": True, "narrow_range": True}, {"mode": "LEARNED_SCALE"}),
    "neg_trunc": (LEARNED, {"neg_trunc": True, "narrow_range": False}),
    "reading": ({"ema": True}, {"reading": "gpu"}),
    "precision": ({}, {"precision": "f64"}),
}


@pytest.mark.parametrize("name", MATTERS)
def test_every_argument_matters(name):
    base, change = MATTERS[name]
    before, after = outcome(base), outcome(base | change)
    assert before.shape != after.shape or (before != after).any()


def test_num_channels_must_fit_the_input():
    made = observer(per_channel=True, num_channels=2)
    assert made(np.ones((4, 2), np.float32)).shape == (4, 2)
    with pytest.raises(ValueError, match="2 channels on axis 1"):
        made(np.ones((4, 3), np.float32))
    with pytest.raises(ValueError, match="2 channels on axis 1"):
        made(np.ones(2, np.float32))
    accepted = observer(per_channel=True, channel_axis=5)
    with pytest.raises(ValueError, match="axis 5"):
        accepted(np.ones((1, 1), np.float32))


def test_an_initial_range_above_zero_is_used_as_it_is_in_evaluation():
    made = observer(min_init=3, max_init=6)
    assert made(X).tolist() == np.clip(X, 0, 3).tolist()  # zero point -128: the grid is [0, 3]
    made.set_train()(np.float32([[4, 5]]))
    assert (made.minq.tolist(), made.maxq.tolist()) == ([0], [5])


@pytest.mark.parametrize(("reading", "ends"), [("doc", (-5.9, 5.9)), ("gpu", (-1.1, 1.1))])
def test_the_moving_average_starts_from_the_initial_range(reading, ends):
    # c = 0.98: doc 0.02 * 1 + 0.98 * 6 = 5.9, CUDA 0.98 * 1 + 0.02 * 6 = 1.1
    made = observer(ema=True, ema_decay=0.98, reading=reading).set_train()
    made(np.float32([[-1, 1]]))
    assert (made.minq[0], made.maxq[0]) == pytest.approx(ends, rel=1e-6)


def test_cuda_takes_dimension_0_for_the_channels():
    x = np.float32([[1, 2, 3], [-4, 5, 6]])
    common = {"per_channel": True, "num_channels": 3}
    doc, gpu = (observer(**common, reading=r).set_train() for r in ("doc", "gpu"))
    doc(x), gpu(x)
    assert doc.maxq.tolist() == [1, 5, 6]
    assert gpu.maxq.tolist() == [3, 6, 6]  # two samples, and the third channel as constructed
    assert gpu.minq.tolist() == [0, -4, -6]
    with pytest.raises(QvizError, match="read past the 3 ranges"):
        gpu(np.ones((4, 3), np.float32))


def test_quant_delay_holds_the_output_back_but_not_the_range():
    made = observer(quant_delay=1).set_train()
    first = made(X)
    assert first.tolist() == X.tolist() and not np.shares_memory(first, X)
    assert made.maxq.tolist() == [2]
    assert made(X).tolist() != X.tolist()
    assert observer(quant_delay=1)(X).tolist() != X.tolist()  # evaluation does not wait
    ascend = observer(quant_delay=1, reading="ascend").set_train()
    assert ascend(X).tolist() != X.tolist()


def test_forward_and_backward_count_apart():
    made, dout = observer(quant_delay=1, reading="gpu").set_train(), np.ones((1, 2), np.float32)
    x = np.float32([[-1, 3]])  # u_max = (255 - 64) * 4/255 = 2.996: 3 is outside
    made(x), made(x)
    held, free = made.gradients(x, dout), made.gradients(x, dout)
    assert held.dx.tolist() == held.dx_framework.tolist() == [[1, 1]]
    assert free.dx.tolist() == free.dx_framework.tolist() == [[1, 0]]


def test_kinds_types_and_shapes_come_back():
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5))
    made = observer(per_channel=True, num_channels=3).set_train()
    want = made(x.astype(np.float32))
    for tensor in (torch.from_numpy(x).float(), torch.from_numpy(x).half()):
        got = made(tensor)
        assert isinstance(got, torch.Tensor)
        assert got.dtype == tensor.dtype and got.shape == tensor.shape
    assert np.array_equal(made(torch.from_numpy(x).float()).numpy(), want)
    assert made(torch.from_numpy(x).bfloat16()).dtype == torch.bfloat16
    turned = np.asfortranarray(x.astype(np.float32))
    assert np.array_equal(made(turned), want)
    assert observer()(np.float32(1.0)).shape == ()


def test_input_that_is_refused():
    with pytest.raises(TypeError, match="int64"):
        observer()(np.ones((2, 2), np.int64))
    with pytest.raises(QvizError, match="empty tensor"):
        observer().set_train()(np.zeros((0, 3), np.float32))
    assert observer()(np.zeros((0, 3), np.float32)).shape == (0, 3)
    with pytest.raises(ValueError, match="must agree"):
        observer().gradients(X, X[:1])


@pytest.mark.parametrize("reading", READINGS)
def test_zeros_in_training(reading):
    made, x = observer(reading=reading).set_train(), np.zeros((1, 2), np.float32)
    out, dout = made(x), np.float32([[2, 3]])
    dx = made.gradients(x, dout).dx.tolist()
    if reading == "gpu":
        assert made.quantizer().scale == 0 and made.quantizer().zero_point == 0
        assert out.tolist() == [[0, 0]]
    else:
        assert np.isnan(out).all()
    assert dx == ([[0, 0]] if reading == "ascend" else [[2, 3]])


def test_nan_becomes_the_lower_limit_on_cuda_only():
    x = np.float32([[np.nan, 1]])
    low = observer(reading="gpu")(x)[0, 0]
    assert low == observer(reading="gpu").quantizer().u_min[0]
    assert np.isnan(observer(reading="doc")(x)[0, 0])


def test_reset_sets_a_learned_scale_anew():
    made = observer(**LEARNED, quant_dtype="INT4")
    assert made.quant_max.tolist() == [7]
    made.maxq = made.maxq * 3
    made.reset(max_init=4, min_init=-1)
    assert made.quant_max.tolist() == [127]
    assert (made.minq.tolist(), made.maxq.tolist()) == ([-1], [4])
    truncated = observer(**(LEARNED | {"neg_trunc": True, "narrow_range": False}))
    truncated.reset(min_init=-1)
    assert truncated.minq.tolist() == [0] and truncated.quant_max.tolist() == [256]


def test_a_failed_reset_has_changed_the_attributes_only():
    made = observer(**LEARNED)
    with pytest.raises(ValueError, match="greater"):
        made.reset(quant_dtype=QuantDtype.INT4, min_init=5, max_init=1)
    assert (made.num_bits, made.min_init, made.max_init) == (4, 5, 1)
    assert (made.maxq.tolist(), made.quant_max.tolist()) == ([2], [127])


def test_reset_is_refused_in_default_mode():
    with pytest.raises(ValueError, match="LEARNED_SCALE only"):
        observer().reset()
