"""qualcomm/aimet#4053: offset -215 of an int8 activation is another convention, no mistake."""

import numpy as np
import pytest

from qviz.doctor import Case, examine
from qviz.rosetta.answers import answer
from qviz.rosetta.conventions.base import expressed
from qviz.rosetta.ruleset import rule_called
from qviz.spec import QuantSpec
from tests.field.asked import compared

LO, HI = -41.42207336425781, 7.706432342529297
X = np.random.default_rng(0).uniform(LO, HI, 5000)
X[:2] = LO, HI


def test_numbers():
    unsigned, signed = compared(X), compared(X, spec=QuantSpec(8, signed=True))
    assert unsigned.scale == pytest.approx(0.1926608, abs=5e-8)
    assert (unsigned.zero_point, signed.zero_point) == (215, 87)


def test_the_same_grid_in_the_conventions():
    said = expressed(answer(rule_called("affine uint8"), LO, HI))
    assert "-215" in said["aimet"].text
    assert any("215" in one.text for name, one in said.items() if name != "aimet")


def test_nothing_is_wrong():
    assert all(finding.severity == "note" for finding in examine(Case.of(X)))
