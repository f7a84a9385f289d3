"""rockchip-linux/rknn-toolkit#121: depthwise layers lose most under one step."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import NARROW, compared, first, metric, named

W = np.random.default_rng(0).standard_normal((32, 9)) * np.logspace(-3, 0, 32)[:, None]


def sqnr(y):
    return 10 * np.log10((W**2).sum(1) / ((y - W) ** 2).sum(1))


def test_numbers():
    step = np.abs(W).max() / 127
    y = np.rint(W / step) * step
    assert metric(compared(W, spec=NARROW), "sqnr") == pytest.approx(35.0, abs=0.05)
    assert sqnr(y).min() == pytest.approx(0, abs=1e-9)
    assert (~y.any(1)).sum() == 8 and (sqnr(y) < 10).sum() == 15
    own = np.abs(W).max(1, keepdims=True) / 127
    assert sqnr(np.rint(W / own) * own).min() == pytest.approx(44.3, abs=0.05)


def test_the_worst_channel_and_the_number_of_bad_ones():
    case = Case.of(W, NARROW, role="weight")
    assert "MIXED-RANGES" in first(case)
    found = named(case, "MIXED-RANGES")
    assert found.evidence["below_10_db"] == 15 and found.evidence["erased"] == 8
    assert found.evidence["worst_sqnr"] == pytest.approx(0, abs=1e-9)
    amax = np.abs(W).max(1)
    assert found.evidence["ratio"] == pytest.approx(amax.max() / np.median(amax))
    assert found.fixes[0].how == {"granularity": "per_channel:0"}
    assert found.fixes[0].gain_db > 15
