"""NVIDIA/TensorRT#2705: entropy calibration ruins rare peaks, min-max keeps them."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import compared, first, metric, named

X = np.abs(np.random.default_rng(0).normal(0, 0.02, 200_000))
X[:40] = np.random.default_rng(1).uniform(0.6, 1, 40)


def test_numbers():
    entropy, whole = compared(X, "nvidia.entropy"), compared(X)
    assert entropy.hi == pytest.approx(0.078, rel=0.1)
    assert metric(entropy, "sqnr") == pytest.approx(6.96, abs=0.05)
    assert metric(entropy, "clipped_energy") == pytest.approx(0.2, abs=0.01)
    assert metric(whole, "sqnr") == pytest.approx(26.2, abs=0.05)


def test_few_values_carry_a_fifth_of_the_energy():
    case = Case.of(X, observer="nvidia.entropy")
    assert "CLIPPED-TAIL-MATTERS" in first(case)
    found = named(case, "CLIPPED-TAIL-MATTERS")
    assert found.evidence["clipped_share"] < 5e-4
    assert found.evidence["clipped_energy"] == pytest.approx(0.2, abs=0.01)
    whole = next(fix for fix in found.fixes if fix.how == {"observer": "minmax"})
    assert whole.gain_db == pytest.approx(26.2 - 6.96, abs=0.1)
    assert [fix.how["observer"] for fix in found.tried] == ["percentile"]  # 99.9 %: cuts them too
