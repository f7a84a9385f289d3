"""Jonah-May-OSS/wyoming-whisper-trt#1052, NVIDIA/TensorRT#4073: one hidden dimension is huge."""

import numpy as np
import pytest

from qviz.doctor import Case, examine
from qviz.spec import QuantSpec
from tests.field.asked import INT8, first, named

X = np.random.default_rng(0).standard_normal((128, 512))
X[:, 7] *= 60
X[0, 7] = 276.5
OTHERS = np.arange(512) != 7


def decibels(x, y):
    return 10 * np.log10((x**2).sum() / ((y - x) ** 2).sum())


def test_numbers():
    step = 276.5 / 127.5
    y = np.rint(X / step) * step
    assert step == pytest.approx(2.17, abs=5e-3)
    assert decibels(X, y) == pytest.approx(13.4, abs=0.05)
    assert decibels(X[:, OTHERS], y[:, OTHERS]) == pytest.approx(4.1, abs=0.05)
    own = np.abs(X).max(0) / 127
    z = np.rint(X / own) * own
    assert decibels(X, z) == pytest.approx(40.2, abs=0.05)
    assert decibels(X[:, OTHERS], z[:, OTHERS]) == pytest.approx(43.8, abs=0.05)


def test_channel_7_forces_the_step():
    case = Case.of(X, INT8, role="activation")
    assert first(case)[0] == "OUTLIER-CHANNEL"
    found = named(case, "OUTLIER-CHANNEL")
    assert found.evidence["channels"] == [7] and found.evidence["quiet_codes"] == 5
    assert found.evidence["quiet_sqnr"] == pytest.approx(4.1, abs=0.05)
    assert "number to trust" in found.message


def test_an_activation_is_not_offered_steps_per_channel():
    made = examine(Case.of(X, INT8, role="activation"))
    fixes = [fix for finding in made for fix in (*finding.fixes, *finding.tried)]
    assert fixes
    assert all(not fix.how.get("granularity", "").startswith("per_channel") for fix in fixes)
    assert {fix.measured_at for finding in made for fix in finding.fixes} == {"quiet channels"}


def test_a_weight_is_and_gains_what_its_channels_gain():
    narrow = QuantSpec(8, signed=True, symmetric=True, narrow_range=True)
    found = named(Case.of(X.T.copy(), narrow, role="weight"), "OUTLIER-CHANNEL")
    own = next(fix for fix in found.fixes if fix.how == {"granularity": "per_channel:0"})
    step = 276.5 / 127
    now = decibels(X[:, OTHERS], (np.rint(X / step) * step)[:, OTHERS])
    assert own.gain_db == pytest.approx(43.8 - now, abs=0.1)
