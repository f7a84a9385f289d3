"""Random and odd values under every op, against the rules written once more, value by value."""

import numpy as np
import pytest
import torch

from qviz.dialects import tensorflow as tf
from tests.golden.loader import same
from tests.unit.dialects.tensorflow import plain

f32 = np.float32
LEAST = 2.0**-126
TINY = [0.0, -0.0, 1e-40, -1e-40, LEAST, -LEAST]
NONE = [np.nan, np.inf, -np.inf]
PLAIN = [3.4e38, -3.4e38, 1, -1, 0.5, -0.5, 0.49999997, 1e-30, -1e-30, 2.5e-37, 1e30, 65535]
ODD = f32([*TINY, *NONE, *PLAIN, 8388609])
MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
ROUNDS = range(12)


@pytest.fixture(params=ROUNDS)
def rng(request):
    with np.errstate(all="ignore"):
        yield np.random.default_rng(request.param)


def bound(rng):
    kind = rng.integers(6)
    if kind == 0:
        return rng.choice(ODD)
    return f32(rng.normal() * (10.0 ** rng.integers(-44, 38) if kind == 1 else 3))


def pair(rng):
    low = bound(rng)
    return low, low if rng.random() < 0.15 else bound(rng)


def ordered(low, high):
    return (high, low) if plain.f(high) < plain.f(low) else (low, high)


def values(rng, low, high, steps):
    """Odd ones, ordinary ones, and halves of a step from either end, some moved by a hair."""
    step = abs(high - low) / f32(steps)
    step = step if np.isfinite(step) else f32(1)
    halves = rng.integers(-20, 40, 32).astype(f32) / f32(2) * step
    parts = rng.choice(ODD, 8), (rng.normal(size=8) * 3).astype(f32), low + halves[:16], halves[16:]
    x = np.concatenate(parts).astype(f32)
    return np.where(rng.random(x.size) < 0.2, np.nextafter(x, f32(np.inf)), x)


def outputs(call, x, *args, **more):
    """What the op gives for an array, after a look that a tensor gives the same bits."""
    ours, theirs = call(x, *args, **more), call(torch.from_numpy(x), *args, **more)
    ours, theirs = (v if isinstance(v, tuple) else (v,) for v in (ours, theirs))
    assert all(same(b.numpy(), a) for a, b in zip(ours, theirs, strict=True))
    return ours


@pytest.mark.parametrize("kind", plain.BITS)
@pytest.mark.parametrize("mode", MODES)
def test_quantize(rng, kind, mode):
    low, high = ordered(*pair(rng))
    x, narrow = values(rng, low, high, 255), bool(rng.integers(2))
    tie = "HALF_TO_EVEN" if mode == "SCALED" and rng.random() < 0.5 else "HALF_AWAY_FROM_ZERO"
    margin = float(rng.choice([0, 0.01, 0.5, 1e-40]))
    more = {"narrow_range": narrow, "ensure_minimum_range": margin}
    found = outputs(tf.quantize, x, low, high, kind, mode, tie, **more)
    lo, hi = plain.adjusted(low, high, margin)
    if mode == "SCALED":
        lo, hi, s = plain.scaled_range(lo, hi, kind, narrow)
        codes = [plain.scaled(v, lo, hi, s, kind, tie) for v in x]
    else:
        codes = [getattr(plain, mode.lower())(v, lo, hi, kind) for v in x]
    assert same(found[0], np.array(codes, kind[1:]))
    assert same(found[1], np.array(lo)) and same(found[2], np.array(hi))


@pytest.mark.parametrize("kind", plain.BITS)
@pytest.mark.parametrize("mode", MODES)
def test_dequantize(rng, kind, mode):
    (low, high), narrow = pair(rng), bool(rng.integers(2))
    first, last = plain.ends_of(kind)
    codes = [first, last, first + 1, last - 1, *rng.integers(first, last, 12)]
    x = np.array([codes, codes[::-1]], kind[1:])
    (found,) = outputs(tf.dequantize, x, low, high, mode, narrow_range=narrow)
    rule = (kind, mode, narrow)
    want = [[plain.dequantized(c, low, high, *rule, True) for c in row] for row in x]
    assert same(found, np.array(want, f32))
    if mode != "MIN_FIRST":
        lows, highs = np.transpose([pair(rng), pair(rng)])
        (found,) = outputs(tf.dequantize, x, lows, highs, mode, axis=0, narrow_range=narrow)
        want = [
            [plain.dequantized(c, *ends, *rule, False) for c in row]
            for row, ends in zip(x, zip(lows, highs, strict=True), strict=True)
        ]
        assert same(found, np.array(want, f32))


def test_fake_quant(rng):
    for _ in range(6):
        (low, high), bits, narrow = pair(rng), int(rng.integers(2, 17)), bool(rng.integers(2))
        ends = int(narrow), 2**bits - 1
        x = values(rng, low, high, ends[1])
        (found,) = outputs(tf.fake_quant_with_min_max_vars, x, low, high, bits, narrow)
        want = [plain.fake_quant(v, low, high, *ends, "vars") for v in x]
        assert same(found, np.array(want, f32))
        if plain.f(low) < plain.f(high):
            (found,) = outputs(tf.fake_quant_with_min_max_args, x, low, high, bits, narrow)
            want = [plain.fake_quant(v, low, high, *ends, "args") for v in x]
            assert same(found, np.array(want, f32))


def test_fake_quant_per_channel(rng):
    lows, highs = np.transpose([pair(rng) for _ in range(4)])
    x = np.stack([values(rng, *ends, 31) for ends in zip(lows, highs, strict=True)], axis=1)
    call = tf.fake_quant_with_min_max_vars_per_channel
    (found,) = outputs(call, x, lows, highs, 5, False)
    want = [
        [plain.fake_quant(v, lows[c], highs[c], 0, 31, "per channel") for c, v in enumerate(row)]
        for row in x
    ]
    assert same(found, np.array(want, f32))


def test_fake_quant_gradients(rng):
    for _ in range(6):
        (low, high), bits, narrow = pair(rng), int(rng.integers(2, 17)), bool(rng.integers(2))
        x = values(rng, low, high, 2**bits - 1)
        g = (rng.integers(-64, 64, x.shape) / 16).astype(f32)  # sums are exact in any order
        g = np.where(rng.random(g.shape) < 0.05, rng.choice(f32(TINY + NONE), g.shape), g)

        def call(grad, inputs=x, rule=(low, high, bits, narrow)):
            given = torch.from_numpy(inputs) if isinstance(grad, torch.Tensor) else inputs
            return tf.fake_quant_with_min_max_vars_gradient(grad, given, *rule)

        found = outputs(call, g)
        ends = int(narrow), 2**bits - 1
        terms = [plain.fake_quant_gradient(*v, low, high, *ends) for v in zip(g, x, strict=True)]
        assert same(found[0], np.array([t[0] for t in terms], f32))
        for side in (1, 2):
            total = f32(sum((np.float64(t[side]) for t in terms), np.float64(0)))
            assert same(found[side], np.array(plain.f(total)))


@pytest.mark.parametrize("kind", [f32, np.float64])
@pytest.mark.parametrize("signed", [False, True])
def test_quantize_and_dequantize(rng, kind, signed):
    for tie in ("HALF_TO_EVEN", "HALF_UP"):
        bits, narrow = int(rng.integers(1, 62)), bool(rng.integers(2))
        low, high = (kind(v) for v in ordered(*pair(rng)))
        ends = (-(2 ** (bits - 1)) + narrow, 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        x = values(rng, f32(low), f32(high), 255).astype(kind)
        rule = {"num_bits": bits, "round_mode": tie, "narrow_range": narrow}
        if low <= high:
            given = outputs(
                tf.quantize_and_dequantize, x, low, high, signed, range_given=True, **rule
            )
            want = [plain.round_trip(v, low, high, *ends, tie, True) for v in x]
            assert same(given[0], np.array(want, kind))
        x = x[np.isfinite(x) & (x != 0)]
        seen = np.array([plain.f(v) for v in x])
        seen = np.append(seen, [kind(0.0)])  # a single kind of zero among the extremes
        x = np.append(x, [kind(0.0)])
        (found,) = outputs(tf.quantize_and_dequantize_v2, x, 0, 0, signed, **rule)
        low, high = seen.min(), seen.max()
        high = kind(0.0) if high == 0 else high
        want = [plain.round_trip(v, low, high, *ends, tie, False) for v in x]
        assert same(found, np.array(want, kind))


def test_the_gradient_of_v4(rng):
    low, high = pair(rng)
    x = values(rng, low, high, 255)
    g = rng.choice(ODD, x.shape)
    (found, *_) = tf.quantize_and_dequantize_v4_grad(g, x, low, high)
    lo, hi = plain.f(low), plain.f(high)
    want = [plain.f(v * f32(lo <= plain.f(at) <= hi)) for v, at in zip(g, x, strict=True)]
    assert same(found, np.array(want, f32))


@pytest.mark.parametrize("kind", ["quint8", "qint32"])
def test_quantized_concat(rng, kind):
    (low, high), (other, top) = pair(rng), pair(rng)
    first, last = plain.ends_of(kind)
    x = np.array([first, last, *rng.integers(first, last, 20)], kind[1:])
    y = x[::-1].copy()
    found, lo, hi = tf.quantized_concat(0, [x, y], [low, other], [high, top])
    joint = plain.joint_range([(low, high), (other, top)], kind)
    assert same(lo, np.array(joint[0])) and same(hi, np.array(joint[1]))
    want = [
        plain.moved(c, *ends, *joint, kind)
        for codes, ends in ((x, (low, high)), (y, (other, top)))
        for c in codes
    ]
    assert same(found, np.array(want, x.dtype))
