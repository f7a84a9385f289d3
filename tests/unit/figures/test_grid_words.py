"""What the Grid page says, each finding with numbers that call for it."""

import numpy as np
import pytest

from qviz.figures.grid_words import balance, codes_said, grid_caption, grid_heading, how_sure
from qviz.quantizers.affine import typed
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec, Range
from tests.unit.figures.grids import FOUR, facts


def settled(lo, hi, x, **spec):
    target = Target.of(QuantSpec(**spec))
    quantizer = target.mode.quantizer(Range(lo, hi), target.spec)
    return facts(quantizer, (lo, hi), x, target)


X = np.linspace(-2, 2, 101)


@pytest.mark.parametrize(
    ("lo", "hi", "spec", "said"),
    [
        # step 1, -1.4 is a tie off a level: code of 0 is round(1.4) = 1
        (-1.4, 1.6, {"bits": 2}, "Asked for [−1.4, 1.6]; the grid covers [−1, 2] because zero must "
         "fall on a level"),
        (1.0, 3.0, {"bits": 2},
         "Asked for [1, 3]; the grid covers [0, 3] because it must hold zero"),
        (-1.0, 1.0, {"bits": 2, "symmetric": True, "signed": True},
         "Asked for [−1, 1]; the grid covers [−2, 1] because zero sits in the middle"),
    ],
)  # fmt: skip
def test_a_grid_that_moved(lo, hi, spec, said):
    assert grid_heading(settled(lo, hi, X, **spec)) == said


def test_a_grid_that_did_not_move_tells_the_balance():
    found = settled(-1.0, 2.0, [-1, -0.9, 0.4, 1.9], bits=2)
    assert grid_heading(found) == balance(found)
    assert grid_heading(found).startswith("Nothing is clipped: all of the error is rounding")


def test_the_balance_of_clipping_and_rounding():
    # clipped: -4 by 3 and 5 by 3, 18 in all; rounding 0.01 + 0.16 + 0.16
    share = 18 / 18.33
    found = facts()
    assert found.clipping == pytest.approx(share)
    assert balance(found) == (
        "Too much is cut off: clipping makes 98.2 % of the error, rounding 1.8 %"
    )
    even = facts(x=[-1.6, 0.5, 0.5, 0.4])  # clipped by 0.6, rounded by 0.5, 0.5 and 0.4
    assert balance(even) == "Clipping makes 35.3 % of the error, rounding 64.7 %"
    hardly = facts(x=[-1.52] + [0.5] * 40)
    assert balance(hardly).startswith("Hardly anything is cut off: clipping makes 2.63 %")


def test_nothing_lost_and_codes_wasted():
    assert balance(facts(x=[-1, 0, 2])) == "Nothing is lost: every value is a level of the grid"
    assert balance(facts(x=[0.1, 0.2, 0.3])) == "Nothing is clipped, but only 1 of 4 codes are used"
    assert codes_said(facts().totals) == ("4 of 4", "0 never used")


def test_the_caption_says_what_was_measured():
    said = grid_caption(settled(-1.4, 1.6, X, bits=2), "w, 101", "; group 2 of 3 is shown")
    assert said.startswith("w, 101, 101 values, 2-bit affine; group 2 of 3 is shown. ")
    assert "clipping makes" in said and said.endswith("Numbers are exact.")
    odd = grid_caption(facts(x=[np.nan, 1.0]), "w")
    assert odd.startswith("1 NaN among 2 values, left out.")


def test_how_sure():
    x = np.random.default_rng(0).normal(size=1_100_000)
    assert how_sure(facts(typed(0.5, 1, 0, 3), x=x).totals) == "≈: read off the sketch."
    assert how_sure(facts(FOUR).totals) == "Numbers are exact."


def test_few_elements_cannot_use_many_codes():
    # five elements in five of 256 codes waste none
    found = facts(typed(1.0, 0, 0, 255), x=[0.1, 50.2, 100.1, 150.2, 200.1])
    assert codes_said(found.totals)[0] == "5 of 256"
    assert balance(found).startswith("Nothing is clipped: all of the error is rounding")
