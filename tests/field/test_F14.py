"""ggml-org/llama.cpp#8661: an importance matrix of zeros makes NaN blocks."""

import numpy as np
import pytest

from qviz.doctor import Case
from qviz.spec import QuantSpec
from tests.field.asked import first, named

G = np.random.default_rng(0).standard_normal(32)
INT4 = QuantSpec(4, signed=True, symmetric=True)


def test_numbers():
    w, q = np.zeros(32), np.round(G)
    with np.errstate(invalid="ignore"):
        assert np.isnan((w * G * q).sum() / (w * q * q).sum())


def test_the_block_is_flagged_and_equal_weights_are_offered():
    case = Case.of(G, INT4, importance=np.zeros(32))
    assert "ZERO-WEIGHTS" in first(case)
    found = named(case, "ZERO-WEIGHTS")
    assert found.evidence["groups"] == [0] and found.severity == "high"
    step = np.abs(G).max() / 7
    noise = ((np.clip(np.rint(G / step), -8, 7) * step - G) ** 2).sum()
    assert found.fixes[0].gain_db == pytest.approx(10 * np.log10((G**2).sum() / noise), abs=0.01)


def test_one_weight_is_enough():
    assert "ZERO-WEIGHTS" not in first(Case.of(G, INT4, importance=np.eye(32)[3]), 9)


def test_only_the_empty_block_is_named():
    weights = np.ones((2, 32))
    weights[1] = 0
    case = Case.of(np.stack([G, G]), INT4, granularity="per_group:-1:32", importance=weights)
    assert named(case, "ZERO-WEIGHTS").evidence["groups"] == [1]
