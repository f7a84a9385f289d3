"""What TI's range utilities and PACT2 recorded comes out of the door."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qviz.dialects.ti import tensor_histogram
from qviz.golden import replay
from qviz.golden.vectors import load

RECORDED = load(Path(__file__).parent / "ti")


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_recorded_vectors(backend):
    report = replay(RECORDED, backend)
    assert not report.failures
    assert (report.passed, report.skipped, dict(report.not_covered)) == (43, 0, {})


def test_all_kinds_of_values_are_recorded():
    expected = [case["expected"] for case in RECORDED.cases]
    named = {name: sum(name in values for values in expected) for name in ("hist_percent", "clips")}
    assert named == {"hist_percent": 27, "clips": 6}
    assert sum("observed" in values for values in expected) == 2


def test_the_published_histogram():
    (x,) = {case["inputs"]["x"].tobytes() for case in RECORDED.cases if is_published(case)}
    percent = tensor_histogram(np.frombuffer(x, np.float32))[0]
    counts = np.rint(percent / 100 * 125).astype(np.int64)
    assert counts.sum() == 125
    assert counts.tolist() == RECORDED.data["published/hist_counts_printed"].tolist()


def is_published(case):
    return case["id"].startswith("published")


CHOSEN = ("published_1.0", "sigma_3", "fast_0", "pact2_None_plain")


@pytest.mark.parametrize("name", CHOSEN)
def test_another_number_anywhere_is_a_failure(name):
    (case,) = [case for case in RECORDED.cases if case["id"] == name]
    for field, recorded in case["expected"].items():
        other = [*recorded[:-1], moved(recorded[-1])] if field in LISTS else moved(recorded)
        given = {**case, "expected": {**case["expected"], field: other}}
        (failure,) = replay(replace(RECORDED, cases=(given,))).failures
        assert field in failure.words


LISTS = ("clips", "limits", "scale", "out")


def moved(recorded):
    """Recorded numbers three units in the last place further on."""
    return recorded + 1 if recorded.dtype.kind == "i" else recorded + 3 * np.spacing(recorded)


def test_a_constant_is_answered_where_the_recorded_code_stopped():
    (case,) = [case for case in RECORDED.cases if case["id"] == "constant_-2.5"]
    other = {**case, "params": {**case["params"], "fill": float("nan")}}
    assert len(replay(replace(RECORDED, cases=(other,))).failures) == 1
