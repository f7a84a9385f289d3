"""Outputs compared: elements that are not finite, sums beyond float64, and labels."""

import numpy as np
import pytest

from qviz.models.alone import Alone, Outcome, ranked
from qviz.models.outputs import accuracy_of, compared, misfit, samples_of

INF, NAN = np.inf, np.nan


def one(*values):
    return [np.array(values)]


def test_only_elements_that_are_finite_count():
    """Signal 1 + 4, error 0.25 at one of both; the masked ones are the same."""
    found = compared(one(1, 2, -INF, NAN), one(1, 2.5, -INF, NAN))
    assert found == Outcome(pytest.approx(10 * np.log10(5 / 0.25), abs=1e-12))


@pytest.mark.parametrize("values", [(1, -INF), (NAN, 2.0), (0.0, -0.0)])
def test_the_same_infinities_and_nan_are_no_loss(values):
    assert compared(one(*values), one(*values)) == Outcome(lossless=True)


@pytest.mark.parametrize(
    ("exact", "found", "lossless", "why"),
    [
        ((1, -INF), (1, INF), False, "No finite element changed"),
        ((1, 2), (1, NAN), False, "not finite where it was"),
        ((1, 2), (1, INF), False, "not finite where it was"),
        ((0, 0), (0, 1), False, "are zero"),
        ((NAN, INF), (NAN, INF), True, "No element of the output is finite"),
        ((NAN, INF), (INF, NAN), False, "No element of the output is finite"),
        ((1e-100,), (1e300,), False, "beyond float64"),
        ((1, 2), (1,), False, "another shape"),
    ],
)
def test_where_there_is_no_number_it_says_why(exact, found, lossless, why):
    made = compared(one(*exact), one(*found))
    assert made.sqnr is None and made.lossless is lossless and why in made.note


@pytest.mark.parametrize("size", [1e300, 1.0, 1e-300])
def test_sums_neither_overflow_nor_vanish(size):
    """Errors of 1/8 and 1/16 of values of 1 and 2: 5 over 5/256, at any size."""
    found = compared(one(size, 2 * size), one(1.125 * size, 2.0625 * size))
    assert found.sqnr == pytest.approx(10 * np.log10(256), abs=1e-9)


def test_what_no_number_tells_costs_most():
    rows = [
        Alone("a", "weight", "", Outcome(3.0)),
        Alone("b", "weight", "", Outcome(note="broken")),
        Alone("c", "weight", "", Outcome(lossless=True)),
    ]
    assert [row.name for row in ranked(rows)] == ["b", "a", "c"]


def test_a_single_value_is_one_sample():
    assert samples_of([np.array(3.0), np.array(4.0)]) == 2
    assert samples_of([np.zeros((3, 2)), np.zeros((1, 2))]) == 4


LOGITS = np.array([[1, 3, 2], [5, 0, 1], [0, 1, NAN], [0, 2, 9.0]])


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 1, 1), (4, 1, 1, 3)])
def test_axes_of_length_one_hide_no_class(shape):
    """Classes 1, 0 and 2; the third has no largest."""
    parts = np.split(LOGITS.reshape(shape), [3])
    assert accuracy_of(parts, np.array([1, 0, 2, 1])) == 0.5
    assert misfit(parts, np.array([1, 0, 2, 1])) == ""


@pytest.mark.parametrize(
    ("output", "labels", "why"),
    [
        (LOGITS, [0, 1, 2, 3], "Labels go from 0 to 3, columns of the output from 0 to 2."),
        (LOGITS, [0, -1, 2, 2], "Labels go from -1 to 2"),
        (LOGITS, [0, 1, 2, 2, 1], "There are 5 labels for 4 samples of the output."),
        (LOGITS[:, :1], [0, 0, 0, 0], "output is 1: no axis of classes"),
        (np.zeros((4, 3, 2)), [0, 0, 0, 0], "output is 3 x 2: no axis of classes"),
        (np.array(1.0), [0], "a single value: no axis of classes"),
    ],
)
def test_labels_that_are_not_of_the_output_say_why(output, labels, why):
    assert accuracy_of([output], np.array(labels)) is None
    assert why in misfit([output], np.array(labels))
    assert misfit([output], None) == ""
