"""How the recorded vectors of NVIDIA's calibrator are replayed through the door."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from qviz import xp
from qviz.dialects import REPLAYS, Case, Check
from qviz.dialects.nvidia.dialect import CALIBRATOR
from qviz.dialects.nvidia.door import HistogramCalibrator

Checks = Iterator[Check]


def _calibrator(case: Case) -> HistogramCalibrator:
    params = case["params"]
    made = HistogramCalibrator(num_bits=params["num_bits"], num_bins=params["num_bins"])
    made.collect(case.array(case.data[f"data/{params['data']}"]))
    return made


def _near(name: str, amax: Any, want: Any) -> Check:
    return Check(name, np.asarray(xp.host(amax)), want, ulps=1, signed_zero=False)


@REPLAYS.register("calibrators.entropy.nvidia", title="NVIDIA entropy", source=CALIBRATOR)
def entropy(case: Case) -> Checks:
    """The threshold of the entropy method."""
    yield _near("amax", _calibrator(case).compute_amax("entropy"), case["expected"]["amax"])


@REPLAYS.register("calibrators.percentile.nvidia", title="NVIDIA percentile", source=CALIBRATOR)
def percentile(case: Case) -> Checks:
    """The threshold of the percentile method."""
    amax = _calibrator(case).compute_amax("percentile", percentile=case["params"]["percentile"])
    yield _near("amax", amax, case["expected"]["amax"])


@REPLAYS.register("calibrators.mse.histogram", title="NVIDIA histogram MSE", source=CALIBRATOR)
def mse(case: Case) -> Checks:
    """Thresholds of the search that is meant, and of the one that was released."""
    calibrator, start = _calibrator(case), case["params"]["start_bin"]
    for reading, name in (("intended", "amax"), ("released", "vendor_observed")):
        if name in case["expected"]:
            amax = calibrator.compute_amax("mse", start_bin=start, reading=reading)
            yield _near(name, amax, case["expected"][name])
