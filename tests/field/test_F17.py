"""rockchip-linux/rknn-toolkit#121: depthwise layers lose most under one step."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import INT8, NARROW, compared, first, metric, named

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


def test_steps_along_the_other_axis_are_the_wrong_ones():
    case = Case.of(W, INT8, granularity="per_channel:1")
    assert first(case)[0] == "WRONG-AXIS"
    found = named(case, "WRONG-AXIS")
    columns, rows = (np.abs(W).max(axis) for axis in (0, 1))
    spread = [v.max() / np.median(v) for v in (rows, columns)]
    assert found.evidence["spread"] == pytest.approx(spread)
    assert spread == pytest.approx([43.8, 2.80], rel=2e-3)
    assert "2.805 times" in found.message and "43.78 times" in found.message
    assert found.fixes[0].how == {"granularity": "per_channel:0"}

    def whole(step):
        y = np.clip(np.rint(W / step), -128, 127) * step
        return 10 * np.log10((W**2).sum() / ((y - W) ** 2).sum())

    gain = whole(rows[:, None] / 127) - whole(columns / 127)
    assert found.fixes[0].gain_db == pytest.approx(gain, abs=1e-6)
    assert found.severity == "medium"
    assert "WRONG-AXIS" not in first(Case.of(W, INT8, granularity="per_channel:0"), 9)
