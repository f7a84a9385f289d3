"""PACT2 by hand: shares of the batches, limits, scale, levels, gradient."""

import numpy as np
import pytest
import torch

from qviz.dialects.ti import Pact2, extrema
from qviz.dialects.ti.pact2 import limits, pact2_quantizer, share
from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline import gather
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec, Range
from qviz.stats.stream import Stream


def clips(*ends):
    return np.array(ends, np.float32)


def layer_after(*batches, **given):
    layer = Pact2(range_shrink_activations=0.0, **given)
    for x in batches:
        layer(np.float32(x))
    return layer


def test_shares_of_the_batches():
    assert [share(k) for k in range(5)] == [1, 1, 1 / 2, 1 / 3, 1 / 4]
    assert share(999) == 1 / 999 and share(1000) == share(10**6) == 0.001


def test_the_second_batch_replaces_the_first():
    assert layer_after([-9, 9]).clips.tolist() == [-9, 9]
    assert layer_after([-9, 9], [-1, 2]).clips.tolist() == [-1, 2]
    assert layer_after([-9, 9], [-1, 2], [-3, 4]).clips.tolist() == [-2, 3]


def test_clips_before_any_batch():
    assert Pact2().clips.tolist() == Pact2(signed=True).clips.tolist() == [-8, 8]
    assert Pact2(signed=False).clips.tolist() == [0, 8]
    assert Pact2(clip_range=(-3, 5)).clips.tolist() == [-8, 8]
    assert Pact2(clip_range=(0, 6)).clips.tolist() == [0, 8]
    assert Pact2().num_batches_tracked == -1


def test_limits():
    assert limits(clips(-1, 3), None, True).tolist() == [-4, 4]
    assert limits(clips(-1, 3), None, False).tolist() == [-3, 3]
    assert limits(clips(-1, 3), False, True).tolist() == [0, 4]
    assert limits(clips(0, 3), None, True).tolist() == [0, 4]
    assert limits(clips(0, 3), True, True).tolist() == [-4, 4]
    assert limits(clips(-1e-9, 4), None, True).tolist() == [-4, 4]  # signed for next to nothing
    assert limits(clips(0, 0), None, True).tolist() == [0, 2.0**-16]


def test_the_logarithm_is_rounded_to_float32():
    above = {power: np.nextafter(np.float32(power), np.float32(100)) for power in (8, 64)}
    assert limits(clips(0, above[64]), None, True)[1] == 64
    assert limits(clips(0, above[8]), None, True)[1] == 16


def scale_of(m, signed, power2):
    (scale,) = pact2_quantizer(clips(m), 8, signed, power2).scale
    return scale


def test_scale():
    assert scale_of(4, True, True) == 32
    assert scale_of(4, False, True) == 64
    assert scale_of(3, False, False) == pytest.approx(256 / 3)
    assert scale_of(3, False, True) == 64
    assert scale_of(2.0**30, False, False) == 2.0**-16


def test_levels_by_hand():
    layer = Pact2(clip_range=(-4, 4))
    x = np.float32([-5, -4, -1 / 64, 1 / 64, 0.1, 4])  # steps of 1/32; half-way goes up
    assert layer(x).tolist() == [-4, -4, 0, 1 / 32, 3 / 32, 127 / 32]
    grid = layer.quantizer()
    assert (grid.ends, grid.step.tolist(), grid.zero_point.tolist()) == ((-128, 127), [1 / 32], [0])
    assert Pact2(clip_range=(0, 4), bits=4)(x).tolist() == [0, 0, 0, 0, 0, 3.75]


def test_the_gradient_passes_inside_the_limits():
    layer, x = Pact2(clip_range=(-4, 4)), np.float32([-4.5, -4, 0, 3.99, 4, 4.5])
    assert layer.gradients(x, np.full_like(x, 2)).tolist() == [0, 2, 2, 2, 2, 0]
    t = torch.from_numpy(x).requires_grad_(True)
    t.clamp(-4, 4).backward(torch.full(t.shape, 2.0))
    assert layer.gradients(t, torch.full(t.shape, 2.0)).tolist() == t.grad.tolist()
    with pytest.raises(QvizError, match="differ"):
        layer.gradients(x, x[:2])


def test_evaluation_and_frozen_layers_keep_their_clips():
    x = np.float32([-3, 3])
    for layer in (Pact2().eval(), Pact2(clip_range=(-8, 8))):
        layer(x)
        assert layer.clips.tolist() == [-8, 8]
    frozen = Pact2()
    frozen.freeze_range()
    frozen(x), frozen(x, update_activation_range=False)
    assert (frozen.clips.tolist(), frozen.num_batches_tracked) == ([-8, 8], 0)
    assert Pact2().eval().train().training


def test_batch_quant_uses_the_batch_in_training():
    layer = layer_after([-1, 1], [-1, 1], [-16, 16], batch_quant=True)
    assert layer.clips.tolist() == [-8.5, 8.5]
    assert layer.get_clips_act().tolist() == [-16, 16]
    layer.eval()(np.float32([0]))
    assert layer.get_clips_act().tolist() == [-16, 16]  # of 8.5
    assert layer_after([-1, 1], [-1, 1], [-16, 16]).get_clips_act().tolist() == [-16, 16]
    narrow = layer_after([-8, 8], [-8, 8], [-1, 1], batch_quant=True)
    assert narrow.get_clips_act().tolist() == [-1, 1]
    assert layer_after([-8, 8], [-8, 8], [-1, 1]).get_clips_act().tolist() == [-8, 8]


def test_the_default_cuts_a_hundredth_of_a_percent():
    x = np.concatenate([[1000], np.full(20_000, 1), [0]]).astype(np.float32)
    layer, open_layer = Pact2(), layer_after(x)
    layer(x)
    assert layer.clips.tolist() == [float(end) for end in extrema(x, 0.01)]
    assert layer.clips[1] < open_layer.clips[1] == 1000


def test_seeded_layers_draw_alike():
    x = np.random.default_rng(0).standard_normal((1, 2, 9, 9)).astype(np.float32)
    first, second, other = (Pact2(seed=seed) for seed in (3, 3, 0))
    for layer in (first, second, other):
        layer(x), layer(x)
    assert first.clips.tolist() == second.clips.tolist() != other.clips.tolist()


def test_signedness_must_agree_with_a_fixed_range():
    with pytest.raises(AssertionError, match="signed is False"):
        Pact2(signed=False, clip_range=(-1, 1))
    for odd in ((1,), (0, 0), (0, np.inf)):
        with pytest.raises(QvizError, match="no range"):
            Pact2(clip_range=odd)


def test_tensors_come_back():
    x = torch.tensor([[-5.0, 0.1], [1.0, 3.0]])
    got = Pact2()(x)
    assert isinstance(got, torch.Tensor) and got.shape == x.shape
    assert got.numpy().tolist() == Pact2()(x.numpy()).tolist()


def test_as_observer_and_mode():
    observer = OBSERVERS.make("ti.pact2:range_shrink_activations=0")
    batches = [np.float32(x) for x in ([-9, 9], [-1, 2], [-3, 4])]
    seen = gather(Stream.of(batches).tiles[0], observer.needs)
    target = Target.of(QuantSpec(8, signed=True), mode="ti.pact2")
    found = observer.range(seen, target)
    assert (found.lo.tolist(), found.hi.tolist()) == ([-2], [3])
    grid = target.mode.quantizer(found, target.spec)
    assert (grid.low.tolist(), grid.high.tolist(), grid.scale.tolist()) == ([-4], [4], [32])
    both = target.mode.quantizer(Range([-2, 0], [3, 9]), target.spec)
    assert both.scale.tolist() == [32, 8]
    plain = Target.of(mode="ti.pact2:power2_activation_range=false").mode
    assert plain.quantizer(found, QuantSpec(8)).scale == pytest.approx(256 / 3)


def test_refusals():
    mode, channels = Target.of(mode="ti.pact2").mode, Granularity("per_channel", 0)
    for words, spec, granularity in (
        ("per tensor", QuantSpec(8), channels),
        ("real 0", QuantSpec(8, symmetric=True), Granularity()),
        ("all codes", QuantSpec(8, signed=True, narrow_range=True), Granularity()),
    ):
        assert words in mode.accepts(Target(spec, granularity, mode))
    assert (
        mode.accepts(Target(QuantSpec(4, signed=True, symmetric=True), Granularity(), mode)) is None
    )
    observer = OBSERVERS.make("ti.pact2")
    assert "per tensor" in observer.accepts(Target.of(granularity=channels))
    seen = gather(Stream.of(np.float32([np.nan])).tiles[0], observer.needs)
    with pytest.raises(QvizError, match="no finite element"):
        observer.range(seen, Target.of())
