"""The verdict on one element in words."""

import numpy as np
import pytest

from qviz.figures.why_words import camps, cell, why_caption, why_heading
from qviz.pipeline.element import Element, explain
from qviz.quantizers.affine import typed
from qviz.quantizers.base import Target
from qviz.spec import Range
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


def test_results_that_a_wide_step_hides_are_told_apart():
    x = np.float64([-300, 3e38, 1e-40])
    found = explain(Element.of(x[2:], 2), Range(-300.0, 3e38), Target.of())
    nought, lowest = (sum(a.result == v for a in found.answers) for v in (0.0, -300.0))
    assert nought > 1 < lowest and nought + lowest == len(found.answers)
    assert why_heading(found) == (
        f"Element 2 comes back as 0 in {nought} of {len(found.answers)} rules and within 0.01 step "
        f"of it in {lowest}, 0.5 step from the boundary"
    )
    assert "so x is 8.5×10⁻⁷⁷ steps from 0." in why_caption(found)


@pytest.mark.parametrize(
    ("x", "sent"), [(0.5, "down"), (1.5, "up"), (2.5, "down"), (-0.5, "up"), (-1.5, "down")]
)
def test_on_an_exact_tie_the_caption_agrees(x, sent):
    # scale 1 and zero point 3: half to even sends 0.5 to 0, 1.5 to 2, -0.5 to 0
    found = why(x, -3, 252)
    assert "is exactly half-way" in why_heading(found)
    at = f"{x:g}".replace("-", "−")
    assert why_caption(found).endswith(
        f"The boundary is {at}, x is on it: a tie, and this rule sends it {sent}."
    )


def test_a_tie_of_float32_alone_names_its_quotient():
    near = why(np.nextafter(np.float32(0.052941177), np.float32(0)))
    assert not near.tie and why_caption(near).endswith("1 float32 value below it.")
    after = why(0.029411766678094864)  # one float32 beyond 2.5 steps of 3 / 255
    assert why_caption(after).endswith(
        "x lies 1 float32 value above it, and on it by x ÷ s in float32."
    )
    # 255 / 3 does not hit 4.5 steps in float64: the boundary is x itself there
    assert why_caption(why()).endswith("exactly this value.")


def test_minus_zero_and_numbers_in_a_table():
    assert why_caption(why(-0.0)).startswith("x = −0 on the range")
    assert "so x is 0 steps from 0." in why_caption(why(-0.0))
    assert "so x is −85.000000 steps" in why_caption(why(-1.0, -1.0, 2.0))
    assert (cell(3e38, 7), cell(-1e-40, 3), cell(None, 3)) == ("3×10³⁸", "−10⁻⁴⁰", "–")
    assert (cell(0.0, 3), cell(-0.0, 3)) == ("0", "−0")


def test_a_whole_number_that_was_rounded_says_so():
    found = explain(Element.of(np.int64([2**53 + 1])), Range(0.0, 1e16), Target.of())
    said = why_caption(found)
    assert "9.00719925×10¹⁵ (9,007,199,254,740,993, rounded to float64)" in said
    held = explain(Element.of(np.int64([2**53])), Range(0.0, 1e16), Target.of())
    assert "rounded to" not in why_caption(held)
