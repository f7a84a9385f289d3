"""Steps of two rules side by side."""

from qviz.figures.rosetta_steps import step_rows
from qviz.rosetta.divergence import divergence
from qviz.rosetta.probe import inside, probe
from tests.unit.rosetta.made import ORT, QINT8, TF, TORCH, of


def rows(a, b, lo, hi):
    one, other = of(a, lo, hi), of(b, lo, hi)
    x = inside(probe((one, other)), lo, hi)
    return {row[0]: row[1:] for row in step_rows(one, other, divergence(one, other, x))}


def test_the_tie():
    found = rows(TORCH, TF, -0.5, 2.5)
    assert found["Range"] == ("[−0.5, 2.5]", "[−0.5, 2.5]", "=")
    assert found["Scale"] == ("0.0117647061", "0.0117647061", "=")
    assert found["Zero point before rounding"] == ("42.5", "42.5", "=")
    assert found["Rounded"] == ("42", "43", "◀ first difference")
    assert found["Zero point"] == ("42", "43", "≠")
    assert found["Steps from zero"] == ("−42 … 213", "−43 … 212", "≠")
    assert found["Values"] == ("[−0.49412, 2.5059]", "[−0.50588, 2.4941]", "≠")
    assert "Widened" not in found


def test_numbers_are_printed_until_they_differ():
    found = rows(TORCH, ORT, -1, 1)
    assert found["Zero point before rounding"] == ("127.499992", "127.5", "◀ first difference")
    assert found["Range"][2] == "="


def test_what_is_gone_again_and_what_comes_out():
    found = rows(QINT8, "nvidia.amax int8 sym. narrow", 1, 3)
    assert found["Widened"] == ("[0, 3]", "[1, 3]", "≠ without effect")
    assert found["Scale before its floor"][2] == "◀ first difference"
    assert rows(TORCH, TF, 0, 0)["What comes out"] == ("values", "zeros", "≠")
    assert rows(TORCH, "tf.min_combined uint8", 0, 1)["Steps from zero"][1] == "–"
