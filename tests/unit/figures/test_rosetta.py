"""The picture of all rules: places, brackets, zero points, words."""

import json
import math

import numpy as np
import plotly.graph_objects as go
import pytest

from qviz.figures.rosetta import rosetta
from qviz.figures.rosetta_lines import placed, view_of, whole_of, zero_words
from qviz.figures.theme import DARK, LIGHT
from qviz.rosetta.comparison import compared
from qviz.rosetta.probe import inside, probe
from tests.unit.rosetta.made import ORT, QINT8, RANGES, TF, TORCH, every, of

NAMES = (TORCH, TF, ORT, QINT8)


def scene(lo, hi, names=NAMES):
    given = [of(name, lo, hi) for name in names]
    return compared(given, inside(probe(given), lo, hi), TORCH)


def texts(figure):
    return [note["text"] for note in figure["layout"]["annotations"]]


def test_brackets_are_the_grids_and_dots_the_zero_points():
    figure = rosetta(scene(-0.5, 2.5), LIGHT)
    grey, blue = figure["data"][:2]
    torch, tf = of(TORCH, -0.5, 2.5), of(TF, -0.5, 2.5)
    assert blue["x"][:2] == list(torch.covered) and blue["customdata"][0] == TORCH
    at = grey["customdata"].index(TF)
    assert grey["x"][at : at + 2] == list(tf.covered)
    zeros, first = figure["data"][2:]
    assert first["x"] == [42.5, 42.0, None]
    at = zeros["customdata"].index(TF)
    assert zeros["x"][at : at + 2] == [42.5, 43.0]
    assert QINT8 not in zeros["customdata"] and "fixed at 0 (lowest + 128)" in texts(figure)
    assert figure["layout"]["xaxis2"]["ticktext"] == ["42", "tie", "43"]
    dotted = [s for s in figure["layout"]["shapes"] if s["line"].get("dash") == "dot"]
    assert [s["x0"] for s in dotted] == [-0.5, 2.5]


def test_columns_say_what_differs():
    found = scene(-0.5, 2.5)
    figure, row = rosetta(found, DARK), found.row(QINT8)
    assert row.codes_differ == 1.0 and "all" in texts(figure) and "same" in texts(figure)
    assert "<b>torch Affine uint8</b>" in texts(figure) and "<b>A</b>" in texts(figure)


@pytest.mark.parametrize("lo_hi", RANGES, ids=str)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_range_has_its_picture(lo_hi, palette):
    given = every(*lo_hi)
    x = np.float32([v for v in lo_hi if math.isfinite(v)])
    figure = rosetta(compared(given, x, TORCH), palette)
    drawn = go.Figure(figure)
    assert len(drawn.data) == 4
    assert len(json.dumps(figure, allow_nan=False)) < 80_000


def test_rows_fold_into_bands_from_17_rules_on():
    given = every(-0.5, 2.5)
    found = compared(given, inside(probe(given), -0.5, 2.5), TORCH)
    lines, bands, height = placed(found)
    assert len(bands) == len(found.groups)
    assert len(lines) < len(found.rows)
    grey = [line for line in lines if not line.first]
    assert len(grey) == len(found.groups) - 1
    assert any(line.name.endswith(" more") and len(line.rules) > 1 for line in grey)
    ys = [line.y for line in lines]
    assert ys == sorted(ys) and min(np.diff(ys)) >= 25 and height == bands[-1][1]
    few = placed(scene(-0.5, 2.5))[0]
    assert few[0].name == "torch Affine uint8" and len(few) == 4


def test_a_grid_far_wider_than_the_range_is_cut_with_an_arrow():
    figure = rosetta(scene(-1e-8, 1e-8), LIGHT)
    low, high = figure["layout"]["xaxis"]["range"]
    assert high < 1e-7 and of(TORCH, -1e-8, 1e-8).covered[1] > 1e-5
    assert "triangle-right" in figure["data"][1]["marker"]["symbol"]
    assert low < -1e-8


def test_words_in_place_of_dots():
    assert zero_words(of(QINT8, -1, 1), 127) == "fixed at 0 (lowest + 128)"
    assert zero_words(of("tf.min_combined uint8", -1, 1), 127) == "none: counts from the bound"
    assert zero_words(of(ORT, float("nan"), 1), 0) == "none"
    assert zero_words(of(TF, 1, 3), 0) == "−127.5 → 0"
    assert zero_words(of(TORCH, -1, 1), 127) == ""
    assert whole_of([of(TORCH, -0.5, 2.5)]) == 42 and whole_of([of(QINT8, -1, 1)]) == 0
    assert view_of([of(TORCH, float("nan"), 1.0)])[0] < 0
