import numpy as np
import pytest

from qviz.figures.bins import Bins, linear_bins
from qviz.figures.ranges import Bar, observer_ranges
from qviz.figures.theme import DARK, LIGHT
from qviz.stats.cells import Cells
from qviz.stats.minmax import MinMax
from tests.unit.figures.small import drawable, payload, texts

VIEW = Bins(np.linspace(-10, 10, 513), np.arange(512.0))
FIRST = Bar("MSE search", -4, 4, -4, 4, 12.74, "12.7", "mse")
SECOND = Bar("Percentile 99.9", -6, 40, -6, 40, 11.0, "11.0", "percentile")
WIDE = Bar("MinMax", -50, 50, -50, 50, 0.5, "0.5", "minmax")
SHY = Bar("TI percentile", 0, 0, 0, 0, None, "–", "ti", refused="per tensor only")
ROWS = (FIRST, SECOND, WIDE, SHY)


def made(highlights=("mse", "minmax"), rows=ROWS, **more):
    return observer_ranges(VIEW, rows, list(highlights), LIGHT, **more)


def parts(figure):
    """Histogram, lines, ends, values, refusals."""
    return figure["data"]


def facts(values):
    return MinMax().of(np.asarray([values], np.float32), None)


def test_lines_reach_from_bound_to_bound_in_the_order_given():
    _, lines, *_ = parts(made())
    assert lines["base"] == [-4, -6, -50]
    assert lines["x"] == [8, 46, 100]
    assert lines["y"] == [0, 1, 2]
    names = made()["layout"]["yaxis2"]["ticktext"]
    assert names[1] == "Percentile 99.9"
    assert made()["layout"]["yaxis2"]["range"] == [3.5, -0.5]


def test_only_highlights_are_coloured_and_bold():
    figure = made()
    blue, orange, *_ = LIGHT.highlights
    assert parts(figure)[1]["marker"]["color"] == [blue, LIGHT.rest, orange]
    names = figure["layout"]["yaxis2"]["ticktext"]
    assert [("<b" in name, blue in name) for name in names] == [
        (True, True),
        (False, False),
        (True, False),
        (False, False),
    ]
    assert parts(figure)[3]["textfont"]["color"] == [blue, LIGHT.muted, orange, LIGHT.muted]


def test_a_fifth_highlight_stays_grey():
    rows = [Bar(f"r{i}", -1, 1, -1, 1, 1.0, "1.0", f"r{i}") for i in range(5)]
    figure = made([row.spelling for row in rows], rows)
    assert parts(figure)[1]["marker"]["color"] == [*LIGHT.highlights, LIGHT.rest]


def test_a_bound_outside_the_view_ends_in_an_arrow_head_at_the_frame():
    ends = parts(made())[2]
    assert ends["x"] == [-4, 4, -6, 10, -10, 10]
    assert ends["marker"]["symbol"] == ["line-ns"] * 3 + ["arrow"] * 3
    assert ends["marker"]["angle"] == [0, 0, 0, 90, -90, 90]


def test_clicks_find_the_row():
    _, lines, ends, *_ = parts(made())
    assert lines["customdata"] == ["mse", "percentile", "minmax"]
    assert ends["customdata"] == [name for name in lines["customdata"] for _ in "lh"]


def test_values_stand_at_the_right_end_under_their_metric():
    figure = made()
    values = parts(figure)[3]
    assert [text.strip() for text in values["text"]] == ["12.7", "11.0", "0.5", ""]
    assert set(values["x"]) == {1.0} and values["xaxis"] == "x2"
    assert "SQNR, dB" in texts(figure)
    assert "MSE, units²" in texts(made(metric="mse"))


def test_refused_rows_give_their_reason_and_no_line():
    refusals = parts(made())[4]
    assert refusals["text"] == ["<i>per tensor only</i>"]
    assert refusals["y"] == [3]
    long = Bar("x", 0, 0, 0, 0, None, "–", "x", refused="one two three four five six seven eight")
    (short,) = parts(made(rows=[long]))[-1]["text"]
    assert short == "<i>one two three four five six …</i>"


def test_clip_lines_are_drawn_for_bounds_inside_the_view_only():
    uprights = [s for s in made(["percentile"])["layout"]["shapes"] if s["type"] == "line"]
    assert {s["x0"] for s in uprights} == {-6}
    both = [s for s in made(["percentile", "mse"])["layout"]["shapes"] if s["type"] == "line"]
    looks = {(s["x0"], s["line"]["color"], s["line"]["dash"]) for s in both}
    blue, orange, *_ = LIGHT.highlights
    assert looks == {(-6, blue, "solid"), (-4, orange, "dash"), (4, orange, "dash")}


def test_what_the_first_highlight_clips_is_shaded_and_named():
    figure = made(["mse", "minmax"])
    bands = [s for s in figure["layout"]["shapes"] if s["type"] == "rect"]
    assert [(b["x0"], b["x1"]) for b in bands] == [(-10, -4), (4, 10)]
    assert "clipped by MSE search" in texts(figure)


def test_nothing_is_shaded_where_nothing_in_view_is_clipped():
    figure = made(["minmax"])
    assert not [s for s in figure["layout"]["shapes"] if s["type"] == "rect"]
    assert not [text for text in texts(figure) if "clipped" in text]
    assert not made([])["layout"]["shapes"]


def test_brackets_show_a_grid_that_covers_something_else():
    moved = Bar("MSE search", -4, 4, -3, 5, 12.7, "12.7", "mse")
    paths = [s for s in made(["mse"], [moved])["layout"]["shapes"] if s["type"] == "path"]
    assert len(paths) == 2
    assert "L-3," in paths[0]["path"] and "L5," in paths[1]["path"]
    bands = [s for s in made(["mse"], [moved])["layout"]["shapes"] if s["type"] == "rect"]
    assert [(b["x0"], b["x1"]) for b in bands] == [(-10, -3), (5, 10)]
    assert not [s for s in made()["layout"]["shapes"] if s["type"] == "path"]


@pytest.mark.parametrize(
    ("values", "lines"),
    [([-9, 1, 9], 0), ([-1, 1, 9], 2), ([-9, 0, 9], 2), ([1, 2, 9], 2)],
    ids=["mirrored", "lopsided", "many zeros", "one sign"],
)
def test_zero_has_a_line_where_it_matters(values, lines):
    shapes = made([], facts=facts(values))["layout"]["shapes"]
    assert len([s for s in shapes if s["x0"] == s["x1"] == 0]) == lines


def test_panels_share_the_x_axis_and_do_not_overlap():
    figure = made()
    layout = figure["layout"]
    assert layout["yaxis"]["domain"][0] > layout["yaxis2"]["domain"][1]
    assert layout["xaxis"]["range"] == [-10, 10]
    assert layout["xaxis"]["title"]["text"] == "tensor value"
    assert all(trace.get("xaxis", "x") == "x" for trace in parts(figure)[:3])
    longer = made(rows=[*ROWS, *[WIDE] * 16])["layout"]
    assert longer["height"] - layout["height"] == 16 * 19


def test_a_unit_is_part_of_the_axis_title():
    volts = Bins(VIEW.edges, VIEW.counts, "V")
    figure = observer_ranges(volts, ROWS, [], LIGHT)
    assert figure["layout"]["xaxis"]["title"]["text"] == "tensor value, V"


def test_names_are_short_and_harmless():
    bad = Bar("<script>" + "x" * 80, -1, 1, -1, 1, 1.0, "1.0", "bad")
    figure = made([], [bad])
    (name,) = figure["layout"]["yaxis2"]["ticktext"]
    assert name.startswith("&lt;script&gt;") and len(name.replace("&lt;", "<")) <= 18 + 3
    assert "<script" not in str(drawable(figure).to_json())


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_twenty_rows_and_512_bins_stay_small(palette):
    rows = [
        Bar(f"Observer number {i}", -i, i, -i, i, 1.0, "1.0", f"name:k={i}", True)
        for i in range(20)
    ]
    figure = observer_ranges(VIEW, rows, [row.spelling for row in rows[:4]], palette)
    drawable(figure)
    assert payload(figure) < 60_000


def test_only_some_approximate_values_are_marked_one_by_one():
    rough = Bar("Rough", -1, 1, -1, 1, 1.0, "1.0", "rough", approximate=True)
    values = parts(made(rows=[FIRST, rough]))[2 + 1]["text"]
    assert ["≈" in text for text in values] == [False, True]
    all_rough = made(rows=[rough])
    assert "SQNR, dB ≈" in texts(all_rough)
    assert "≈" not in parts(all_rough)[3]["text"][0]


def test_no_rows_still_make_a_picture():
    figure = made([], [])
    drawable(figure)
    assert [trace["type"] for trace in parts(figure)] == ["scatter", "scatter"]


def test_absurd_bounds_are_cut_but_told_in_full():
    far = Bar("Far", -1e30, 1e30, -1e30, 1e30, 1.0, "1.0", "far")
    lines = parts(made(rows=[far]))[1]
    assert lines["base"] == [-410] and lines["x"] == [820]
    assert "[−10³⁰, 10³⁰]" in lines["hovertext"][0]


def test_a_whole_picture_from_cells():
    values = np.linspace(-9, 9, 1000)[None]
    cells = Cells(values, values, np.ones((1, 1000), int), True)
    figure = observer_ranges(
        linear_bins(cells, -10, 10), ROWS, ["mse"], LIGHT, facts=facts([-9, 9])
    )
    drawable(figure)
    counts = figure["data"][0]["y"]
    assert counts[counts > 0.5][:-1].sum() + 1 >= 1000
