import numpy as np
import pytest

from qviz.figures.channel_dots import dots
from qviz.figures.theme import LIGHT
from qviz.pipeline.channel_rows import in_rows, ranked
from tests.unit.figures.channel_maps import mapped, tensor
from tests.unit.figures.small import payload


def traces(figure):
    return {trace["name"]: trace for trace in figure["data"]}


def test_dots_and_diamonds_carry_their_channel_and_its_decibels():
    found = mapped(tensor())
    drawn = traces(dots(found, LIGHT))
    order = ranked(found)
    for name, errors in (("per tensor", found.shared), ("own steps", found.own)):
        assert drawn[name]["customdata"].tolist() == order.tolist()
        np.testing.assert_allclose(drawn[name]["x"], errors.sqnr[order], rtol=1e-6)
    assert drawn["per tensor"]["customdata"][0] == 7
    joins = drawn["gain"]["x"].reshape(-1, 3)
    np.testing.assert_allclose(joins[:, 0], drawn["per tensor"]["x"])
    assert np.isnan(joins[:, 2]).all()


def test_overall_and_threshold_are_lines():
    found = mapped(tensor())
    shapes = dots(found, LIGHT, threshold=30)["layout"]["shapes"]
    assert [round(s["x0"], 1) for s in shapes] == [30, 25.8]
    assert shapes[0]["line"]["dash"] == "dot"
    notes = [n["text"] for n in dots(found, LIGHT)["layout"]["annotations"]]
    assert "overall 25.8" in notes


def test_dead_channels_stand_at_0_with_a_word():
    x = tensor()
    x[:, 20], x[:, 21] = 0, 0
    figure = dots(mapped(x), LIGHT)
    drawn = traces(figure)["per tensor"]
    assert drawn["x"][-2:].tolist() == [0, 0] and "dead" in drawn["text"][-1]
    assert [n["text"] for n in figure["layout"]["annotations"]].count("dead") == 1


def test_what_comes_back_exactly_stands_at_the_right_end():
    x = np.array([[127.0, 1, -3], [0.3, 0.4, 1.2]])
    figure = dots(mapped(x, 0), LIGHT)
    drawn = traces(figure)["per tensor"]
    assert "exact" in drawn["text"][0]
    assert drawn["x"][0] > drawn["x"][1]
    axis = figure["layout"]["xaxis"]
    assert drawn["x"].max() < axis["range"][1]
    assert axis["ticktext"][-1] == "exact" and axis["ticktext"][0] == "0"
    assert axis["tickvals"][-1] == drawn["x"].max() > axis["tickvals"][-2]


def test_without_a_finite_value_there_is_no_dot():
    x = tensor()
    x[:, 20], x[:, 21] = np.nan, 0
    figure = dots(mapped(x), LIGHT)
    drawn = traces(figure)["per tensor"]
    at = drawn["customdata"].tolist().index(20)
    assert np.isnan(drawn["x"][at]) and np.isfinite(np.delete(drawn["x"], at)).all()
    assert drawn["text"][at] == "20, per tensor: no finite value"
    notes = [n["text"] for n in figure["layout"]["annotations"]]
    assert notes.count("no finite value") == notes.count("dead") == 1


def test_a_row_of_many_channels_shows_its_worst():
    x = np.random.default_rng(0).standard_normal((300, 20)) * np.logspace(0, 2, 300)[:, None]
    found = mapped(x, 0)
    rows = in_rows(ranked(found, "index"))
    drawn = traces(dots(found, LIGHT, rows))["per tensor"]
    first = found.shared.sqnr[rows.order[: rows.starts[1]]]
    assert drawn["x"][0] == pytest.approx(first.min()) and len(drawn["x"]) == 128


def test_the_chosen_channel_has_a_ring():
    found = mapped(tensor())
    ring = traces(dots(found, LIGHT, chosen=7))["chosen"]
    assert ring["y"].tolist() == [0] and "chosen" not in traces(dots(found, LIGHT))


def test_payload_and_a_tensor_of_one_channel():
    found = mapped(np.random.default_rng(0).standard_normal((5000, 8)), 0)
    assert payload(dots(found, LIGHT)) < 25_000
    assert len(traces(dots(mapped(np.ones((4, 1))), LIGHT))["own steps"]["x"]) == 1


def test_per_token_is_called_so():
    figure = dots(mapped(tensor(), granularity="per_token"), LIGHT)
    assert "per token" in traces(figure)
    assert "● per token" in [n["text"] for n in figure["layout"]["annotations"]]
