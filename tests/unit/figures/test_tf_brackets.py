import numpy as np

from qviz.figures.bins import Bins
from qviz.figures.tf_brackets import NARROWEST, Bracket, brackets, view
from qviz.figures.theme import DARK, LIGHT
from tests.unit.figures.small import drawable, payload

BLUE = LIGHT.highlights[0]
ROWS = [
    Bracket("You asked for", -0.5, 2.5, LIGHT.edge, bold=False),
    Bracket("SCALED", -2.52, 2.5, BLUE, "153 codes, 45.9 dB", "step 0.0197"),
    Bracket("SCALED (doc)", -2.5, 2.5, BLUE, bold=False, dashed=True),
    Bracket("<fake>", 0, 0, BLUE, refused="fake_quant has unsigned codes only, and no others"),
]
BINS = Bins(np.linspace(-3, 3, 257), np.arange(256.0))


def lines(figure):
    return [t for t in figure["data"] if t["mode"] == "lines+markers"]


def test_a_bracket_runs_from_end_to_end_in_its_colour():
    figure = brackets(BINS, ROWS, (-0.5, 2.5), LIGHT)
    assert [t["x"] for t in lines(figure)] == [[-0.5, 2.5], [-2.52, 2.5], [-2.5, 2.5]]
    assert [t["y"] for t in lines(figure)] == [[0, 0], [1, 1], [2, 2]]
    assert [t["line"]["dash"] for t in lines(figure)] == ["solid", "solid", "dot"]
    assert lines(figure)[1]["line"]["color"] == BLUE
    assert lines(figure)[1]["hovertext"] == "step 0.0197"
    drawable(figure)


def test_numbers_stand_outside_the_ends():
    figure = brackets(BINS, ROWS, (-0.5, 2.5), LIGHT)
    left, right = (t for t in figure["data"] if t["mode"] == "text" and "xaxis" not in t)
    assert (left["textposition"], right["textposition"]) == ("middle left", "middle right")
    assert [text.strip() for text in left["text"]] == ["−0.5", "−2.52", "−2.5"]
    assert [text.strip() for text in right["text"]] == ["2.5"] * 3
    start, end = figure["layout"]["xaxis"]["range"]
    pixels = NARROWEST / (end - start)
    assert (-2.52 - start) * pixels > 7 * len("−2.52") and (end - 2.5) * pixels > 7 * 3


def test_a_long_number_keeps_away_from_the_name():
    # seven pixels a character, and room for half a tick, a blank and some air
    rows = [Bracket("fake_quant", -0.506, 2.494, BLUE)]
    start, end = view(rows, (-0.5, 2.5))
    assert (-0.506 - start) * NARROWEST / (end - start) > 7 * len("−0.506") + 9


def test_second_lines_refusals_and_foreign_names():
    figure = brackets(BINS, ROWS, (-0.5, 2.5), LIGHT)
    names = figure["layout"]["yaxis2"]["ticktext"]
    assert names[0] == "You asked for"
    assert names[1].startswith("<b>SCALED</b><br>") and "153 codes, 45.9 dB" in names[1]
    assert "&lt;fake&gt;" in names[3] and LIGHT.muted in names[3]
    (refused,) = figure["layout"]["annotations"]
    assert (refused["text"], refused["y"]) == ("<i>does not apply: see below</i>", 3)
    assert refused["hovertext"] == "fake_quant has unsigned codes only, and no others"
    assert refused["bgcolor"] == LIGHT.background  # the dotted lines do not cross the words
    assert 6.5 * len("does not apply: see below") < NARROWEST


def test_dotted_lines_at_the_request_and_one_at_zero():
    shapes = brackets(BINS, ROWS, (-0.5, 2.5), LIGHT)["layout"]["shapes"]
    assert sorted(s["x0"] for s in shapes) == [-0.5, 0, 2.5]
    assert {s["line"].get("dash") for s in shapes if s["x0"]} == {"dot"}
    above = brackets(BINS, ROWS[:1], (5.0, 9.0), LIGHT)["layout"]
    assert 0 not in [s["x0"] for s in brackets(None, [], (5.0, 9.0), LIGHT)["layout"]["shapes"]]
    assert above["xaxis"]["range"][0] < -0.5


def test_the_histogram_is_linear_and_may_be_absent():
    figure = brackets(BINS, ROWS, (-0.5, 2.5), DARK)
    assert figure["data"][0]["y"].tolist() == [*range(256), 255]
    assert (figure["data"][0]["x0"], figure["data"][0]["dx"]) == (-3, 6 / 256)
    bare = brackets(None, ROWS, (-0.5, 2.5), DARK)
    assert len(bare["data"]) == len(figure["data"]) - 1
    assert bare["layout"]["height"] < figure["layout"]["height"]


def test_a_view_without_width():
    lo, hi = view([], (0.0, 0.0))
    assert lo < 0 < hi
    assert drawable(brackets(None, [Bracket("a", 2, 2, BLUE)], (2.0, 2.0), LIGHT))


def test_nine_modes_stay_small():
    many = [Bracket(f"mode {i}", -i, i + 1, BLUE, "255 codes, 50.4 dB", "x" * 90) for i in range(9)]
    assert payload(brackets(BINS, many, (-0.5, 2.5), LIGHT)) < 17_000
