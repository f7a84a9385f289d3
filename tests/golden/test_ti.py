"""What TI's range utilities recorded: histograms, kept bins, ranges."""

import numpy as np
import pytest

from qviz.dialects.ti.percentile import TiPercentile, kept_bins
from qviz.quantizers.base import Target
from tests.golden.loader import KINDS, cases, same, seen_of

RECORDED = cases("ti")


def tensor_of(case):
    """The input, or a tensor of the one value that fills it."""
    fill = case["params"].get("fill")
    return case["inputs"]["x"] if fill is None else np.full((4, 5), fill, np.float32)


def observer_of(case):
    params = case["params"]
    fast = case["op"] == "ti.extrema_fast"
    return TiPercentile(
        params["range_shrink_percentile"], fast, params.get("python_random_seed", 0)
    )


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["id"])
@pytest.mark.parametrize("kind", KINDS)
def test_extrema(case, kind):
    observer, expected = observer_of(case), case["expected"]
    seen = seen_of(observer, [tensor_of(case)], kind)
    found = observer.range(seen, Target.of())
    got = np.concatenate([found.lo, found.hi]).astype(np.float32)
    (batch,) = seen[observer.needs[0]].batches
    if "observed" in expected:  # a constant tensor, at which the recorded code raised
        assert got.tolist() == [case["params"]["fill"]] * 2
        return
    assert same(got, expected["range"])
    if "hist_percent" in expected:
        assert same(batch.percent, expected["hist_percent"])
        bins = kept_bins(batch.percent, observer.range_shrink_percentile)
        assert bins == tuple(expected["hist_index"])


def test_every_recorded_case_is_replayed():
    assert len(RECORDED) == 34
    assert sum("hist_percent" in case["expected"] for case in RECORDED) == 27
    assert sum("observed" in case["expected"] for case in RECORDED) == 2
