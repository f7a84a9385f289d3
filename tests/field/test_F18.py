"""NVIDIA/TensorRT#2628, NVIDIA/Model-Optimizer#729: one NaN in calibration data."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import compared, first, named

X = np.random.default_rng(0).standard_normal(1000)
X[3] = np.nan


def test_numbers():
    assert np.isnan(X.max())
    assert np.nanmax(X) == pytest.approx(3.066, abs=5e-4)
    assert compared(X).scale == pytest.approx(0.02732, abs=5e-6)


def test_the_element_is_named_and_the_range_without_it():
    assert first(Case.of(X))[0] == "NON-FINITE"
    found = named(Case.of(X), "NON-FINITE")
    assert (found.evidence["index"], found.evidence["batch"]) == (3, 0)
    assert found.evidence["finite_max"] == pytest.approx(3.066, abs=5e-4)
    assert found.evidence["finite_scale"] == pytest.approx(0.02732, abs=5e-6)
    assert found.message.startswith("1 NaN (0 allowed), the first at flat index 3 (batch 0)")


def test_an_observer_that_keeps_nan_is_mended():
    found = named(Case.of(X, observer="torch.minmax", mode="torch.affine"), "NON-FINITE")
    assert [fix.how for fix in found.fixes] == [{"observer": "minmax"}]


def test_the_second_batch_is_told():
    found = named(Case.of([np.ones(10), X]), "NON-FINITE")
    assert (found.evidence["index"], found.evidence["batch"]) == (13, 1)
