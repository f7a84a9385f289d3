"""How the closed forms recorded beside the calibrators are replayed: by the neutral members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from qviz.dialects import REPLAYS, Case, Check
from qviz.observers import aciq, lsq, mse_grid
from qviz.observers.minmax import MinMaxObserver
from qviz.observers.sigma import SigmaObserver
from qviz.quantizers.base import Target
from qviz.quantizers.group_int4 import SOURCE as INT4
from qviz.quantizers.group_int4 import GroupInt4
from qviz.registry import Source
from qviz.spec import PER_TENSOR, Granularity, QuantSpec, Range
from qviz.stats.base import Seen
from qviz.stats.gather import gather
from qviz.stats.moments import Moments
from qviz.stats.stream import Stream

Checks = Iterator[Check]
CLOSE = 1e-9  # relative
FORMULA = Source("qviz", "closed forms", "1")


def _seen(case: Case, *recipes: Any, granularity: Granularity = PER_TENSOR) -> Seen:
    """Statistics of the case's data."""
    x = case.array(case.data[f"data/{case['params']['data']}"])
    (tile,) = Stream.of(x, granularity).tiles
    return gather(tile, recipes)


def _near(name: str, got: Any, want: Any) -> Check:
    return Check(name, np.asarray(got, np.float64).reshape(np.shape(want)), want, rtol=CLOSE)


@REPLAYS.register("calibrators.aciq", title="ACIQ", source=aciq.SOURCE)
def aciq_clips(case: Case) -> Checks:
    """Clips of data, or the constants for each number of bits."""
    bits, factors = case["params"]["bits"], (aciq.laplace_clip, aciq.gauss_clip)
    if "data" not in case["params"]:
        for name, factor in zip(("laplace", "gauss"), factors, strict=True):
            yield _near(name, [factor(b) for b in bits], case["expected"][name])
        return
    seen = _seen(case, aciq.CELLS, Moments())
    moments = seen[Moments()]
    spread = aciq.deviation(seen[aciq.CELLS].cells, moments.mean)
    std = aciq.population_std(moments.m2, moments.n)
    yield _near("laplace", aciq.laplace_clip(bits) * spread, case["expected"]["laplace"])
    yield _near("gauss", aciq.gauss_clip(bits) * std, case["expected"]["gauss"])


@REPLAYS.register("calibrators.mean_sigma", title="Mean and sigma", source=FORMULA)
def mean_sigma(case: Case) -> Checks:
    """The range mean -+ k std."""
    observer = SigmaObserver(case["params"]["k"])
    found = observer.range(_seen(case, *observer.needs), Target.of())
    yield _near("range", [found.lo[0], found.hi[0]], case["expected"]["range"])


@REPLAYS.register("calibrators.lsq_init", title="LSQ start", source=lsq.LSQ)
def lsq_init(case: Case) -> Checks:
    """First steps of LSQ and LSQ+, and the gradient's scale."""
    bits, moments = case["params"]["bits"], _seen(case, Moments())[Moments()]
    found = {
        "step": lsq.lsq_step(moments, bits),
        "grad_scale": lsq.gradient_scale(moments, bits),
        "lsqplus_step": lsq.lsq_plus_step(moments, bits),
    }
    for name, value in found.items():
        yield _near(name, value, case["expected"][name])


@REPLAYS.register("calibrators.mse_search", title="MSE grid", source=mse_grid.SOURCE)
def mse_search(case: Case) -> Checks:
    """Ratio, scale and error of the best clip of the grid."""
    bits, observer = case["params"]["bits"], mse_grid.MseGridObserver()
    found = mse_grid.grid(_seen(case, *observer.needs), bits)
    best = int(found.best[0])
    yield _near("ratio", mse_grid.RATIOS[best], case["expected"]["ratio"])
    yield _near("scale", found.chosen / lsq.largest(bits), case["expected"]["scale"])
    yield _near("mse", found.mse[0, best], case["expected"]["mse"])


@REPLAYS.register("calibrators.group_int4", title="Group int4", source=INT4)
def group_int4(case: Case) -> Checks:
    """Scale and zero point of each group, and the error over the whole tensor."""
    params, expected = case["params"], case["expected"]
    groups = Granularity("per_group", -1, params["group"])
    spec = QuantSpec(4, symmetric=params["symmetric"])
    found = MinMaxObserver().range(
        _seen(case, *MinMaxObserver().needs, granularity=groups), Target.of(spec, groups)
    )
    grid = GroupInt4().quantizer(Range(found.lo, found.hi), spec)
    scale, zero = (np.asarray(grid.qparams()[name]) for name in ("scale", "zero_point"))
    yield Check("scale", scale.astype(np.float32), expected["scale"], ulps=1)
    yield Check("zero", zero.astype(np.float32), expected["zero"], signed_zero=False)
    x = case.data[f"data/{params['data']}"].astype(np.float64)
    error = groups.restore(grid.fake_quantize(groups.rows(case.array(x))), x)
    yield _near("mse", ((np.asarray(error) - x) ** 2).mean(), expected["mse"])
