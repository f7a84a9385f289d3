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
        (", 1,", [1]),
        ("5-2", [2, 3, 4, 5]),
    ],
)
def test_numbers_and_ranges(text, kept):
    assert chosen_indices(text, 10).tolist() == kept


@pytest.mark.parametrize("text", ["a", "1-2-3", "-1", "1;2", "9" * 400 + "x"])
def test_anything_else_is_refused(text):
    with pytest.raises(QvizError, match="names no channel"):
        chosen_indices(text, 10)


@pytest.mark.parametrize("text", ["42", "9" * 9999, "10-20, 99"])
def test_numbers_of_which_none_is_there_say_which_are(text):
    with pytest.raises(QvizError, match=r"names no channel. They are 0 to 9."):
        chosen_indices(text, 10)


def test_huge_ends_reach_the_last():
    assert np.array_equal(chosen_indices("2-" + "9" * 300, 4), [2, 3])
