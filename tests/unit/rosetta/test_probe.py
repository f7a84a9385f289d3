"""The probe tells rules apart wherever any float32 of the range does."""

import numpy as np

from qviz.rosetta.comparison import compared
from qviz.rosetta.probe import inside, probe
from tests.unit.rosetta.made import ORT, TF, TORCH, every, of


def test_each_change_of_a_code_is_there_with_its_neighbour():
    given = of(TORCH, -128, 127)  # scale 1: codes change at the ties
    x = probe((given,))
    assert x.dtype == np.float32 and (np.diff(x) > 0).all()
    for tie in (-3.5, 0.5, 1.5, 100.5):
        at = np.searchsorted(x, np.float32(tie))
        near = given.quantizer.quantize(x[None, at - 1 : at + 2])[0]
        assert x[at] == tie and near[0] != near[2]


def test_groups_on_the_probe_are_groups_on_any_values():
    """Rules that agree on the probe agree on 200,000 random float32 of the range."""
    given = every(-0.5, 2.5)
    on_probe = compared(given, probe(given)).groups
    x = np.random.default_rng(3).uniform(-0.7, 2.7, 200_000).astype(np.float32)
    groups = {row.answer.rule.name: row.group for row in compared(given, x).rows}
    for group in on_probe:
        assert len({groups[row.answer.rule.name] for row in group}) == 1


def test_values_outside_are_left_out():
    assert inside(np.float32([-2, -1, 0, 1, 2]), -1, 1.5).tolist() == [-1, 0, 1]
    assert probe(()).tolist() == [0]
    assert probe((of(TF, 0, 0),)).tolist() == [0]
    assert np.isfinite(probe((of(ORT, -3e38, 3e38),))).all()
