"""Laws of every mode: the neutral ones and those of frameworks alike."""

import functools

import numpy as np
import pytest
import torch
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from qviz.errors import QvizError
from qviz.metrics.producers import Frame, of_rows
from qviz.quantizers.base import QUANTIZERS, Quantizer, Target, covered
from qviz.registry import knobs_of
from qviz.spec import PER_TENSOR, QuantSpec, Range

NEUTRAL = [
    f"{name}:tie={tie},full_range={full}"
    for name in ("affine", "power_of_two")
    for tie in ("even", "away")
    for full in (False, True)
]
MODES = NEUTRAL + [name for name in QUANTIZERS.presets if name not in ("affine", "power_of_two")]
SPECS = [
    QuantSpec(8),
    QuantSpec(8, signed=True),
    QuantSpec(8, signed=True, symmetric=True),
    QuantSpec(8, signed=True, symmetric=True, narrow_range=True),
    QuantSpec(8, symmetric=True),
    QuantSpec(8, narrow_range=True),
    QuantSpec(8, reduce_range=True),
    QuantSpec(8, signed=True, reduce_range=True),
    QuantSpec(4, signed=True),
    QuantSpec(2, signed=True, symmetric=True),
    QuantSpec(1),
    QuantSpec(1, signed=True),
    QuantSpec(1, signed=True, symmetric=True),
    QuantSpec(16),
    QuantSpec(8, quant_min=-7, quant_max=24),
    QuantSpec(8, symmetric=True, quant_min=3, quant_max=9),
]
TOP = float(np.finfo(np.float32).max)
WIDEST = float(np.finfo(np.float64).max)
ordinary = st.floats(-100, 100, width=32)
ranges = st.tuples(ordinary, ordinary).map(sorted).map(tuple)
rows = arrays(np.float32, (1, 16), elements=st.floats(-300, 300, width=32))


def served(mode):
    """Specs that the mode accepts."""
    return [s for s in SPECS if mode.accepts(Target(s, PER_TENSOR, mode)) is None]


SERVING = [spelling for spelling in MODES if served(QUANTIZERS.make(spelling))]


def quantizers(spelling):
    """Quantizers of a mode, one group each."""
    return st.builds(lambda spec, pair: made(spelling, spec, pair), specs(spelling), ranges)


def specs(spelling):
    return st.sampled_from(served(QUANTIZERS.make(spelling)))


def made(spelling, spec, *pairs):
    """A quantizer with one group per range; the example is dropped where the mode refuses it."""
    lo, hi = np.transpose(np.float64(pairs))
    with np.errstate(all="ignore"):
        try:
            return QUANTIZERS.make(spelling).quantizer(Range(lo, hi), spec)
        except QvizError:
            return reject()


def law(test):
    """A property of every mode, on examples of its own quantizers."""
    few = settings(max_examples=15)
    return pytest.mark.parametrize("spelling", SERVING)(few(given(st.data())(quietly(test))))


def quietly(test):
    @functools.wraps(test)
    def run(spelling, data):
        with np.errstate(all="ignore"):
            test(spelling, data)

    return run


@law
def test_codes_are_whole_and_inside_the_ends(spelling, data):
    quantizer, x = data.draw(quantizers(spelling)), data.draw(rows)
    codes, before = quantizer.quantize(x), quantizer.encode(x)
    low, high = quantizer.ends
    assert ((codes >= low) & (codes <= high)).all()
    assert (codes == np.rint(codes)).all() and (before == np.rint(before)).all()
    inside = (before >= low) & (before <= high)
    assert (codes[inside] == before[inside]).all()


@law
def test_a_second_time_changes_nothing(spelling, data):
    quantizer, x = data.draw(quantizers(spelling)), data.draw(rows)
    once = quantizer.fake_quantize(x)
    if quantizer.idempotent:
        assert np.array_equal(quantizer.fake_quantize(once), once)


@law
def test_a_larger_value_has_no_smaller_code(spelling, data):
    quantizer, x = data.draw(quantizers(spelling)), np.sort(data.draw(rows))
    if quantizer.monotone:
        assert (np.diff(quantizer.encode(x)) >= 0).all()
        assert (np.diff(quantizer.quantize(x)) >= 0).all()


@law
def test_tensors_give_the_same_bits(spelling, data):
    quantizer, x = data.draw(quantizers(spelling)), data.draw(rows)
    for dtype in ("float16", "float32", "float64"):
        given = x.astype(dtype)
        for name in ("encode", "quantize", "fake_quantize"):
            ours = getattr(quantizer, name)(given)
            theirs = getattr(quantizer, name)(torch.from_numpy(given))
            assert isinstance(theirs, torch.Tensor)
            assert theirs.numpy().dtype == ours.dtype
            assert theirs.numpy().tobytes() == ours.tobytes(), (name, dtype)


@law
def test_candidates_are_those_one_by_one(spelling, data):
    spec, x = data.draw(specs(spelling)), data.draw(rows)
    pairs = data.draw(st.lists(ranges, min_size=2, max_size=5))
    together = made(spelling, spec, *pairs)
    codes, back, levels = together.quantize(x), together.fake_quantize(x), together.levels()
    assert codes.shape == back.shape == (len(pairs), 16)
    for g, pair in enumerate(pairs):
        alone = made(spelling, spec, pair)
        assert np.array_equal(codes[g], alone.quantize(x)[0])
        assert np.array_equal(back[g], alone.fake_quantize(x)[0])
        assert np.array_equal(levels[g], alone.levels()[0])


@law
def test_levels_are_what_codes_stand_for(spelling, data):
    quantizer = data.draw(quantizers(spelling))
    (low, high), levels = quantizer.ends, quantizer.levels()
    codes = np.arange(low, high + 1, dtype=np.float64)[None]
    assert np.array_equal(levels, np.float64(quantizer.dequantize(codes)))
    assert np.array_equal(quantizer.levels(high, high), levels[:, -1:])
    span = covered(quantizer)
    assert (span.lo <= span.hi).all()
    if quantizer.step is not None:
        assert quantizer.step.shape == (1,)
        assert np.isfinite(quantizer.step).all() and (quantizer.step >= 0).all()


@law
def test_gradients_pass_where_nothing_is_clipped(spelling, data):
    quantizer, x = data.draw(quantizers(spelling)), data.draw(rows)
    grad = np.arange(1, 17, dtype=np.float32)[None]
    got = quantizer.backward(x, grad).input
    theirs = quantizer.backward(torch.from_numpy(x), torch.from_numpy(grad)).input
    assert got.dtype == grad.dtype and np.array_equal(theirs.numpy(), got)
    if type(quantizer).backward is Quantizer.backward:
        codes, (low, high) = quantizer.encode(x), quantizer.ends
        assert np.array_equal(got, np.where((codes >= low) & (codes <= high), grad, 0))


@law
def test_totals_serve_every_mode(spelling, data):
    quantizer, x = data.draw(quantizers(spelling)), data.draw(rows)
    frame = Frame(x.min(axis=1).astype(float), x.max(axis=1).astype(float))
    totals = of_rows(x, quantizer, frame)
    e = np.float64(quantizer.fake_quantize(x)) - x
    assert totals.ee[0] == pytest.approx(np.sum(e * e), rel=1e-12)
    assert totals.codes.sum() == x.size


@pytest.mark.parametrize("spelling", NEUTRAL)
@given(data=st.data())
def test_neutral_grids_hold_zero_and_all_codes(spelling, data):
    spec = data.draw(specs(spelling))
    quantizer = made(spelling, spec, data.draw(ranges))
    assert quantizer.ends == spec.ends
    assert quantizer.fake_quantize(np.zeros((1, 1))).tolist() == [[0.0]]
    assert 0.0 in quantizer.levels()


HOSTILE = {
    "nothing": (0.0, 0.0),
    "above zero": (100.0, 101.0),
    "below zero": (-5.0, -4.0),
    "subnormal float32": (-1e-40, 1e-40),
    "smallest float32": (0.0, 1e-45),
    "subnormal float64": (-5e-324, 5e-324),
    "largest float32": (-TOP, TOP),
    "large": (-3e38, 1e-40),
    "largest float64": (-WIDEST, WIDEST),
    "large float64": (-1e308, 1e308),
    "one huge side": (0.0, WIDEST),
}


@pytest.mark.parametrize("lo_hi", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("spelling", NEUTRAL)
def test_any_finite_range_gives_a_step(spelling, lo_hi):
    mode = QUANTIZERS.make(spelling)
    for spec in served(mode):
        quantizer = mode.quantizer(Range(*lo_hi), spec)
        assert np.isfinite(quantizer.step).all() and (quantizer.step > 0).all()
        x = np.array([[lo_hi[0], 0.0, lo_hi[1]]])
        codes, (low, high) = quantizer.quantize(x), spec.ends
        assert ((codes >= low) & (codes <= high)).all()
        assert quantizer.fake_quantize(x)[0, 1] == 0


REFUSED = {
    "no bit": ("0 bits", {"bits": 0}),
    "many bits": ("17 bits", {"bits": 17}),
    "one end": ("end", {"quant_min": 0}),
    "half a bit": ("fewer than two", {"bits": 1, "reduce_range": True}),
    "narrow bit": ("fewer than two", {"bits": 1, "signed": True, "narrow_range": True}),
    "backwards": ("5 to 3", {"quant_min": 5, "quant_max": 3}),
    "many codes": ("65,537 codes", {"quant_min": 0, "quant_max": 65_536}),
}


@pytest.mark.parametrize(("named", "asked"), REFUSED.values(), ids=REFUSED)
def test_codes_that_do_not_exist_are_refused_in_sentences(named, asked):
    with pytest.raises(QvizError, match=named) as error:
        QuantSpec(**asked)
    assert str(error.value)[0].isupper() or str(error.value)[0].isdigit()
    assert str(error.value).endswith(".")


ENDS = {
    (0, 255): {},
    (-128, 127): {"signed": True},
    (-127, 127): {"signed": True, "narrow_range": True},
    (1, 255): {"narrow_range": True},
    (0, 127): {"reduce_range": True},
    (-64, 63): {"signed": True, "reduce_range": True},
    (0, 1): {"bits": 1},
    (-1, 0): {"bits": 1, "signed": True},
    (0, 65_535): {"bits": 16},
    (-7, 24): {"quant_min": -7, "quant_max": 24},
}


@pytest.mark.parametrize("ends", ENDS)
def test_ends_of_the_codes(ends):
    spec = QuantSpec(**ENDS[ends])
    assert spec.ends == ends
    assert spec.levels == ends[1] - ends[0] + 1


def test_every_mode_says_where_it_comes_from():
    for name in QUANTIZERS:
        entry = QUANTIZERS.entry(name)
        assert entry.title and str(entry.source)
        for knob, default in knobs_of(entry.made).values():
            assert knob.help and (knob.options is None or default in knob.options)


def test_neutral_modes_serve():
    assert set(NEUTRAL) <= set(SERVING)


@pytest.mark.parametrize("spelling", MODES)
def test_a_spelling_makes_the_same_mode(spelling):
    mode = QUANTIZERS.make(spelling)
    assert QUANTIZERS.make(QUANTIZERS.spell(mode)) == mode
