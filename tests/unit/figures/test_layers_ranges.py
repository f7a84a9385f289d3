"""The chart of ranges: where marks stand, which are orange, and what the figure weighs."""

import json
import math

import pytest

from qviz.figures.layers_ranges import SPAN, layer_ranges, names_of
from qviz.figures.layers_reach import Reach
from qviz.figures.theme import CLEAR, DARK, LIGHT

CALM = Reach("conv", (0.01, 0.1, 1.0, 2.0, 4.0))
FAR = Reach("relu<b>", (0.001, 0.01, 0.5, 100.0, 200.0))


def marks(figure, name):
    """Name of a tensor -> place of its mark."""
    return {
        tensor: (x, y)
        for trace in figure["data"]
        if trace["name"] == name
        for tensor, x, y in zip(trace["customdata"], trace["x"], trace["y"], strict=True)
    }


def test_marks_stand_at_median_and_largest():
    figure = layer_ranges([CALM, FAR], LIGHT, 60)
    assert marks(figure, "largest") == {"conv": (4.0, 0), "relu<b>": (200.0, 1)}
    assert marks(figure, "median") == {"conv": (1.0, 0), "relu<b>": (0.5, 1)}


@pytest.mark.parametrize(("threshold", "orange"), [(3, {0, 1}), (4, {1}), (60, {1}), (400, set())])
def test_rows_above_the_threshold_are_orange(threshold, orange):
    figure = layer_ranges([CALM, FAR], DARK, threshold)  # ratios 4 and 400
    rows = {
        y
        for trace in figure["data"]
        if trace["name"] == "largest" and trace["marker"]["color"] == DARK.highlights[1]
        for y in trace["y"]
    }
    assert rows == orange


def test_the_bar_holds_the_middle_and_the_line_all():
    figure = layer_ranges([CALM], LIGHT, 60)
    thin, thick = (t for t in figure["data"] if t.get("mode") == "lines")
    low = 10 ** figure["layout"]["xaxis"]["range"][0]
    assert thin["x"] == [pytest.approx(max(0.01, low)), 4.0, None]
    assert thick["x"] == [0.1, 2.0, None]


def test_numbers_stand_at_the_right_and_names_are_no_markup():
    layout = layer_ranges([CALM, FAR], LIGHT, 60)["layout"]
    texts = [note["text"] for note in layout["annotations"]]
    assert "4 ×" in texts and "<b>400 ×</b>" in texts
    assert layout["yaxis"]["ticktext"] == ["conv", "relu&lt;b&gt;"]


def test_a_click_anywhere_in_a_row_gives_its_name():
    figure = layer_ranges([CALM, FAR], LIGHT, 60)
    (hits,) = [trace for trace in figure["data"] if trace["name"] == "row"]
    low, high = figure["layout"]["xaxis"]["range"]
    assert hits["customdata"] == ["conv", "relu<b>"]  # as data; no label shows it
    assert hits["y"] == [0, 1] and hits["width"] == 1.0
    assert hits["base"] == pytest.approx(10**low)
    assert hits["base"] + hits["x"][0] == pytest.approx(10**high)
    assert hits["marker"]["color"] == CLEAR and "relu&lt;b&gt;" in hits["hovertext"][1]
    dots = [trace for trace in figure["data"] if trace.get("mode") == "markers"]
    assert dots and all(trace["unselected"]["marker"]["opacity"] == 1 for trace in dots)


def test_the_name_of_the_chosen_tensor_is_bold():
    layout = layer_ranges([CALM, FAR], LIGHT, 60, "relu<b>")["layout"]
    assert layout["yaxis"]["ticktext"] == ["conv", "<b>relu&lt;b&gt;</b>"]


def test_numbers_off_a_sketch_are_marked():
    rough = Reach("far", FAR.ends, exact=False)

    def texts(*reaches):
        notes = layer_ranges(reaches, LIGHT, 60)["layout"]["annotations"]
        return [note["text"] for note in notes]

    assert "<b>≈ 400 ×</b>" in texts(CALM, rough) and "4 ×" in texts(CALM, rough)
    assert "largest / median" in texts(CALM, rough)
    assert {"largest / median ≈", "<b>400 ×</b>"} <= set(texts(rough))


def test_long_names_stand_on_two_lines_and_stay_apart():
    names = [f"encoder.layer.{at}.attention.output.dense.weight" for at in range(12)]
    rows = [Reach(name, CALM.ends) for name in names]
    ticks = layer_ranges(rows, LIGHT, 60)["layout"]["yaxis"]["ticktext"]
    assert ticks[11] == "11.attention.<br>output.dense.weight" and len(set(ticks)) == 12
    assert names_of(rows).words == "Names without “encoder.layer.”"


def test_the_view_spans_few_powers_of_ten():
    tiny = Reach("tiny", (1e-30, 1e-30, 1e-30, 1e-30, 1e-30))
    low, high = layer_ranges([CALM, tiny], LIGHT, 60)["layout"]["xaxis"]["range"]
    assert high - low <= SPAN + 0.5 and 10**high > 4.0


def test_sixty_rows_weigh_little():
    rows = [
        Reach(f"layer.{at}.weight", (0.01, 0.1, 1.0, 2.0, math.pi * at + 3)) for at in range(60)
    ]
    assert len(json.dumps(layer_ranges(rows, LIGHT, 60))) < 50_000
