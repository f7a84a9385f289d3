"""What every statistic promises: the merge law, torch and NumPy alike, odd numbers answered."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import qviz.stats
from qviz import xp
from qviz.spec import Granularity
from qviz.stats import sketch
from qviz.stats.base import NOTHING, Seen, Statistic
from qviz.stats.fourth import Fourth
from qviz.stats.gather import gather
from qviz.stats.linear_histogram import LinearHistogram
from qviz.stats.minmax import MinMax
from qviz.stats.moments import Moments
from qviz.stats.quantiles import ExactQuantiles
from qviz.stats.sample import Sample
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream
from qviz.stats.tight import Tight
from qviz.stats.value_counts import ValueCounts

SHARES = (0.0, 0.3, 0.5, 1.0)
RECIPES = (
    MinMax(),
    Moments(),
    Sketch(16),
    Sketch(20),
    LinearHistogram(7),
    ExactQuantiles(SHARES),
    Sample(4, 1),
    ValueCounts(2, 3),
)
# Of a single group, on the CPU: tests/unit/stats/test_fourth.py and test_tight.py hold their laws.
SINGLE = {Fourth, Tight}
GRANULARITIES = ("per_tensor", "per_channel:0", "per_channel:-1", "per_group:-1:2", "per_token")
TINY, TOP = 2.0**-149, float(np.finfo(np.float32).max)


def test_every_statistic_is_held_to_the_law():
    found = set()
    for module in pkgutil.iter_modules(qviz.stats.__path__, "qviz.stats."):
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(kind, Statistic) and not inspect.isabstract(kind):
                found.add(kind)
    assert found == {type(recipe) for recipe in RECIPES} | SINGLE


def complete(rows, recipe):
    """The finished needs of a recipe, depth by depth."""
    states = {}
    for need in recipe.needs:
        states[need] = need.of(rows, complete(rows, need))
    return Seen(states)


def facts(state):
    """What a state says, name -> array; sketches as their cells, value by value."""
    if isinstance(state, sketch.SketchState):
        cells = state.cells
        used = cells.count.any(axis=0)
        values = {name: getattr(cells, name)[:, used] for name in ("lo", "hi", "count")}
        return {**values, "exact": state.exact, "n": state.n, "rung": state.ladder.count}
    if hasattr(state, "weights"):
        return {"values": state.values, "weights": state.weights, "exact": state.exact}
    if hasattr(state, "kept"):  # of a part, the quantiles themselves are not known yet
        kept = {
            f"{place}.{name}": v for place, m in state.kept.items() for name, v in vars(m).items()
        }
        return {"cells": state.cells.count, **kept}
    return vars(state)


def assert_equal(a, b, slack=None):
    """States agree: moments to rounding (``slack`` absolute), all else exactly."""
    a, b = facts(a), facts(b)
    assert a.keys() == b.keys()
    for name in a:
        one, other = np.asarray(a[name]), np.asarray(b[name])
        assert not np.isnan(one).any(), name
        if slack is None:
            assert np.array_equal(one, other), name
        else:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=slack[name], err_msg=name)


def rounding(rows):
    """What float64 cannot tell apart in moments of these rows."""
    finite = np.abs(rows[np.isfinite(rows)].astype(np.float64))
    with np.errstate(over="ignore"):
        one = 4 * 2.0**-53 * finite.max(initial=0)
        return {"n": 0, "mean": one, "a1": 0, "m2": rows.shape[1] * one * one}


FLOATS = {
    np.float16: st.floats(width=16) | st.sampled_from([0.0, -0.0, 1.5, 65_504]),
    np.float32: st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.5, TOP, -TOP, TINY, -TINY]),
    np.float64: st.floats() | st.sampled_from([0.0, -0.0, 1.5, 1e300, -1e300, 5e-324, 1e-60]),
}


@st.composite
def three_parts(draw):
    """Three pieces of the same groups, any of them without elements."""
    dtype = draw(st.sampled_from(sorted(FLOATS, key=str)))
    groups = draw(st.integers(1, 3))
    widths = draw(st.tuples(*[st.integers(0, 6)] * 3))
    elements = FLOATS[dtype]
    return [
        draw(hnp.arrays(dtype, (groups, n), elements=elements, fill=st.nothing())) for n in widths
    ]


@pytest.mark.parametrize("small", [1, 7, 65_536])
@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@given(parts=three_parts())
def test_merge_law(recipe, small, parts):
    """``small``: the sketch counts patterns from the first, the seventh or no element on."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(sketch, "SMALL", small)
        whole = np.concatenate(parts, axis=1)
        seen = complete(whole, recipe)
        a, b, c = (recipe.of(part, seen) for part in parts)
        wanted = recipe.of(whole, seen)
        slack = rounding(whole) if isinstance(recipe, Moments) else None
        both, merge = recipe.of(np.concatenate(parts[:2], axis=1), seen), recipe.merge
        assert_equal(merge(a, b), both, slack)
        assert_equal(merge(b, a), both, slack)
        assert_equal(merge(merge(a, b), c), wanted, slack)
        assert_equal(merge(a, merge(b, c)), wanted, slack)


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("text", GRANULARITIES)
def test_merge_law_under_each_granularity(recipe, text):
    granularity, rng = Granularity.parse(text), np.random.default_rng(0)
    a, b = (granularity.rows(rng.normal(size=(4, 6, 8)).astype(np.float32)) for _ in range(2))
    whole = np.concatenate([a, b], axis=1)
    seen = complete(whole, recipe)
    merged = recipe.merge(recipe.of(a, seen), recipe.of(b, seen))
    slack = rounding(whole) if isinstance(recipe, Moments) else None
    assert_equal(merged, recipe.of(whole, seen), slack)
    groups = granularity.groups((4, 6, 8))
    assert facts(merged)[next(iter(facts(merged)))].shape[0] == groups


def tensors():
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(2, 70_000))
    odd = np.array([[0, -0.0, 1, np.nan, np.inf], [TINY, -1, 2, -np.inf, -TOP]])
    return {"wide": wide, "odd": odd, "whole": np.tile(odd, (1, 14_000)), "none": np.zeros((2, 0))}


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", list(tensors()))
@pytest.mark.parametrize("strided", [False, True])
def test_torch_and_numpy_agree(recipe, dtype, name, strided):
    with np.errstate(all="ignore"):
        rows = tensors()[name].astype(dtype)
        rows = np.asfortranarray(rows) if strided else rows
        seen = complete(rows, recipe)
        wanted = recipe.of(rows, seen)
        got = recipe.of(torch.from_numpy(rows), seen)
    slack = rounding(rows) if isinstance(recipe, Moments) else None
    assert_equal(got, wanted, slack)
    for value in facts(got).values():
        assert isinstance(value, np.ndarray | bool | int)


def seen_of(x, granularity=None):
    """Everything, gathered tile by tile; small tensors have one tile."""
    (tile,) = Stream.of(x, granularity or Granularity()).tiles
    return gather(tile, RECIPES)


NAN, INF = np.nan, np.inf
ODD = {  # elements, then lo, hi, NaN, +Inf, -Inf, zeros, subnormals
    "NaN": (np.array([NAN, 1, NAN, -2], "f4"), -2, 1, 2, 0, 0, 0, 0),
    "Inf": (np.array([INF, 1, -INF, INF], "f4"), 1, 1, 0, 2, 1, 0, 0),
    "nothing finite": (np.array([INF, NAN], "f4"), INF, -INF, 1, 1, 0, 0, 0),
    "float16 extremes": (np.array([65504, -65504, 0] * 100, "f2"), -65504, 65504, 0, 0, 0, 100, 0),
    "float16 subnormal": (np.array([2.0**-24, 1], "f2"), 2.0**-24, 1, 0, 0, 0, 0, 1),
    "float32 near max": (np.array([TOP, -TOP, TOP], "f4"), -TOP, TOP, 0, 0, 0, 0, 0),
    "float64 1e300": (np.array([1e300, -1e300, 1]), -1e300, 1e300, 0, 0, 0, 0, 0),
    "float64 near max": (np.array([1.7e308, -1.7e308, 1.7e308]), -1.7e308, 1.7e308, 0, 0, 0, 0, 0),
    "float64 subnormal": (np.array([5e-324, 0]), 0, 5e-324, 0, 0, 0, 1, 1),
    "constant": (np.full(1000, 1e8, "f4"), 1e8, 1e8, 0, 0, 0, 0, 0),
    "zeros": (np.zeros(1000, "f4"), 0, 0, 0, 0, 0, 1000, 0),
    "subnormal": (np.array([TINY, -TINY, 0], "f4"), -TINY, TINY, 0, 0, 0, 1, 2),
    "1e-30": (np.array([1e-30, 3e-30], "f4"), np.float32(1e-30), np.float32(3e-30), 0, 0, 0, 0, 0),
    "int8": (np.array([-128, 127, 0], "i1"), -128, 127, 0, 0, 0, 1, 0),
    "int16": (np.array([-32768, 32767], "i2"), -32768, 32767, 0, 0, 0, 0, 0),
    "int64": (np.array([-(2**62), 2**53]), -(2.0**62), 2.0**53, 0, 0, 0, 0, 0),
    "uint64": (np.array([2**64 - 1, 1], "u8"), 1, 2.0**64, 0, 0, 0, 0, 0),
    "bool": (np.array([True, False, True]), 0, 1, 0, 0, 0, 1, 0),
    "empty": (np.zeros((0, 3), "f4"), INF, -INF, 0, 0, 0, 0, 0),
    "0-d": (np.array(2.5, "f4"), 2.5, 2.5, 0, 0, 0, 0, 0),
    "Python number": (3, 3, 3, 0, 0, 0, 0, 0),
}


@pytest.mark.parametrize("counted", [False, True], ids=["kept", "counted"])
@pytest.mark.parametrize("name", list(ODD))
def test_odd_numbers_have_a_stated_result(name, counted, monkeypatch):
    if counted:
        monkeypatch.setattr(sketch, "SMALL", 1)
    x, *wanted = ODD[name]
    seen, flat = seen_of(x), np.asarray(x).astype(np.float64).ravel()
    spread = seen[MinMax()]
    fields = ("lo", "hi", "nan", "plus_inf", "minus_inf", "zero", "subnormal")
    assert [float(getattr(spread, field)[0]) for field in fields] == [float(v) for v in wanted]
    assert spread.n[0] == flat.size
    check_distribution(seen, flat[np.isfinite(flat)])


def check_distribution(seen, finite):
    """Every other statistic against the finite elements in float64."""
    n, moments = finite.size, seen[Moments()]
    assert moments.n[0] == n
    with np.errstate(over="ignore"):
        mean = float(sum(finite / n)) if n else 0.0
    assert moments.mean[0] == pytest.approx(mean, rel=1e-12, abs=1e-15 * np.abs(mean))
    assert not any(np.isnan(getattr(moments, name)).any() for name in ("m2", "a1", "std"))
    for recipe in (Sketch(16), Sketch(20)):
        assert seen[recipe].ladder.total.tolist() == [n]
        assert np.isfinite(seen[recipe].cells.lo).all()
    histogram = seen[LinearHistogram(7)]
    assert histogram.counts.sum() == n
    assert np.isfinite(histogram.edges).all()
    quantiles = seen[ExactQuantiles(SHARES)].values[0]
    ends = [finite.min(initial=INF), finite.max(initial=-INF)] if n else [0, 0]
    assert [quantiles[0], quantiles[-1]] == ends
    assert np.isfinite(quantiles).all()
    assert (quantiles[1:] >= quantiles[:-1]).all()
    sample = seen[Sample(4, 1)]
    assert sample.weights.sum() == pytest.approx(n)
    assert set(sample.values[sample.weights > 0].tolist()) <= set(finite.tolist())


BASE = np.random.default_rng(2).normal(size=(4, 6, 8)).astype(np.float32)
READ_ONLY = BASE.copy()
READ_ONLY.flags.writeable = False
LAYOUTS = {
    "non-contiguous": np.repeat(BASE, 2, axis=1)[:, ::2],
    "negative stride": BASE[::-1, :, ::-1].copy()[::-1, :, ::-1],
    "big-endian": BASE.astype(">f4"),
    "Fortran order": np.asfortranarray(BASE),
    "transposed": BASE.transpose(2, 0, 1).copy().transpose(1, 2, 0),
    "read-only": READ_ONLY,
    "torch": torch.from_numpy(BASE),
    "torch, strided": torch.from_numpy(np.repeat(BASE, 2, axis=2))[:, :, ::2],
    "torch, with gradient": torch.from_numpy(BASE).requires_grad_(),
}


@pytest.mark.parametrize("text", GRANULARITIES)
@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_the_layout_in_memory_does_not_matter(layout, text):
    granularity = Granularity.parse(text)
    wanted, got = seen_of(BASE, granularity), seen_of(LAYOUTS[layout], granularity)
    slack = rounding(granularity.rows(BASE))
    for recipe in RECIPES:
        moments = isinstance(recipe, Moments)  # per tensor, another order of summing
        assert_equal(got[recipe], wanted[recipe], slack if moments else None)


def test_bfloat16_and_float8_are_counted_as_the_floats_they_are():
    for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2):
        x = torch.linspace(-3, 3, 1001).to(dtype)
        assert xp.working_name(x) == "float32"
        got, wanted = seen_of(x), seen_of(x.to(torch.float32).numpy())
        for recipe in RECIPES:
            assert_equal(got[recipe], wanted[recipe])


def test_needs_that_were_not_gathered_are_named():
    rows = np.zeros((1, 3), np.float32)
    for recipe in (LinearHistogram(7), ExactQuantiles((0.5,)), Sample(3)):
        with pytest.raises(qviz.errors.QvizError, match="was not gathered"):
            recipe.of(rows, NOTHING)
