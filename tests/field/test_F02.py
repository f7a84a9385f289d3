"""tensorflow/tensorflow#16995: fake_quant gives one number for every element of positive data."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import compared, first, metric, named

FIRST = (0.09504107, 0.0748544, 0.09333218, 0.106306, 0.09921047)
X = np.array((*FIRST, 0.0930253, 0.09277194, 0.08704954, 0.12734564, 0.11479893), np.float32)


def test_numbers():
    made = compared(X, mode="tf.fake_quant")
    assert made.scale == pytest.approx(2.0585e-4, rel=1e-4) and made.zero_point == 0
    assert metric(made, "clipped_share") == 1 and metric(made, "codes_used") == 1
    assert metric(compared(X), "sqnr") == pytest.approx(59.0, abs=0.05)


def test_the_window_was_moved():
    case = Case.of(X, mode="tf.fake_quant")
    assert "NUDGE-MOVED-WINDOW" in first(case)
    found = named(case, "NUDGE-MOVED-WINDOW")
    assert found.evidence["covered"] == pytest.approx((0, 0.0524912), rel=1e-5)
    assert found.evidence["requested"] == pytest.approx((0.0748544, 0.12734564))
    assert found.fixes[0].how == {"mode": "affine"}
    alone = 10 * np.log10((X**2).sum() / ((0.0524912 - X) ** 2).sum())
    assert found.fixes[0].gain_db == pytest.approx(59.0 - alone, abs=0.06)
