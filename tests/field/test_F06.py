"""microsoft/onnxruntime#25823: encoded with zero point 127, decoded with 128."""

import numpy as np
import pytest

from qviz.doctor import Case, Given
from qviz.spec import QuantSpec
from tests.field.asked import first, named

X = np.random.default_rng(0).uniform(-1, 1, 100_000)
TWO = {127: (np.abs(X).max() / 127, 254), 128: (np.abs(X).max() / 127, 255)}


def codes(zero):
    scale, high = TWO[zero]
    return np.clip(np.rint(X / scale) + zero, 0, high), scale


def sqnr(q, scale, zero):
    return 10 * np.log10((X**2).sum() / (((q - zero) * scale - X) ** 2).sum())


def case(zero):
    q, scale = codes(127)
    spec = QuantSpec(8, symmetric=True, quant_min=0, quant_max=254)
    return Case.of(X, spec, codes=q, given=Given.of(scale, zero, (0, 254)))


def test_numbers():
    q, scale = codes(127)
    assert sqnr(q, scale, 127) == pytest.approx(48.06, abs=0.02)
    assert sqnr(q, scale, 128) == pytest.approx(36.94, abs=0.02)
    assert ((q - 128) * scale - X).mean() == pytest.approx(-0.00787, abs=5e-5)


def test_the_mean_error_is_one_step():
    assert "BIAS-ONE-STEP" in first(case(128))
    found = named(case(128), "BIAS-ONE-STEP")
    assert found.evidence["mean_error_steps"] == pytest.approx(-1, abs=0.01)
    assert found.evidence["fitting_zero_point"] == 127
    assert found.fixes[0].gain_db == pytest.approx(48.06 - 36.94, abs=0.03)


def test_with_its_own_zero_point_it_is_no_finding():
    assert "BIAS-ONE-STEP" not in first(case(127), 9)
