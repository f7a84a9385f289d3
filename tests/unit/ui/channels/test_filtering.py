import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.ui.channels.filtering import chosen_indices


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("3", [3]),
        ("0-2, 7", [0, 1, 2, 7]),
        (" 8 - 99 ", [8, 9]),
        ("42", []),
        (", 1,", [1]),
        ("5-2", []),
    ],
)
def test_numbers_and_ranges(text, kept):
    assert chosen_indices(text, 10).tolist() == kept


@pytest.mark.parametrize("text", ["a", "1-2-3", "-1", "1;2", "9" * 400 + "x"])
def test_anything_else_is_refused(text):
    with pytest.raises(QvizError, match="names no channel"):
        chosen_indices(text, 10)


def test_huge_numbers_name_nothing():
    assert chosen_indices("9" * 300, 10).size == 0
    assert np.array_equal(chosen_indices("2-" + "9" * 300, 4), [2, 3])
