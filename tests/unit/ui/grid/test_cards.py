"""The six cards, on values worked by hand."""

import numpy as np

from qviz.quantizers.affine import typed
from qviz.ui.grid.cards import card_texts
from tests.unit.figures.grids import facts


def texts(found):
    return {label: (value, below) for label, value, below, _ in card_texts(found)}


def test_exact_values():
    # codes of 1 around zero point 1: -4 and 5 are clipped by 3 each; squares 18 + 0.33
    found = texts(facts())
    energy = np.sum(np.float64([16, 1, 0.81, 0, 0.16, 0.36, 25]))
    assert found["SQNR"] == (f"{10 * np.log10(energy / 18.33):.2f} dB", "exact")
    assert found["Step"] == ("1", "zero point 1")
    assert found["Clipped"] == ("28.6 %", "2 values")
    assert found["Error by clipping"] == ("98.2 %", "rounding 1.8 %")
    assert found["Codes used"] == ("4 of 4", "0 never used")
    assert found["Largest error"] == ("3", "3 steps")


def test_nothing_lost_and_nothing_there():
    found = texts(facts(x=[0, 1]))
    assert found["SQNR"][0] == "lossless"
    assert found["Error by clipping"] == ("–", "no error")
    assert found["Codes used"] == ("2 of 4", "2 never used")
    assert texts(facts(x=[0, 0]))["SQNR"][0] in ("–", "lossless")


def test_what_is_read_off_the_sketch_says_so():
    x = np.random.default_rng(0).normal(size=1_100_000)
    found = texts(facts(typed(0.5, 4, 0, 7), x=x))
    assert found["SQNR"][0].startswith("≈ ") and found["SQNR"][1] == "read off the sketch"
    assert found["Codes used"][0] == "≈ 8 of 8"
    assert found["Step"][0] == "0.5"
