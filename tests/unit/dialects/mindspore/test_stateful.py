"""MindSpore's object as a member: its codes, its learned maximum, its way of being reset."""

import numpy as np
import pytest

from qviz.quantizers.stateful import LEARNERS, STATEFUL
from qviz.spec import QuantSpec

SYMMETRIC = QuantSpec(4, signed=True, symmetric=True, narrow_range=True)
READINGS = ("doc", "gpu", "ascend")


@pytest.mark.parametrize("reading", READINGS)
def test_a_maximum_is_its_own_clip_and_starts_at_max_init(reading):
    learner = LEARNERS.make(f"mindspore.learned_scale@{reading}")
    assert (learner.parameter, learner.largest(SYMMETRIC)) == ("maxq", 1)
    assert learner.start(None, SYMMETRIC) == 6.0
    grid = learner.quantizer(2.0, SYMMETRIC)
    assert grid.levels()[0].max() == 2.0


def test_without_narrow_range_negative_values_are_cut_off():
    tops = {
        reading: LEARNERS.make(f"mindspore.learned_scale@{reading}")
        .quantizer(1.0, QuantSpec(4, symmetric=True))
        .ends
        for reading in READINGS
    }
    assert tops == {"doc": (0, 16), "gpu": (0, 15), "ascend": (0, 15)}


@pytest.mark.parametrize("reading", READINGS)
def test_codes_that_are_refused(reading):
    member = STATEFUL.make(f"mindspore.default@{reading}")
    assert "4, 7 and 8 bits" in member.accepts(QuantSpec(5))
    assert member.accepts(QuantSpec(8, reduce_range=True)) is not None
    assert member.accepts(QuantSpec(4, signed=True)) is None


def test_export_is_on_the_signed_codes():
    machine = STATEFUL.make("mindspore.default@gpu").machine(QuantSpec(8))
    machine.train(True)
    after = machine.step(np.array([-1.0, 3.0], np.float32))
    assert after.quantizer.zero_point[0] == 64  # round(63.75) on codes 0 to 255
    assert (after.export.zero_point, after.export.scale) == (-64, pytest.approx(4 / 255))


def test_zeros_have_no_grid_to_go_through():
    machine = STATEFUL.make("mindspore.default@doc").machine(QuantSpec(8))
    machine.train(True)
    after = machine.step(np.zeros(3, np.float32))
    assert (after.lo, after.hi) == (0.0, 0.0)
    assert (after.quantizer.scale[0], np.isnan(after.quantizer.zero_point[0])) == (0.0, True)
    assert after.export.scale == 1.0
