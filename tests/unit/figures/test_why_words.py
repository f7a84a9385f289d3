"""The verdict on one element in words."""

import numpy as np
import pytest

from qviz.figures.why_words import camps, why_caption, why_heading
from qviz.quantizers.affine import typed
from tests.unit.figures.grids import why


def test_a_tie_counts_the_camps():
    found = why()
    sizes = {}
    for answer in found.answers:
        key = round(answer.result, 4)
        sizes[key] = sizes.get(key, 0) + 1
    shown = camps(found)
    assert sum(len(camp.rules) for camp in shown) == len(found.answers)
    first, second = shown[:2]
    assert len(first.rules) == max(sizes.values())
    rest = len(found.answers) - len(first.rules) - len(second.rules)
    assert why_heading(found) == (
        f"Element 4,217 is exactly half-way: {len(first.rules)} rules give 0.05882, "
        f"{len(second.rules)} give 0.04706, {rest} something else"
    )


def test_where_a_plain_value_lands():
    found = why(0.7)  # 59.5 steps and zero point 42.5: 60 of 59.5 is a tie for some, not in float32
    lands = why(0.703)
    alike = sum(abs(a.result - lands.chosen.result) < 1e-4 for a in lands.answers)
    heading = why_heading(lands)
    assert heading.startswith(
        f"Element 4,217 comes back as 0.7059 in {alike} of {len(lands.answers)}"
    )
    assert heading.endswith("step from the boundary") and found.element.index == 4217


def test_clipped_by_how_much():
    assert why_heading(why(9.0, quantizer=typed(1.0, 0, 0, 3))) == (
        "Element 4,217 is clipped: 6 steps beyond the last level"
    )


@pytest.mark.parametrize(("x", "word"), [(np.nan, "NaN"), (np.inf, "infinite")])
def test_what_is_not_finite(x, word):
    found = why(x)
    some = sum(a.result is not None for a in found.answers)
    assert why_heading(found) == (
        f"Element 4,217 is {word}: {some} of {len(found.answers)} rules make a number of it"
    )


def test_the_caption():
    said = why_caption(why())
    assert said.startswith(
        "x = 0.052941177 on the range [−0.5, 2.5], codes 0 to 255; one step is 0.01176, so x is "
        "4.5000000 steps from 0. Uniform: code 47, which comes back as 0.05882353"
    )
    assert said.endswith("Its boundary is 0.052941177, exactly this value.")
    near = np.nextafter(np.float32(0.052941177), np.float32(0))
    assert "x lies 1 float32 value below it" in why_caption(why(near))
    assert "x = NaN on" in why_caption(why(np.nan))
    assert "float32 values" not in why_caption(why(0.05))
