import numpy as np

from qviz.figures.decision import why_this_range
from qviz.figures.theme import LIGHT
from qviz.observers.base import Decision
from tests.unit.figures.small import drawable, payload, texts

X = np.linspace(1, 9, 2001)
CURVES = {"error": (X - 4) ** 2, "clipping": 1 / X, "rounding": X * X}


def decision(chosen=(4.0,), marks=None, **more):
    return Decision("clip", "MSE, units²", X, CURVES, chosen, "words", marks or {}, **more)


def test_curves_are_thinned_and_titled():
    figure = why_this_range(decision(), LIGHT, "MSE search")
    *lines, _ = figure["data"]
    assert len(lines) == 3
    assert all(line["x"].size <= 400 and line["x"].dtype == np.float32 for line in lines)
    assert figure["layout"]["xaxis"]["title"]["text"] == "clip"
    assert figure["layout"]["yaxis"]["title"]["text"] == "MSE, units²"
    assert "<b>MSE search</b>" in texts(figure)
    assert payload(figure) < 30_000
    drawable(figure)


def test_the_best_point_survives_thinning():
    y = np.where(np.arange(2001) == 777, -1.0, 1.0)
    sharp = Decision("x", "y", X, {"error": y}, (float(X[777]),), "words")
    line, dot = why_this_range(sharp, LIGHT, "x")["data"]
    assert -1.0 in line["y"]
    assert dot["y"] == [-1.0]


def test_the_chosen_place_is_marked_on_the_main_curve_and_written():
    figure = why_this_range(decision(), LIGHT, "MSE search")
    dots = figure["data"][-1]
    assert dots["x"] == [4.0]
    assert abs(dots["y"][0]) < 1e-3
    assert dots["marker"]["color"] == LIGHT.highlights[0]
    assert "<b>chosen: 4</b>" in texts(figure)


def test_clipping_and_rounding_have_their_colours():
    rounding, clipping, error, _ = why_this_range(decision(), LIGHT, "x")["data"]
    assert clipping["line"]["color"] == LIGHT.band_words
    assert rounding["line"]["dash"] == "dash"
    assert error["line"]["color"] == LIGHT.ink


def test_two_chosen_places_are_told_apart():
    figure = why_this_range(decision((4.0, 4.0001)), LIGHT, "x")
    assert {"<b>chosen: 4</b>", "<b>chosen: 4.0001</b>"} <= set(texts(figure))


def test_marks_are_dotted_and_named_and_name_the_place_they_fall_on():
    figure = why_this_range(decision((4.0,), {"threshold": 2.0, "hi": 4.0}), LIGHT, "x")
    assert {"threshold 2", "<b>hi 4</b>"} <= set(texts(figure))
    dashes = [shape["line"]["dash"] for shape in figure["layout"]["shapes"]]
    assert sorted(dashes) == ["dot", "solid"]


def test_what_an_axis_cannot_show_is_left_out():
    holes = np.where(X > 8, np.nan, X - 1)
    odd = Decision("x", "y", X, {"a": holes, "b": X * np.inf}, (2.0,), "words", log_y=True)
    figure = why_this_range(odd, LIGHT, "x")
    line = figure["data"][0]
    assert line["y"].min() > 0 and len(figure["data"]) == 2
    assert figure["layout"]["yaxis"]["type"] == "log"
    drawable(figure)


def test_a_logarithmic_x_axis_places_words_by_the_logarithm():
    figure = why_this_range(decision((3.0,), log_x=True), LIGHT, "x")
    low, high = figure["layout"]["xaxis"]["range"]
    (upright,) = figure["layout"]["shapes"]
    assert np.isclose(low + upright["x0"] * (high - low), np.log10(3))


def test_a_decision_without_curves_still_draws():
    empty = Decision("x", "y", np.zeros(0), {}, (), "words")
    figure = why_this_range(empty, LIGHT, "x")
    assert figure["data"] == []
    drawable(figure)
