"""microsoft/onnxruntime#10846, #10571: both percentiles from the lower tail, zero point 255."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import compared, first, metric, named

SIGN = np.sign(np.random.default_rng(1).standard_normal(100_000))
X = np.abs(np.random.default_rng(0).standard_normal(100_000)) * SIGN


def cut(low, high):
    lo, hi = np.percentile(X, [low, high])
    return f"manual:lo={lo!r},hi={hi!r}".replace("np.float64(", "").replace(")", "")


def test_numbers():
    right, wrong = compared(X, cut(0.005, 99.995)), compared(X, cut(0.005, 0.01))
    assert (right.lo, right.hi) == pytest.approx((-3.854, 3.946), abs=5e-4)
    assert right.scale == pytest.approx(0.03059, abs=5e-6) and right.zero_point == 126
    assert metric(right, "sqnr") == pytest.approx(40.5, abs=0.05)
    assert (wrong.lo, wrong.hi) == pytest.approx((-3.854, -3.766), abs=5e-4)
    assert wrong.scale == pytest.approx(0.01511, abs=5e-6) and wrong.zero_point == 255
    assert metric(wrong, "sqnr") == pytest.approx(3.05, abs=5e-3)


def test_half_of_the_data_is_on_the_lost_side():
    case = Case.of(X, observer=cut(0.005, 0.01))
    assert first(case)[0] == "ZP-AT-EDGE"
    found = named(case, "ZP-AT-EDGE")
    assert found.evidence["lost_share"] == pytest.approx(0.5, abs=0.01)
    assert found.evidence["zero_point"] == 255 and found.severity == "high"
    assert found.evidence["scale"] == pytest.approx(0.01511, abs=5e-6)
    assert found.evidence["sqnr"] == pytest.approx(3.05, abs=5e-3)
    assert "a scale of 0.01511" in found.message and "dB are left" in found.message
    assert found.fixes[0].gain_db == pytest.approx(40.5 - 3.05, abs=0.06)


def test_one_sided_data_may_have_its_zero_point_at_the_end():
    assert "ZP-AT-EDGE" not in first(Case.of(np.abs(X)), 9)
