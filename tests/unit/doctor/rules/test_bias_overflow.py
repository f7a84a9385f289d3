"""A bias beyond int32, also beside a step that float64 hardly holds."""

import math

import numpy as np
import pytest

from qviz.doctor import Bias, Case, examined

LARGEST = 2**31 - 1


def of(*known):
    found = {f.rule: f for f in examined(Case.of(bias=Bias(*known))).findings}
    return found.get("BIAS-OVERFLOW")


@pytest.mark.parametrize(
    ("step", "most"), [(1e-320, "10^322"), (1e-300, "10^302"), (1e-60, "5e+62")]
)
def test_no_weight_scale_is_large_enough(step, most):
    found = of(np.array([5.0, 0.0, -0.1]), step, np.array([0.01, 0.01, 0.02]))
    safe = 5 / LARGEST / 0.01
    assert f"up to {most}: no float32 weight scale is large enough" in found.message
    assert f"at least {safe:.4g}" in found.message and "inf" not in found.message
    assert found.evidence["channels"] == [0, 2] and found.severity == "high"
    assert found.evidence["safe_input_scale"] == pytest.approx(safe)
    numbers = [v for value in found.evidence.values() for v in np.atleast_1d(value)]
    assert all(map(math.isfinite, numbers))
    (fix,) = found.fixes
    assert fix.action == f"raise the input scale to at least {safe:.4g}" and fix.gain_db > 50


def test_a_weight_scale_that_can_be_stored_is_told():
    found = of(np.array([5.0]), 1e-9, np.array([0.01]))
    assert "below 2.328, the safe floor" in found.message
    assert found.fixes[0].action == "raise these weight scales to at least 2.328"
