"""Every recorded value of MindSpore's three readings comes out of the door."""

from dataclasses import replace
from pathlib import Path

import pytest

from qviz.golden import replay
from qviz.golden.vectors import load

RECORDED = load(Path(__file__).parent / "mindspore")


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_recorded_vectors(backend):
    report = replay(RECORDED, backend)
    assert not report.failures
    assert (report.passed, report.skipped, dict(report.not_covered)) == (45, 0, {})


def test_all_readings_and_precisions_are_recorded():
    keys = {f"{reading}/{kind}" for reading in ("doc", "gpu", "ascend") for kind in ("f32", "f64")}
    assert all(set(case["expected"]) == keys for case in RECORDED.cases)
    assert len([c for c in RECORDED.cases if c["params"]["mode"] == "LEARNED_SCALE"]) == 8


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_another_number_anywhere_is_a_failure(backend):
    for case in RECORDED.cases[:1] + RECORDED.cases[-1:]:
        for key, values in case["expected"].items():
            for name, recorded in values.items():
                other = {**case["expected"], key: {**values, name: recorded + 1}}
                report = replay(replace(RECORDED, cases=({**case, "expected": other},)), backend)
                assert len(report.failures) == 1, (key, name)
                assert f"{key}: {name}" in report.failures[0].words
