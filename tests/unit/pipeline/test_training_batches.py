"""Ranges batch by batch: the memory of each rule, in numbers worked out by hand."""

import numpy as np
import pytest

from qviz.pipeline.training_batches import (
    alike,
    extremes,
    forgotten,
    ride,
    sliced,
    standing_in,
)
from qviz.quantizers.stateful import STATEFUL
from qviz.spec import QuantSpec

SPEC = QuantSpec(8)
TOPS = (100.0, 1.0, 1.0, 1.0)


def batches(tops):
    return extremes([np.linspace(0, top, 256, dtype=np.float32) for top in tops])


def shown(name, states, trained=None, spec=SPEC):
    count = len(states) if trained is None else trained
    return ride(STATEFUL.make(name), spec, states, count)


@pytest.mark.parametrize(
    ("name", "upper", "reversed_upper"),
    [
        ("torch.minmax", 100.0, 100.0),
        ("torch.moving_average", 1 + 99 * 0.99**3, 1 + 99 * 0.01),
        ("torch.fused", 1 + 99 * 0.99**3, 1 + 99 * 0.01),
        ("mindspore.default@doc", 1.0, 100.0),
        ("MS EMA doc", 6.0787, 6.0790),
        ("MS EMA ascend", 6.0787, 6.0790),
        ("MS EMA gpu", 1.0, 99.9),
    ],
)
def test_what_is_held_after_four_batches(name, upper, reversed_upper):
    forward, backward = (shown(name, batches(tops)) for tops in (TOPS, TOPS[::-1]))
    assert forward.held[-1, 1] == pytest.approx(upper, rel=1e-3)
    assert backward.held[-1, 1] == pytest.approx(reversed_upper, rel=1e-3)
    assert forward.held.shape == forward.used.shape == (4, 2)


@pytest.mark.parametrize("name", ["mindspore.default@doc", "MS EMA gpu"])
def test_mindspore_starts_in_evaluation_and_then_looks_at_nothing(name):
    blind = shown(name, batches(TOPS), trained=0)
    assert blind.held.tolist() == [[-6.0, 6.0]] * 4
    used = blind.after[-1].quantizer.qparams()
    assert used["scale"][0] == pytest.approx(12 / 255)


def test_training_on_the_first_batches_only():
    first = shown("mindspore.default@doc", batches((3.0, 5.0, 9.0)), trained=2)
    assert first.held[:, 1].tolist() == [3.0, 5.0, 5.0]


def test_torch_without_data_has_scale_1():
    blind = shown("torch.moving_average", batches(TOPS), trained=0)
    assert np.isnan(blind.held).all()
    assert blind.used.tolist() == [[0.0, 255.0]] * 4


def test_the_fused_module_gives_two_answers():
    spec = QuantSpec(8, signed=True, symmetric=True)
    states = extremes([np.array([1.0, 2.0], np.float32)])
    after = shown("torch.fused", states, spec=spec).after[-1]
    used = after.quantizer.qparams()
    assert (used["scale"][0], used["zero_point"][0]) == (pytest.approx(2 / 255), -128)
    assert (after.export.scale, after.export.zero_point) == (pytest.approx(2 / 127.5), 0)


def test_quant_delay_hands_batches_through_while_the_range_moves():
    delayed = shown("mindspore.default@gpu:quant_delay=2", batches((3.0, 5.0, 9.0)))
    assert [after.quantizer is None for after in delayed.after] == [True, True, False]
    assert delayed.held[:, 1].tolist() == [3.0, 5.0, 9.0]
    assert np.isnan(delayed.used[:2]).all()
    heeds_not = shown("mindspore.default@ascend:quant_delay=2", batches((3.0, 5.0)))
    assert all(after.quantizer is not None for after in heeds_not.after)


def test_an_evaluated_batch_is_never_delayed():
    blind = shown("mindspore.default@gpu:quant_delay=2", batches(TOPS), trained=0)
    assert all(after.quantizer is not None for after in blind.after)


def test_resets():
    assert "LEARNED_SCALE only" in shown("mindspore.default@doc", batches(TOPS)).reset
    assert "forgets all batches" in shown("torch.minmax", batches(TOPS)).reset


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("torch.moving_average", 460),  # 0.99^459 is the first power below 1 %
        ("torch.moving_average:averaging_constant=0.5", 8),
        ("MS EMA doc", 4603),
        ("MS EMA gpu", 1),
        ("torch.minmax", None),
        ("mindspore.default@doc", None),
        ("MS EMA doc:ema_decay=1", None),
    ],
)
def test_batches_until_the_start_is_forgotten(name, count):
    head, _, knobs = name.partition(":")
    member = STATEFUL.make(f"mindspore.default@doc:ema=true,{knobs}") if knobs and "EMA" in head \
        else STATEFUL.make(name)  # fmt: skip
    assert forgotten(member) == count


def test_slices_are_equal_and_whole():
    x = np.arange(10)
    assert [part.size for part in sliced(x, 4)] == [2, 3, 2, 3]
    assert np.concatenate(sliced(x, 4)).tolist() == x.tolist()
    assert len(sliced(x, 99)) == 10
    assert len(sliced(np.float32(3), 4)) == 1
    assert len(sliced(np.zeros((0, 4)), 4)) == 1


def test_a_batch_is_stood_in_for_by_its_extremes():
    x = np.array([3, -2, 1, np.nan, np.inf, -np.inf], np.float32)
    found = standing_in(extremes([x])[0])
    assert found[:4].tolist() == [-2, 3, np.inf, -np.inf]
    assert np.isnan(found[4])
    assert standing_in(extremes([np.empty(0, np.float32)])[0]).size == 0


@pytest.mark.parametrize("name", sorted(STATEFUL.presets))
def test_the_stand_in_is_as_good_as_the_batch(name):
    rng = np.random.default_rng(1)
    whole = [rng.normal(size=500).astype(np.float32) * (i + 1) for i in range(3)]
    machine = STATEFUL.make(name).machine(SPEC)
    machine.train(True)
    real = [machine.step(batch) for batch in whole]
    short = shown(name, extremes(whole))
    assert [(a.lo, a.hi) for a in real] == [(a.lo, a.hi) for a in short.after]
    assert [a.export for a in real] == [a.export for a in short.after]


def test_objects_that_do_the_same():
    states = batches(TOPS)
    one, same, other = (
        shown(n, states) for n in ("mindspore.default@doc", "mindspore.default@gpu", "MS EMA doc")
    )
    assert alike(one, same)
    assert not alike(one, other)
    assert not alike(one, shown("mindspore.default@doc", batches(TOPS[:2])))


def test_a_batch_of_nan_poisons_torch():
    states = extremes([np.array([1.0, np.nan], np.float32), np.array([1.0, 2.0], np.float32)])
    poisoned = shown("torch.minmax", states)
    assert np.isnan(poisoned.held).all()


@pytest.mark.parametrize(
    ("name", "rule", "asleep"),
    [
        ("torch.minmax", "widest", False),
        ("torch.moving_average", "average", False),
        ("mindspore.default@doc", "last", True),
        ("MS EMA doc", "average", True),
    ],
)
def test_habits(name, rule, asleep):
    one = shown(name, batches(TOPS))
    assert (one.rule, one.asleep) == (rule, asleep)
