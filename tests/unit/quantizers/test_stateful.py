"""What every stateful object and every learning rule must keep to."""

import itertools

import numpy as np
import pytest

from qviz.pipeline.fitting import codes
from qviz.quantizers.stateful import LEARNERS, STATEFUL, Learner, Spread, Stateful
from qviz.spec import QuantSpec

SPREAD = Spread(count=1000, mean=0.1, mean_abs=0.8, std=1.0, largest=4.0)
X = np.linspace(-3, 3, 41, dtype=np.float32)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("signed", [True, False])
def test_a_learner_has_a_gradient_of_its_parameter(name, signed):
    spec, learner = codes(4, signed), LEARNERS[name]()
    assert isinstance(learner, Learner)
    assert learner.accepts(spec) is None
    start = learner.start(SPREAD, spec)
    assert start > 0
    grid = learner.quantizer(start, spec)
    found = grid.backward(X[None], np.ones((1, X.size), np.float32))
    assert found.parameters[learner.parameter].shape == (1, X.size)
    assert np.abs(grid.fake_quantize(X[None])).max() == pytest.approx(
        min(start * learner.largest(spec), 3.0), rel=0.3
    )


@pytest.mark.parametrize("name", LEARNERS)
def test_a_factor_is_positive_and_named_unless_it_is_1(name):
    value, words = LEARNERS[name]().factor(1000, codes(4, True))
    assert value > 0
    assert bool(words) == (value != 1)


@pytest.mark.parametrize("name", STATEFUL.presets)
def test_an_object_serves_8_bits_and_says_why_not_others(name):
    member = STATEFUL.make(name)
    assert isinstance(member, Stateful)
    assert member.accepts(QuantSpec(8)) is None
    assert isinstance(member.accepts(QuantSpec(12)), str)


@pytest.mark.parametrize("name", STATEFUL.presets)
def test_the_start_loses_weight(name):
    shares = [STATEFUL.make(name).start_share(n) for n in range(1, 6)]
    if shares[0] is None:
        assert shares == [None] * 5
    else:
        assert all(0 <= later <= share <= 1 for share, later in itertools.pairwise(shares))
