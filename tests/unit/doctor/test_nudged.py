"""A range without a width has no steps by which its ends could have moved."""

import numpy as np
import pytest

from qviz.doctor import Case, examine

NUDGED = {"NUDGED-ENDS", "NUDGE-MOVED-WINDOW"}


def fired(x, mode):
    return NUDGED & {finding.rule for finding in examine(Case.of(x, mode=mode))}


@pytest.mark.parametrize("mode", ["tf.fake_quant", "tf.fake_quant@doc", "mindspore.default@gpu"])
def test_no_step_is_no_move(mode):
    assert fired(np.zeros((4, 4)), mode) == set()
    assert fired(np.full(9, 1e-45, np.float32), mode) == set()


def test_a_window_of_steps_still_moves():
    assert fired(np.linspace(1, 3, 99), "tf.fake_quant") == {"NUDGE-MOVED-WINDOW"}
    assert fired(np.linspace(-1, 3.002, 99), "tf.fake_quant") == {"NUDGED-ENDS"}
