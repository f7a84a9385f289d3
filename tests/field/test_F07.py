"""mathmanu/caffe-jacinto-models#13: a power-of-two step from the largest magnitude."""

import numpy as np
import pytest

from qviz.doctor import Case, examine
from tests.field.asked import INT8, UINT8, compared, first, metric, named

X = np.random.default_rng(0).laplace(size=100_000)
MODE = "power_of_two:full_range=true"
X = X * 1.01 / np.abs(X).max()


def test_numbers():
    raised = compared(X, "absmax", INT8, MODE)
    assert raised.scale == 2.0**-6
    assert metric(raised, "sqnr") == pytest.approx(28.47, abs=5e-3)
    assert metric(compared(X, "absmax", INT8), "sqnr") == pytest.approx(34.33, abs=5e-3)
    assert metric(compared(X, "typed:scale=0.0078125"), "sqnr") == pytest.approx(34.48, abs=5e-3)
    wide = compared(X * 1.99 / 1.01, "absmax", INT8, MODE)
    assert metric(wide, "sqnr") == pytest.approx(34.36, abs=5e-3)


def test_half_of_the_codes_are_in_use():
    case = Case.of(X, INT8, observer="absmax", mode=MODE)
    assert "POW2-WASTE" in first(case)
    found = named(case, "POW2-WASTE")
    assert found.evidence["largest_code"] == 65 and "51 %" in found.message
    half, free = found.fixes
    assert half.how == {"observer": "typed:scale=0.0078125"} and free.how == {"mode": "affine"}
    assert half.gain_db == pytest.approx(34.48 - 28.47, abs=0.01)
    assert free.gain_db == pytest.approx(34.33 - 28.47, abs=0.01)
    for name, wanted in (("sqnr", 28.47), ("sqnr_free", 34.33), ("sqnr_half", 34.48)):
        assert found.evidence[name] == pytest.approx(wanted, abs=5e-3)
    assert "clip 1 value." in found.message
    assert found.evidence["clipped_by_half"] == ((X > 127.5 / 128) | (X < -128.5 / 128)).sum()


def test_a_range_just_below_the_power_wastes_nothing():
    case = Case.of(X * 1.99 / 1.01, INT8, observer="absmax", mode=MODE)
    assert "POW2-WASTE" not in first(case, 9)


@pytest.mark.parametrize("spec", [UINT8, INT8])
@pytest.mark.parametrize("mode", ["power_of_two", MODE])
def test_it_is_nothing_above_a_note_with_the_usual_observer_either(spec, mode):
    found = examine(Case.of(X * 1.99 / 1.01, spec, mode=mode))
    assert {finding.severity for finding in found} <= {"note"}
