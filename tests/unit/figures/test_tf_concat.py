import numpy as np

from qviz.dialects.tensorflow.joining import Input, Joined
from qviz.figures.tf_concat import concat_brackets
from qviz.figures.theme import LIGHT

NOTHING = np.zeros(1)


def test_requantized_inputs_are_orange_and_say_what_they_lost():
    moved = Input((0.0, 1.0), *[NOTHING] * 5, requantized=True)
    copied = Input((0.0, 9.0), *[NOTHING] * 5, requantized=False)
    rows = concat_brackets(Joined((moved, copied), (0.0, 9.0)), [(49.6, 29.0), (48, 48)], LIGHT)
    assert [row.title for row in rows] == ["Input 1", "Input 2", "Output"]
    assert [(row.lo, row.hi) for row in rows] == [(0, 1), (0, 9), (0, 9)]
    assert rows[0].detail == "49.6 dB → 29.0 dB" and rows[1].detail == "copied"
    lossless = concat_brackets(Joined((moved,), (0.0, 9.0)), [(None, 29.0)], LIGHT)
    assert lossless[0].detail == "lossless → 29.0 dB"
    assert [row.color for row in rows] == [LIGHT.band_words, LIGHT.edge, LIGHT.ink]
