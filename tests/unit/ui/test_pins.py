"""What a pin keeps of a row, and the words for two of them."""

import pytest

from qviz.ui.pins import _verdict, term_label


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (0.0, "A and B are alike"),
        (-0.04, "A and B are alike"),
        (4.26, "B is better by 4.3 dB"),
        (-12.0, "A is better by 12.0 dB"),
    ],
)
def test_verdict(gain, words):
    assert _verdict(gain) == words


def test_labels():
    assert term_label("zero_point") == "Zero point"
    assert term_label("mse") == "MSE"
