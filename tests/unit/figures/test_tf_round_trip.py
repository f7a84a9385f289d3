import numpy as np

from qviz.dialects.tensorflow.versions import Version
from qviz.figures.tf_round_trip import round_trip_figure
from qviz.figures.theme import DASHES, LIGHT
from tests.unit.figures.small import drawable, payload, texts

X = np.linspace(-2, 2, 5, dtype=np.float32)
BACK = np.float32([-1, -1, 0, 1, 1])
ONE, MASK = np.ones(5, np.float32), np.float32([0, 1, 1, 1, 0])
V2 = Version("V2", None, (-1.008, 1), 127, 1 / 127, BACK, ONE)
V3 = Version("V3", None, (-1.008, 1), 127, 1 / 127, BACK, ONE)
V4 = Version("V4", None, (-1.008, 1), 127, 1 / 127, BACK, MASK)


def test_one_curve_and_a_gradient_per_kind():
    figure = drawable(round_trip_figure(X, [V2, V3, V4], (-1, 1), LIGHT))
    identity, curve, straight, masked = figure["data"]
    assert list(identity["x"]) == list(identity["y"]) == [-2, 2]
    assert curve["y"].tolist() == BACK.tolist()
    assert straight["y"].tolist() == ONE.tolist() and masked["y"].tolist() == MASK.tolist()
    assert (straight["line"]["dash"], masked["line"]["dash"]) == DASHES[:2]
    assert texts(figure) == ["<b>V2 and V3</b>", "<b>V4</b>"]
    assert [s["x0"] for s in figure["layout"]["shapes"]] == [-1, 1]


def test_refused_versions_are_left_out():
    refused = Version("V2", refused="no range for an axis")
    figure = round_trip_figure(X, [refused, V4], (0, 0), LIGHT)
    assert texts(figure) == ["<b>V4</b>"]
    assert len(figure["layout"]["shapes"]) == 1
    assert len(drawable(round_trip_figure(X, [refused], (0, 0), LIGHT))["data"]) == 1


def test_it_stays_small():
    many = np.linspace(-2, 2, 801, dtype=np.float32)
    one = Version("V2", None, (-1, 1), 1, 1, many, many)
    other = Version("V4", None, (-1, 1), 1, 1, many, -many)
    assert payload(round_trip_figure(many, [one, other], (-1, 1), LIGHT)) < 48_000
