"""microsoft/onnxruntime#21000, #22020, #25278: int32 biases stuck at their end."""

import numpy as np
import pytest

from qviz.doctor import Bias, Case
from tests.field.asked import NARROW, first, named

W = np.array([1e-7, -1e-7])
BIAS = np.array([5.0, -4.5])


def case(scale):
    return Case.of(bias=Bias(BIAS, 0.5, np.full(2, scale)))


def test_the_bias_overflows_and_the_floor_is_named():
    assert first(case(1e-7 / 127.5)) == ["BIAS-OVERFLOW"]
    found = named(case(1e-7 / 127.5), "BIAS-OVERFLOW").evidence
    assert found["weight_scale"] == pytest.approx([7.843e-10] * 2, rel=1e-3)
    assert found["bias_scale"] == pytest.approx([3.92e-10] * 2, rel=1e-3)
    assert found["codes"] == pytest.approx([1.275e10, -1.1475e10])
    assert found["decoded"] == pytest.approx([0.842, -0.842], abs=5e-4)
    assert found["safe_weight_scale"] == pytest.approx(4.657e-9, rel=1e-3)
    assert found["channels"] == [0, 1]


def test_raised_weight_scales_bring_the_bias_back():
    fix = named(case(1e-7 / 127.5), "BIAS-OVERFLOW").fixes[0]
    lost = 10 * np.log10((BIAS**2).sum() / ((np.array([0.8421, -0.8421]) - BIAS) ** 2).sum())
    assert fix.gain_db > 100 - lost


def test_at_the_floor_it_fits():
    assert first(case(4.66e-9)) == []


def test_scales_of_the_weight_itself():
    w = np.array([[1e-7, -1e-7] * 8, [0.5, -0.4] * 8], np.float32)
    own = Case.of(w, NARROW, granularity="per_channel:0", role="weight", bias=Bias(BIAS, 0.5))
    assert named(own, "BIAS-OVERFLOW").evidence["channels"] == [0]
    shared = Case.of(w, NARROW, role="weight", bias=Bias(BIAS, 0.5))
    assert "BIAS-OVERFLOW" not in first(shared, 9)
