import json

import numpy as np
import plotly.graph_objects as go
import pytest

from qviz.figures.channels import heatmap, notable, row_names
from qviz.figures.theme import DARK, LIGHT
from qviz.pipeline.channel_rows import in_rows, ranked
from tests.unit.figures.channel_maps import mapped, tensor
from tests.unit.figures.small import payload


@pytest.fixture(scope="module")
def found():
    return mapped(tensor())


def traces(figure):
    return {trace.get("name", trace["type"]): trace for trace in figure["data"]}


def test_the_outline_runs_along_each_channels_bounds(found):
    figure = heatmap(found, LIGHT)
    line, order = traces(figure)["own bounds"], ranked(found)
    x = tensor()
    right, left = (
        np.arcsinh(x.max(axis=0)[order] / found.step),
        np.arcsinh(x.min(axis=0)[order] / found.step),
    )
    np.testing.assert_allclose(line["x"][:128], np.repeat(right, 2), rtol=1e-5)
    np.testing.assert_allclose(line["x"][128:256], np.repeat(left, 2)[::-1], rtol=1e-5)
    assert line["y"][0] == -0.5 and line["y"][127] == 63.5


def test_shared_bounds_and_the_band_that_becomes_0(found):
    shapes = heatmap(found, LIGHT)["layout"]["shapes"]
    ends = sorted(s["x0"] for s in shapes if s["type"] == "line")
    np.testing.assert_allclose(ends, np.arcsinh([-128, 127]), rtol=1e-6)
    (band,) = (s for s in shapes if s["type"] == "rect")
    np.testing.assert_allclose([band["x0"], band["x1"]], np.arcsinh([-0.5, 0.5]))
    assert band["layer"] == "above"


def test_the_shade_is_sent_as_bytes(found):
    figure = heatmap(found, LIGHT)
    shade = traces(figure)["heatmap"]
    assert shade["z"].dtype == np.uint8 and len(shade["z"]) == 64
    assert len(shade["x"]) == shade["z"].shape[1] + 1
    assert shade["colorscale"][0][1].endswith(",0)")  # nothing where no element is


@pytest.mark.parametrize("channels", [64, 128, 1000, 30_000])
def test_payload(channels):
    x = np.random.default_rng(0).standard_normal((channels, 40)).astype(np.float32)
    figure = heatmap(mapped(x, 0), LIGHT)
    assert payload(figure) < 60_000
    assert len(traces(figure)["heatmap"]["z"]) == min(channels, 128)


def test_only_rows_that_matter_are_named_and_neighbours_share_a_name(found):
    figure = heatmap(found, LIGHT)
    assert figure["layout"]["yaxis"]["ticktext"] == ["7", str(ranked(found)[-1])]
    even = mapped(tensor(1))
    assert len(row_names(even, in_rows(ranked(even)), 40)) <= 2  # 14 pixels keep names apart
    names = row_names(found, in_rows(ranked(found)), 400, chosen=5)
    assert "<b>5</b>" in [name for _, name in names]
    x = tensor()
    x[:, 20] = 0
    dead = mapped(x)
    rows = in_rows(ranked(dead, "index"))
    assert {0, 7, 20, 63} <= set(notable(dead, rows))


def test_a_row_of_many_channels_is_named_by_the_loud_one():
    x = np.random.default_rng(1).standard_normal((1000, 30))
    x[123] *= 100
    found = mapped(x, 0)
    names = heatmap(found, LIGHT)["layout"]["yaxis"]
    assert names["ticktext"][0].startswith("123") and "8 channels a row" in names["title"]["text"]


def test_levels_are_drawn_where_they_are_few():
    figure = heatmap(mapped(tensor(), bits=3), LIGHT)
    at = traces(figure)["levels"]["x"][::3]
    np.testing.assert_allclose(np.sinh(at), np.arange(-4, 4), atol=1e-6)
    assert "levels" not in traces(heatmap(mapped(tensor()), LIGHT))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("x", [np.zeros((3, 4)), np.full((3, 4), np.inf), np.eye(3), -np.eye(2)])
def test_odd_tensors_can_be_drawn(palette, x):
    x = np.array(x)
    x[0, 0] = 1.0
    figure = heatmap(mapped(x), palette, height=220)
    assert "NaN" not in json.dumps(go.Figure(figure).to_dict()["layout"])
    assert figure["layout"]["height"] == 220


def test_words_above_the_panel_stay_in_two_lines(found):
    for one in (found, mapped(tensor(), granularity="per_token"), mapped(np.abs(tensor()))):
        notes = heatmap(one, LIGHT)["layout"]["annotations"]
        assert len(notes) == 3 and {n["yshift"] for n in notes} <= {0, 15}
