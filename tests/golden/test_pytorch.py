"""What PyTorch 2.13.0 recorded: running states, qparams, fake-quantized values."""

import numpy as np
import pytest

from qviz import xp
from qviz.dialects.pytorch import qparams
from qviz.dialects.pytorch.affine import TorchAffine, TorchAffineQuantizer
from qviz.dialects.pytorch.extremes import extremes
from qviz.dialects.pytorch.histogram import TorchHistogramObserver
from qviz.dialects.pytorch.histogram_search import search
from qviz.dialects.pytorch.histogram_state import TorchHistogram
from qviz.dialects.pytorch.minmax import TorchMinMax
from qviz.dialects.pytorch.moving_average import BATCHES, TorchMovingAverage, averaged
from qviz.quantizers.base import PER_TENSOR, Target
from qviz.spec import QuantSpec, Range
from qviz.stats.base import Batch, Seen
from qviz.stats.minmax import MinMax
from tests.golden.loader import KINDS, array, cases, same, seen_of

EIGHT_BITS = ("quint8", "uint8", "qint8", "int8")
SIXTEEN_BITS = ("int16", "uint16")
HISTOGRAM = cases("pytorch", cls="HistogramObserver")
MINMAX = cases("pytorch", cls="MinMaxObserver")
MOVING_AVERAGE = cases("pytorch", cls="MovingAverageMinMaxObserver")
FAKE_QUANTIZE = cases("pytorch", op="fq_tensor")

both_kinds = pytest.mark.parametrize("kind", KINDS)


def each(recorded):
    return pytest.mark.parametrize("case", recorded, ids=lambda case: case["id"])


def dtype_of(case):
    return case["args"].get("dtype", "quint8")


def is_custom(case):
    return "quant_min" in case["args"] and "quant_max" in case["args"]


def spec_of(case):
    """The codes as a QuantSpec, or None where the type has 32 bits or is quint4x2."""
    args, dtype = case["args"], dtype_of(case)
    if dtype not in EIGHT_BITS + SIXTEEN_BITS:
        return None
    bits = 8 if dtype in EIGHT_BITS else 16
    ends = (args["quant_min"], args["quant_max"]) if is_custom(case) else (None, None)
    return QuantSpec(
        bits,
        signed=dtype in ("qint8", "int8", "int16"),
        symmetric=args.get("qscheme") == "per_tensor_symmetric",
        quant_min=ends[0],
        quant_max=ends[1],
        reduce_range=args.get("reduce_range", False) and (bits == 8 or is_custom(case)),
    )


def mode_of(case):
    return TorchAffine(case["args"].get("eps", qparams.EPS))


def found_qparams(case, lo, hi):
    """Scale and zero point through the mode, or the mode's functions for other types."""
    spec, mode = spec_of(case), mode_of(case)
    if spec is not None:
        assert spec.ends == (case["quant_min"], case["quant_max"])
        assert mode.accepts(Target(spec, PER_TENSOR, mode)) is None
        made = mode.quantizer(range_of(lo, hi), spec)
        return made.scale, made.zero_point
    ends, lo, hi = (case["quant_min"], case["quant_max"]), np.atleast_1d(lo), np.atleast_1d(hi)
    if case["args"].get("qscheme") == "per_tensor_symmetric":
        return qparams.symmetric(lo, hi, ends, 0, mode.eps)
    return qparams.affine(lo, hi, ends, mode.eps)


def range_of(lo, hi):
    return Range(np.float64(lo), np.float64(hi))


def check_qparams(case, step, lo, hi):
    scale, zero = found_qparams(case, lo, hi)
    assert same(scale, step["scale"])
    assert same(zero, step["zp"].astype(np.int64))


@each(HISTOGRAM)
@both_kinds
def test_histogram_observer(case, kind):
    rule = TorchHistogram(case["args"]["bins"])
    levels = 2**16 if dtype_of(case) in SIXTEEN_BITS else 2**8
    state = rule.start()
    for step in case["steps"]:
        state = rule.step(state, Batch(array(step["x"], kind)))
        assert same(state.histogram, step["hist"])
        assert same(state.min, step["min"], zeros_alike=True)
        assert same(state.max, step["max"], zeros_alike=True)
        walk = search(state.histogram, state.min, state.max, levels)
        check_qparams(case, step, walk.lo, walk.hi)
        check_observer(case, state, walk)


def check_observer(case, state, walk):
    """The observer hands on what the search found, for the codes that can be asked for."""
    observer, spec = TorchHistogramObserver(case["args"]["bins"]), spec_of(case)
    if spec is None:
        return
    (recipe,) = observer.needs
    found = observer.range(Seen({recipe: state}, 1), Target(spec, PER_TENSOR, mode_of(case)))
    assert (found.lo[0], found.hi[0]) == (walk.lo, walk.hi)


@each(MINMAX)
@both_kinds
def test_min_max_observer(case, kind):
    observer = TorchMinMax()
    for count, step in enumerate(case["steps"], 1):
        seen = seen_of(observer, [s["x"] for s in case["steps"][:count]], kind)
        lo, hi = (end[0] for end in extremes(seen[MinMax()]))
        assert same(lo, step["min"], zeros_alike=True)
        assert same(hi, step["max"], zeros_alike=True)
        found = observer.range(seen, Target.of())
        check_qparams(case, step, found.lo[0], found.hi[0])


@each(MOVING_AVERAGE)
@both_kinds
def test_moving_average_observer(case, kind):
    observer = TorchMovingAverage(case["args"].get("averaging_constant", 0.01))
    seen = seen_of(observer, [step["x"] for step in case["steps"]], kind)
    path = averaged(seen[BATCHES], observer.averaging_constant)
    for count, (step, (lo, hi)) in enumerate(zip(case["steps"], path, strict=True), 1):
        assert same(lo[0], step["min"], zeros_alike=True)
        assert same(hi[0], step["max"], zeros_alike=True)
        found = observer.range(seen.upto(count), Target.of())
        check_qparams(case, step, found.lo[0], found.hi[0])


@each(FAKE_QUANTIZE)
@both_kinds
def test_fake_quantize(case, kind):
    x = array(case["x"], kind)
    grid = TorchAffineQuantizer(
        np.atleast_1d(case["scale"]),
        np.atleast_1d(case["zp"]),
        case["quant_min"],
        case["quant_max"],
    )
    rows = x.reshape(1, -1)
    got = xp.host(grid.fake_quantize(rows)).reshape(x.shape).astype(case["x"].dtype)
    assert same(got, case["y"], zeros_alike=True)
    codes = xp.host(grid.encode(rows)).reshape(x.shape)
    inside = (codes >= case["quant_min"]) & (codes <= case["quant_max"])
    assert same(inside, case["mask"])


def test_every_recorded_case_is_replayed():
    counts = [len(recorded) for recorded in (HISTOGRAM, MINMAX, MOVING_AVERAGE, FAKE_QUANTIZE)]
    assert counts == [50, 90, 41, 43]
    steps = [sum(len(c["steps"]) for c in recorded) for recorded in (HISTOGRAM, MINMAX)]
    assert steps == [94, 172]
