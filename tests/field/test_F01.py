"""pytorch/pytorch#173075: large values in a narrow band, and a scale that seems far too big."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import compared, first, metric, named

X = 1000 + np.random.default_rng(0).standard_normal(10_000)


def test_numbers():
    made = compared(X)
    assert made.scale == pytest.approx(3.9352, rel=1e-4) and made.zero_point == 0
    assert metric(made, "codes_used") == 3
    assert (X.max() - X.min()) / made.scale == pytest.approx(1.88, abs=5e-3)
    assert metric(made, "sqnr") == pytest.approx(60.1, abs=0.05)
    assert metric(made, "sqnr_centered") == pytest.approx(0.13, abs=5e-3)


def test_the_finding_names_the_number_to_trust_and_folds_the_mean():
    assert "RANGE-FAR-FROM-ZERO" in first(Case.of(X))
    found = named(Case.of(X), "RANGE-FAR-FROM-ZERO")
    assert "0.74 %" in found.message and "3 codes of 256" in found.message
    assert "1.876 steps of 3.935" in found.message
    assert found.evidence["scale"] == pytest.approx(3.9352, rel=1e-4)
    assert found.evidence["span_in_steps"] == pytest.approx(1.88, abs=5e-3)
    assert found.evidence["sqnr_centered"] == pytest.approx(0.13, abs=5e-3)
    assert found.fixes[0].how == {"transform": "subtracted_mean"}
    centred = X - X.mean()
    step = (centred.max() - centred.min()) / 255
    noise = ((np.rint(centred / step) * step - centred) ** 2).mean()
    by_hand = 10 * np.log10((X**2).mean() / noise) - 60.1
    assert found.fixes[0].gain_db == pytest.approx(by_hand, abs=0.15)
