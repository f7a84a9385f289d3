"""The picture of what each tensor costs: dots, the path, the proof, bands and numbers."""

import json

import pytest

from qviz.figures.layers_alone import MOST, costly, layers_alone, shown_rows
from qviz.figures.theme import CLEAR, LIGHT
from qviz.models.alone import Alone, Outcome, Sensitivity


def row(name, sqnr, accuracy=None, upto=None, but=None, **more):
    """A row with accuracies of the path and the proof."""
    later = {k: None if v is None else Outcome(None, v) for k, v in (("upto", upto), ("but", but))}
    return Alone(name, "activation", "Op", Outcome(sqnr, accuracy), **later, **more)


ROWS = (
    row("images", 30.0, 0.98, 0.98, 0.1),
    row("relu", -30.0, 0.12, 0.1, 0.97),
    row("gelu", 20.0, 0.95, 0.1, 0.1),
)
COST = Sensitivity(ROWS, 0.99, 128, "logits")
BESIDE = Sensitivity((row("relu", 28.0, 0.97),), 0.99, 128, "logits")


def trace(figure, name):
    (found,) = [t for t in figure["data"] if t["name"] == name]
    return found


def texts(figure):
    return [note["text"] for note in figure["layout"]["annotations"]]


def test_dots_stand_at_the_output_and_what_is_too_low_at_the_edge():
    figure = layers_alone(COST, None, LIGHT)
    dots = trace(figure, "as chosen")
    low = figure["layout"]["xaxis"]["range"][0]
    assert dots["x"][0] == 30.0 and dots["x"][2] == 20.0
    assert low < dots["x"][1] <= -9.0  # -30 dB is drawn at the edge
    assert dots["marker"]["color"][1] == LIGHT.highlights[1]
    assert dots["marker"]["color"][0] == LIGHT.edge


def test_the_path_and_the_proof_are_in_percent():
    figure = layers_alone(COST, None, LIGHT)
    assert trace(figure, "all up to here")["x"] == pytest.approx([98, 10, 10])
    proof = trace(figure, "all but this one")
    assert proof["x"] == pytest.approx([10, 97, 10])
    assert proof["marker"]["color"][1] == LIGHT.highlights[2]
    assert "<b>97 %</b>" in texts(figure)


def test_one_row_costs_more_than_five_points():
    figure = layers_alone(COST, None, LIGHT)
    assert [(s["y0"], s["y1"]) for s in figure["layout"]["shapes"]] == [(0.5, 1.5)]
    assert "<b>12 %</b> right" in texts(figure)
    assert [costly(r, 0.99) for r in ROWS] == [False, True, False]


def test_beside_it_a_diamond_joined_to_the_dot():
    figure = layers_alone(COST, BESIDE, LIGHT)
    assert trace(figure, "per channel")["x"] == [None, 28.0, None]
    assert trace(figure, "gain")["x"][4] == 28.0
    assert "<b>12 %</b> → <b>97 %</b> right" in texts(figure)


def test_a_click_anywhere_in_a_row_of_any_column_gives_its_name():
    figure = layers_alone(COST, BESIDE, LIGHT)
    hits = {trace["xaxis"]: trace for trace in figure["data"] if trace["name"] == "row"}
    assert set(hits) == {"x", "x2", "x3"}
    for axis, trace in hits.items():
        low, high = figure["layout"]["xaxis" + axis[1:]]["range"]
        assert trace["customdata"] == ["images", "relu", "gelu"] and trace["y"] == [0, 1, 2]
        assert trace["base"] == low and trace["x"] == [high - low] * 3
        assert trace["marker"]["color"] == CLEAR
    assert "97 % of 128 right" in hits["x3"]["hovertext"][1]
    dots = [trace for trace in figure["data"] if "markers" in trace.get("mode", "")]
    assert len(dots) == 4  # as chosen, per channel, the path, the proof
    assert all(trace["customdata"] == ["images", "relu", "gelu"] for trace in dots)
    assert all(trace["unselected"]["marker"]["opacity"] == 1 for trace in dots)


def test_the_name_of_the_chosen_tensor_is_bold():
    names = layers_alone(COST, None, LIGHT, "relu")["layout"]["yaxis"]["ticktext"]
    assert [name.startswith("<b>") for name in names] == [False, True, False]


def test_without_labels_and_without_a_path_there_is_one_column():
    rows = (row("a", 8.0), Alone("b", "weight", "Gemm", Outcome(lossless=True)))
    figure = layers_alone(Sensitivity(rows, None, 8, "y"), None, LIGHT)
    assert "xaxis2" not in figure["layout"]
    dots = trace(figure, "as chosen")
    assert dots["x"][1] < figure["layout"]["xaxis"]["range"][1] and dots["x"][1] > 20
    assert "exact" in dots["text"][1] and len(figure["layout"]["shapes"]) == 1


def test_long_names_stay_apart_and_say_what_they_leave_out():
    names = [f"encoder.layer.{at}.attention.output.dense.weight" for at in range(3)]
    rows = [Alone(name, "weight", "LayerNormalization", Outcome(20.0)) for name in names]
    figure = layers_alone(Sensitivity(tuple(rows), None, 8, "y"), None, LIGHT)
    ticks = figure["layout"]["yaxis"]["ticktext"]
    first = [tick.split("<br>")[0] for tick in ticks]
    assert first == [f"{at}.attention.output.dense.weight" for at in range(3)]
    assert all(">LayerNorm</span>" in tick for tick in ticks)
    assert any(text.startswith("Names without “encoder.layer.”") for text in texts(figure))


def test_of_many_those_that_cost_most_are_kept_in_network_order():
    rows = [row(f"n{at}", float(at % 50), 0.9 if at % 2 else 0.5) for at in range(80)]
    cost = Sensitivity((*rows, row("no", None, None, note="refused")), 0.99, 9, "y")
    kept = shown_rows(cost)
    assert len(kept) == MOST and {r.alone.accuracy for r in kept} == {0.5}
    assert [int(r.name[1:]) for r in kept] == sorted(int(r.name[1:]) for r in kept)
    assert len(json.dumps(layers_alone(cost, cost, LIGHT))) < 60_000


def test_few_samples_are_told_with_their_interval():
    text = trace(layers_alone(COST, None, LIGHT), "as chosen")["text"][1]
    assert "12 % of 128 right" in text and "95 % interval 7.45 % to 18.8 %" in text
