"""Recorded vectors of TI's range utilities and PACT2, played through the door."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from qviz.dialects import REPLAYS, Case, Check
from qviz.dialects.ti.dialect import EXTREMA, PACT2
from qviz.dialects.ti.door import (
    Pact2,
    extrema,
    extrema_fast,
    extrema_hist_search,
    tensor_histogram,
)
from qviz.dialects.ti.errors import TiAssertionError
from qviz.dialects.ti.histogram import starts

HALF_WAY = 1e-5  # steps: so near to half-way between two levels float32 may choose either
FILLED = (4, 5)  # any shape serves a tensor of one value


@REPLAYS.register("ti.ti.extrema", title="extrema", source=EXTREMA)
def play_extrema(case: Case) -> Iterator[Check]:
    """Range, and histogram and kept bins where they were recorded."""
    given = dict(case["params"])
    fill = given.pop("fill", None)
    x = case["inputs"]["x"] if fill is None else np.full(FILLED, fill, np.float32)
    x, expected = case.array(x), case["expected"]
    if "observed" in expected:
        yield _instead(x, given, fill, expected["observed"])
        return
    yield Check("range", _pair(extrema(x, **given)), expected["range"], ulps=1)
    if "hist_percent" in expected:
        percent = tensor_histogram(x, given.get("fast_mode", False))[0]
        yield Check("hist_percent", percent, expected["hist_percent"])
        bins = extrema_hist_search(percent, given["range_shrink_percentile"])
        yield Check("hist_index", np.array(bins), expected["hist_index"])


@REPLAYS.register("ti.ti.extrema_fast", title="extrema_fast", source=EXTREMA)
def play_extrema_fast(case: Case) -> Iterator[Check]:
    """Range of the thinned tensor, and the starts that the seed draws."""
    given = dict(case["params"])
    seed = given.pop("python_random_seed")
    row, column = starts(random.Random(seed))
    yield Check("row_start", row, given.pop("row_start", row))
    yield Check("col_start", column, given.pop("col_start", column))
    got = extrema_fast(case.array(case["inputs"]["x"]), **given, seed=seed)
    yield Check("range", _pair(got), case["expected"]["range"], ulps=1)


@REPLAYS.register("ti.ti.pact2", title="PACT2", source=PACT2)
def play_pact2(case: Case) -> Iterator[Check]:
    """Clips, limits, scale and output after each step of one layer in training."""
    given, expected = case["params"], case["expected"]
    layer = Pact2(
        signed=given["signed"],
        range_shrink_activations=given["range_shrink_percentile"],
        power2_activation_range=given["power2"],
        bits=given["bits"],
    )
    for step, x in enumerate(case["inputs"]):
        out, made = layer(case.array(x)), layer.quantizer()
        got = {"clips": layer.clips, "limits": layer.get_clips_act(), "scale": made.scale}
        for name, value in got.items():
            yield Check(f"{name}[{step}]", value, expected[name][step], ulps=1)
        steps = x.astype(np.float64) * made.scale + 0.5
        near = np.abs(steps - np.rint(steps)) <= HALF_WAY
        either = np.where(near, np.float64(made.step), 0.0)
        yield Check(f"out[{step}]", out, expected["out"][step], ulps=1, atol=either)


def _pair(ends: tuple[Any, Any]) -> np.ndarray:
    return np.array([float(end) for end in ends], np.float32)


def _instead(x: Any, given: dict[str, Any], fill: float | None, recorded: str) -> Check:
    """What is answered where TI's code stops: a constant's own value, or the same error."""
    try:
        got = _pair(extrema(x, **given))
    except TiAssertionError as error:
        return Check("observed", error.stands_for, recorded)
    return Check("range", got, np.array([fill, fill], np.float32))
