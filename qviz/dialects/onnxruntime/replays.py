"""How ONNX Runtime's recorded vectors are replayed through the door."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects import REPLAYS, Case, Check
from qviz.dialects.onnxruntime.dialect import CALIBRATER, COLLECTOR, QPARAMS
from qviz.dialects.onnxruntime.door import (
    CalibrationMethod,
    HistogramCollector,
    compute_scale_zp_float8,
    create_calibrator,
)

Checks = Iterator[Check]
NAME = "x"
DEFAULTS: dict[str, Any] = {
    "symmetric": False,
    "num_quantized_bins": 128,
    "percentile": 99.999,
    "scenario": "same",
}


def _collected(case: Case, method: str, **options: Any) -> Any:
    """What a collector makes of the case's data, collected in one call."""
    collector = HistogramCollector(method, **DEFAULTS | options)
    collector.collect({NAME: case.array(case.data[f"data/{case['params']['data']}"])})
    return collector.compute_collection_result()[NAME]


def _range(case: Case, lo: Any, hi: Any) -> Check:
    ends = np.array([xp.host(lo), xp.host(hi)])
    return Check("range", ends, case["expected"]["range"], ulps=1, signed_zero=False)


@REPLAYS.register("calibrators.entropy.ort", title="ORT entropy", source=COLLECTOR)
def entropy(case: Case) -> Checks:
    """Ranges of the entropy method."""
    sizes = {name: case["params"][name] for name in ("num_bins", "num_quantized_bins")}
    lo, hi, *_ = _collected(case, "entropy", **sizes)
    yield _range(case, lo, hi)


@REPLAYS.register("calibrators.percentile.ort", title="ORT percentile", source=COLLECTOR)
def percentile(case: Case) -> Checks:
    """Ranges of the percentile method, symmetric or not."""
    names = ("num_bins", "percentile", "symmetric")
    lo, hi, *_ = _collected(case, "percentile", **{name: case["params"][name] for name in names})
    yield _range(case, lo, hi)


@REPLAYS.register("calibrators.distribution.ort", title="ORT distribution", source=COLLECTOR)
def distribution(case: Case) -> Checks:
    """Mean and standard deviation of the distribution method."""
    names = ("num_bins", "scenario")
    found = _collected(case, "distribution", **{name: case["params"][name] for name in names})
    for name in ("avg", "std"):
        yield Check(name, getattr(found, name), case["expected"][name], ulps=1, signed_zero=False)


@REPLAYS.register("calibrators.float8_scale.ort", title="ORT float8 scale", source=QPARAMS)
def float8_scale(case: Case) -> Checks:
    """The scale for a given standard deviation."""
    std = case.array(np.asarray(case["params"]["std"], np.float32))
    _, scale = compute_scale_zp_float8("FLOAT8E4M3FN", std)
    yield Check("scale", scale, case["expected"]["scale"], ulps=1)


@REPLAYS.register("calibrators.moving_average.ort", title="ORT moving average", source=CALIBRATER)
def moving_average(case: Case) -> Checks:
    """Ranges after one collect call for each block of rows."""
    params = case["params"]
    options = {"moving_average": True, "averaging_constant": params["averaging_constant"]}
    calibrator = create_calibrator(
        None, calibrate_method=CalibrationMethod.MinMax, extra_options=options
    )
    for rows in np.split(case.data[f"data/{params['data']}"], params["batches"]):
        calibrator.collect_data([{NAME: case.array(rows)}])
    yield _range(case, *calibrator.compute_data()[NAME].range_value)
