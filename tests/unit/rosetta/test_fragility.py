"""Flips counted by hand: ties at a step of 1, a scale that moves every code by a hair."""

import numpy as np

from qviz.rosetta import fragility as module
from qviz.rosetta.fragility import as_bfloat16, as_float16, fragility
from tests.unit.rosetta.made import ORT, QUANTIZE, TF, TORCH, every, of


def flips(given, x):
    return {flip.name: flip.flips for flip in fragility(given, np.float32(x))}


def test_ties_flip_and_nothing_else_does():
    found = flips(of(TORCH, -3, 252), [0.5, 1.5, 2.5, -0.5, 7.0, 7.1])  # scale 1, zero point 3
    assert found["ties half away from zero"] == 3  # 0.5, 2.5 and -0.5
    assert found["zero point added before rounding"] == 4  # all four ties, as 3 is odd
    assert found["division by the scale"] == found["scale in bfloat16"] == 0
    assert flips(of(QUANTIZE, -3, 252), [0.5, 1.5])["zero point added after rounding"] == 2


def test_a_scale_in_fewer_digits():
    given = of(ORT, 0, 3)  # 3/255; the last codes move by 255 * relative error of the scale
    found = flips(given, np.linspace(0, 3, 2001))
    exact = np.rint(np.float32(np.linspace(0, 3, 2001)) / np.float32(3 / 255))
    narrow = as_bfloat16(np.float32([3 / 255]))
    other = np.clip(np.rint(np.float32(np.linspace(0, 3, 2001)) / narrow), 0, 255)
    assert found["scale in bfloat16"] == (exact != other).sum() > 100
    assert found["scale in float16"] < found["scale in bfloat16"]


def test_ordinary_data_notice_next_to_nothing():
    x = np.random.default_rng(0).normal(size=100_000)
    found = flips(of(TORCH, float(x.min()), float(x.max())), x)
    assert found["ties half away from zero"] == 0
    assert found["division by the scale"] + found["scale one float32 larger"] < 10


def test_rounding_to_narrow_floats():
    assert as_bfloat16(np.float32([1.0, 1.00390625, 1.01171875])).tolist() == [1.0, 1.0, 1.015625]
    assert as_float16(np.float32([1e-8, 1e6])).tolist() == [0.0, np.inf]


def test_what_cannot_flip_and_what_is_too_much(monkeypatch):
    assert fragility(of(TF, 2, 2), np.ones(3)) == ()
    monkeypatch.setattr(module, "MOST", 4)
    monkeypatch.setattr("qviz.rosetta.comparison.MOST", 4)
    (first, *_) = fragility(of(TORCH, 0, 1), np.zeros(9))
    assert not first.exact and first.elements == 3
    assert all(flip.exact for flip in fragility(of(TORCH, 0, 1), np.zeros(4)))


def test_every_rule_can_be_audited():
    for lo_hi in ((-0.5, 2.5), (1.0, 3.0), (0.0, 0.0), (-1e-8, 1e-8)):
        for given in every(*lo_hi):
            for flip in fragility(given, np.float32([0.1, 1, 2])):
                assert 0 <= flip.flips <= 3
