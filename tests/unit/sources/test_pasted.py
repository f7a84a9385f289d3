import time

import numpy as np
import pytest
import torch

from qviz.errors import QvizError
from qviz.sources.pasted import LONGEST, pasted


def numbers(text):
    return pasted(text).array


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1 2 3", [1, 2, 3]),
        ("1, 2\n3, 4", [[1, 2], [3, 4]]),
        ("1;2;3", [1, 2, 3]),
        ("1 2\n3", [1, 2, 3]),
        ("1\n2\n3", [1, 2, 3]),
        ("[1, 2, 3]", [1, 2, 3]),
        ("(1, 2)", [1, 2]),
        ("[[1, 2], [3, 4.5]]", [[1, 2], [3, 4.5]]),
        ("[1 2]\n[3 4]", [[1, 2], [3, 4]]),
        ("[[1]]", [[1]]),
        ("3", [3]),
        ("\u22121.5 1e-3 .5 2.", [-1.5, 0.001, 0.5, 2]),
        ("99999999999999999999", [1e20]),
    ],
)
def test_numbers_and_brackets_give_values_and_shape(text, want):
    assert numbers(text).tolist() == want


def test_whole_numbers_are_int64_and_others_float64():
    assert numbers("1 -2").dtype == np.int64
    assert numbers("1 2.5").dtype == np.float64


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1.5, -2], [3, 4]], np.float32),
        np.arange(24, dtype=np.int8).reshape(2, 3, 4),
        torch.tensor([[1.0, 2.5]], dtype=torch.bfloat16),
        torch.tensor([0.25, 3]).requires_grad_(),
    ],
)
@pytest.mark.parametrize("spell", [str, repr])
def test_printed_arrays_are_understood(array, spell):
    want = array.detach().float().numpy() if isinstance(array, torch.Tensor) else array
    assert np.array_equal(numbers(spell(array)), want)


def test_nan_and_infinity_are_numbers():
    got = numbers("nan inf -inf Infinity").tolist()
    assert np.isnan(got[0]) and got[1:] == [np.inf, -np.inf, np.inf]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1, two", "'two' is no number"),
        ("[1, 2", "not closed"),
        ("1]", "never opened"),
        ("", "no number"),
        ("[[], []]", "no number"),
        ("[[1], [2, 3]]", "unequal length"),
        ("[1, [2]]", "unequal length"),
        ("[[1. 2. ... 9.]]", "left out"),
        ("[" * 40, "too deep"),
        ("__import__('os')", "no number"),
        ("1_000", "'1_000' is no number"),
        ("1" + " " * LONGEST, "too much"),
        ("1 2\n3 -1e400", "Number 4, -1e400, lies beyond float64"),
        ("[[1], [1e400]]", "Number 2, 1e400, lies beyond float64"),
        ("9" * 400, "Number 1, 9{40}, lies beyond float64"),
    ],
)
def test_what_is_no_list_of_numbers_is_told(text, words):
    with pytest.raises(QvizError, match=words) as caught:
        numbers(text)
    assert caught.value.code == "L25"


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("1 2\n3", "unequal lengths"),
        ("1 2\n3 4", ""),
        ("1 2 3", ""),
        ("1 1e-400", "Number 2, 1e-400, is too small for float64: now 0."),
        ("[1e-400, 2]", "Number 1, 1e-400,"),
        ("0e400 0.0e-5 -0", ""),
        ("1e-320", ""),
    ],
)
def test_what_the_numbers_lost_is_said(text, about):
    said = pasted(text).about
    assert about in said and bool(said) == bool(about)


def test_what_follows_the_numbers_is_looked_for_at_the_end_alone():
    start = time.process_time()
    with pytest.raises(QvizError, match="no number"):
        numbers("array(1" + ", dtype=" * 100_000)
    assert time.process_time() - start < 1
    assert numbers("array([1, 2], dtype=int32)   \n").tolist() == [1, 2]
    with pytest.raises(QvizError) as caught:
        numbers("." * 100_000)
    assert len(str(caught.value)) < 200
