"""What every neutral observer promises, and what the MSE search promises against all others."""

from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from qviz.errors import QvizError
from qviz.observers.base import OBSERVERS
from qviz.pipeline import judge, settle
from qviz.quantizers.base import Quantizer, Target
from qviz.sources.synthetic import Samples
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Range
from qviz.stats.gather import gather
from qviz.stats.stream import Stream

HERE = "qviz.observers."
PRESETS = {name: member for name, (member, _) in OBSERVERS.presets.items()}
NEUTRAL = [n for n, m in PRESETS.items() if OBSERVERS[m].__module__.startswith(HERE)]
ABSOLUTE = ["manual", "typed"]  # do not follow the data
ONE_SIDED = [n for n in NEUTRAL if getattr(OBSERVERS.make(n), "sides", 2) == 1]
EVERY = [*NEUTRAL, *ABSOLUTE]
CHANNELS = Granularity("per_channel", 0)
TARGETS = [
    Target.of(QuantSpec(8), CHANNELS),
    Target.of(QuantSpec(3, signed=True, symmetric=True), CHANNELS),
    Target.of(QuantSpec(4), CHANNELS, "power_of_two"),
]
targets = st.sampled_from(TARGETS)
sizes = st.tuples(st.integers(1, 3), st.integers(1, 40))
NUMBER = st.floats(-1000, 1000, width=32).map(lambda v: 0.0 if abs(v) < 1e-3 else v)
tensors = hnp.arrays(np.float32, sizes, elements=NUMBER)
LIMIT = 0.02  # dB
FLOOR = 1e-13  # of sum x^2: ranges are float32, so an error below this is rounding of the range


def observed(name, x, target):
    """What an observer chooses, from what it says it needs and nothing else."""
    observer = OBSERVERS.make(name)
    stream = Stream.of(x, target.granularity)
    return observer.range(gather(stream.tiles[0], observer.needs), target)


def equal(a, b):
    return np.array_equal(a.lo, b.lo) and np.array_equal(a.hi, b.hi)


def test_a_default_comparison_has_13_to_15_rows():
    assert 13 <= len(NEUTRAL) <= 15


@pytest.mark.parametrize("name", EVERY)
def test_title_fits_the_screen(name):
    assert 0 < len(OBSERVERS.title_of(OBSERVERS.make(name))) <= 18


def test_titles_differ():
    titles = [OBSERVERS.title_of(OBSERVERS.make(name)) for name in EVERY]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", EVERY)
def test_spelling_reads_back(name):
    observer = OBSERVERS.make(name)
    assert OBSERVERS.make(OBSERVERS.spell(observer)) == observer


@pytest.mark.parametrize("name", [n for n in EVERY if n != "typed"])
@settings(max_examples=15)
@given(x=tensors, target=targets)
def test_a_range_is_finite_ordered_and_one_per_group(name, x, target):
    chosen = observed(name, x, target)
    assert isinstance(chosen, Range)
    assert chosen.lo.shape == chosen.hi.shape == (len(x),)
    assert np.isfinite(chosen.lo).all() and np.isfinite(chosen.hi).all()
    assert (chosen.lo <= chosen.hi).all()
    assert chosen.exact
    assert equal(chosen, observed(name, x, target))


@pytest.mark.parametrize("name", NEUTRAL)
@settings(max_examples=15)
@given(x=tensors, target=targets)
def test_twice_the_data_gives_twice_the_range(name, x, target):
    once, twice = observed(name, x, target), observed(name, 2 * x, target)
    assert equal(twice, Range(2 * once.lo, 2 * once.hi))


@pytest.mark.parametrize("name", ABSOLUTE)
def test_a_given_range_does_not_follow_the_data(name):
    x = np.array([[1, 2, 3]], np.float32)
    first, second = (observed(name, v, TARGETS[0]) for v in (x, 1000 * x))
    assert repr(vars(first)) == repr(vars(second))


@pytest.mark.parametrize("name", NEUTRAL)
@settings(max_examples=15)
@given(x=tensors, target=targets, seed=st.integers(0, 99))
def test_the_order_of_elements_does_not_matter(name, x, target, seed):
    shuffled = np.random.default_rng(seed).permuted(x, axis=1)
    a, b = observed(name, x, target), observed(name, shuffled, target)
    near = 1e-9 * np.abs(x).max()  # sums of moments are rounded in another order
    assert np.allclose(a.lo, b.lo, 0, near) and np.allclose(a.hi, b.hi, 0, near)


@pytest.mark.parametrize("name", [n for n in NEUTRAL if n != "mse"])
@settings(max_examples=15)
@given(x=tensors, bits=st.integers(3, 8))
def test_mirrored_data_give_the_mirrored_range(name, x, bits):
    if name in ONE_SIDED:  # both ends equally far: the upper one is cut
        assume((x.max(axis=1) != -x.min(axis=1)).all())
    spec = QuantSpec(bits, signed=True, symmetric=True, narrow_range=True)  # -q for every q
    target = Target.of(spec, CHANNELS)
    a, b = observed(name, x, target), observed(name, -x, target)
    near = 1e-9 * np.abs(x).max()
    assert np.allclose(a.lo, -b.hi, 0, near) and np.allclose(a.hi, -b.lo, 0, near)


ODD = {
    "constant": np.full((2, 5), 0.3, np.float32),
    "zero": np.zeros((2, 5), np.float32),
    "single element": np.array([[-2.0], [3.0]], np.float32),
    "one sign": np.array([[1, 2, 3, 4], [-1, -2, -3, -4]], np.float32),
    "subnormal": np.array([[1e-45, -3e-42, 2e-44], [0, 0, 1e-45]], np.float32),
    "huge": np.array([[-3e38, 3e38, 1], [3.4e38, 3.3e38, 0]], np.float32),
    "not finite among": np.array([[np.nan, np.inf, 1], [-np.inf, -1, -2]], np.float32),
    "constant, many": np.full((1, 70_000), 0.1, np.float32),
    "huge, many": np.linspace(-3.4e38, 3.4e38, 70_000).astype(np.float32)[None],
    "few of many": np.array([np.nan] * 70_000 + [1.5], np.float32)[None],
}


@pytest.mark.parametrize("name", [n for n in EVERY if n != "typed"])
@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: f"{t.spec.bits} bits")
def test_odd_data_get_a_finite_range_without_a_warning(name, case, target):
    x = ODD[case]
    chosen = observed(name, x, target)
    assert (np.isfinite(chosen.lo) & np.isfinite(chosen.hi) & (chosen.lo <= chosen.hi)).all()
    if name not in ("manual", "absmax", "mse") and case == "constant":
        assert chosen.lo == pytest.approx(x[:, 0]) and chosen.hi == pytest.approx(x[:, 0])
    if name != "manual" and case == "zero":
        assert not chosen.lo.any() and not chosen.hi.any()


@pytest.mark.parametrize("name", NEUTRAL)
@pytest.mark.parametrize("wide", [3, 70_000])
def test_a_group_without_finite_elements_leaves_the_others_alone(name, wide):
    x = np.stack([np.linspace(-1, 2, wide), np.full(wide, np.nan)]).astype(np.float32)
    both, alone = observed(name, x, TARGETS[0]), observed(name, x[:1], TARGETS[0])
    assert (both.lo[0], both.hi[0]) == pytest.approx((alone.lo[0], alone.hi[0]), rel=1e-6)
    empty = (both.lo[1], both.hi[1])
    assert empty == ((np.inf, -np.inf) if name in ("minmax", "moving_average") else (0, 0))


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("case", [*ODD, "normal", "normal, many", "nothing", "all NaN"])
def test_a_decision_is_small_and_finite(name, case):
    more = {
        "normal": np.random.default_rng(0).standard_normal((2, 500), np.float32),
        "normal, many": np.random.default_rng(0).standard_normal((1, 70_000), np.float32),
        "nothing": np.zeros((0, 3), np.float32),
        "all NaN": np.full((1, 3), np.nan, np.float32),
    }
    x, observer = (ODD | more)[case], OBSERVERS.make(name)
    tile = Stream.of(x, CHANNELS).tiles[0]
    shown = observer.decision(gather(tile, observer.needs), TARGETS[0])
    if name in ("mse", "shrink", "entropy", "percentile_99") and case.startswith("normal"):
        assert shown is not None
    if shown is None:
        return
    assert 2 <= len(shown.x) <= 400 and np.isfinite(shown.x).all()
    assert (np.diff(shown.x) >= 0).all()
    for curve in shown.curves.values():
        assert curve.shape == shown.x.shape and np.isfinite(curve).all()
    assert all(np.isfinite([*shown.chosen, *shown.marks.values()]))
    assert shown.words.endswith(".") and shown.x_title and shown.y_title


def distributions(n):
    """Float32 tensors of n elements, each another shape of histogram."""
    rng = np.random.default_rng(3)
    normal = rng.standard_normal(n)
    scores = np.exp(3 * rng.standard_normal((n // 50, 50)))
    peaks = np.where(rng.random(n) < 0.5, rng.normal(-3, 0.2, n), rng.normal(5, 0.3, n))
    made = {
        "gauss": normal,
        "laplace": rng.laplace(size=n),
        "t3": rng.standard_t(3, n),
        "relu": np.maximum(normal, 0),
        "uniform": rng.uniform(-1, 3, n),
        "bimodal": peaks,
        "outliers": np.where(np.arange(n) < 3, [300, -200, 100][:1] * n, normal),
        "far": rng.normal(100, 0.5, n),
        "negative": -(np.abs(normal) ** 1.5),
        "softmax": (scores / scores.sum(axis=1, keepdims=True)).ravel(),
        "few values": rng.choice(rng.standard_normal(7), n),
        "pixels": rng.integers(0, 256, n) / 255,
        "stored codes": np.rint(np.clip(30 * normal, -127, 127)) * 0.0123,
    }
    return {name: x.astype(np.float32) for name, x in made.items()}


def errors(names, x, targets):
    """Exact sums of squared errors of each observer's range: name -> sum, target by target."""
    observers = {name: OBSERVERS.make(name) for name in names}
    tile = Stream.of(x, targets[0].granularity).tiles[0]
    seen = gather(tile, {need for observer in observers.values() for need in observer.needs})
    for target in targets:
        found = {}
        for name, observer in observers.items():
            with suppress(QvizError):  # it refuses the target, or the data
                settled = settle(observer, seen, target)
                if settled.range is not None:
                    found[name] = judge(tile, seen, settled.quantizer, exact=True).ee.sum()
        yield target, found


def targets_of(bits, modes=("affine",), granularity=PER_TENSOR):
    specs = [QuantSpec(b, signed=s, symmetric=s) for b, s in product(bits, (False, True))]
    return [Target.of(spec, granularity, mode) for spec, mode in product(specs, modes)]


def assert_nobody_beats_the_search(names, x, targets, limit=LIMIT):
    energy = float(np.square(x[np.isfinite(x)], dtype=np.float64).sum())
    for target, found in errors(names, x, targets):
        own = found.pop("mse")
        for name, other in found.items():
            gap = 10 * np.log10((own + FLOOR * energy + 1e-300) / (other + FLOOR * energy + 1e-300))
            assert gap <= limit, f"{name} is {gap:.3f} dB better for {target}"


MODES = ("affine", "affine:tie=away", "power_of_two")


@pytest.mark.parametrize("name", distributions(100))
def test_no_observer_beats_the_mse_search(name):
    x = distributions(2000)[name]
    assert_nobody_beats_the_search(list(PRESETS), x, targets_of((2, 3, 4, 6, 8), MODES[::2]))
    # 2000 values on 4096 levels: any range that does not follow the data may happen to line up
    # with them, so that only ranges taken from the data are compared.
    assert_nobody_beats_the_search(NEUTRAL, x, targets_of((12,), MODES[::2]))


@pytest.mark.parametrize("name", distributions(100))
def test_no_observer_beats_the_mse_search_on_a_sketch(name):
    x = distributions(100_000)[name]
    # Far from 0 the cells of the sketch are as wide as the data: the tail's place is not known.
    limit = 0.05 if name == "far" else LIMIT
    assert_nobody_beats_the_search(NEUTRAL, x, targets_of((4, 8, 16)), limit)


@pytest.mark.parametrize("name", Samples().infos)
def test_no_observer_beats_the_mse_search_on_a_sample(name):
    x = np.array(Samples().read(name))
    x = x if x.size < 300_000 else x.ravel()[:70_000]
    assert_nobody_beats_the_search(list(PRESETS), x, targets_of((4, 8), MODES))


@pytest.mark.parametrize("name", Samples().infos)
def test_no_observer_beats_the_mse_search_per_channel(name):
    x = np.array(Samples().read(name))
    x = x[: x.size // 32 * 32].reshape(-1, 32) if x.ndim == 1 else x
    x = x[:64, ..., :2048]
    assert_nobody_beats_the_search(NEUTRAL, x, targets_of((4, 8), granularity=CHANNELS))


def test_a_quantizer_given_by_hand_is_returned_as_it_is():
    chosen = observed("typed", np.array([[1, 2]], np.float32), TARGETS[0])
    assert isinstance(chosen, Quantizer)
    assert chosen.step == pytest.approx(0.1)
