"""The table of rules: what stands in the column of formulas."""

import pytest

from qviz.ui.grid.rules import coding


@pytest.mark.parametrize(
    ("formula", "tie", "shown"),
    [
        ("q = clamp(round(x / scale) + z); x' = (q - z) * scale; float64", "even",
         "clamp(round_even(x / scale) + z)"),
        ("q = clamp(round(x / scale) + z); x' = (q - z) * scale; float64", "away",
         "clamp(round_away(x / scale) + z)"),
        ("q = clamp(rint(x * s)); x' = q / s", "even", "clamp(rint(x * s))"),
        ("q = trunc(x * s)", "cut", "trunc(x * s)"),
        ("x' = (clamp(round(x / s + z)) - z) * s; real numbers", "even",
         "(clamp(round_even(x / s + z)) - z) * s"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_a_formula_names_its_rule_for_ties(formula, tie, shown):
    assert coding(formula, tie) == shown
