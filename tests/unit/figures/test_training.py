"""Paths over the landscape: values of traces, crosses, names, size."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from qviz.figures.theme import DARK, LIGHT
from qviz.figures.training import clip_view, training_curve, training_path
from qviz.figures.training_labels import Named
from qviz.figures.training_words import caption, heading, label, sentence
from qviz.pipeline.fitting import Curve, Path, codes, lost
from tests.unit.figures.small import drawable, texts

CLIPS = np.geomspace(0.1, 100, 61)
FOUND = Curve(CLIPS, 20 - 10 * np.log10(CLIPS / 4) ** 2, 4.0, 20.0, energy=1.0)


def path(start, steps=80, reason=""):
    clips = 4 + (start - 4) * 0.9 ** np.arange(steps + 1)
    level = 20 - 10 * np.log10(clips / 4) ** 2
    return Path(clips / 7, clips, 10 ** (-level / 10), reason)


ONE = Named("One", "learns scale, gradient ÷ √7", path(20.0), 0, 7**-0.5)
TWO = Named("Two", "learns maxq", path(0.5), 1)
LOST = Named("Lost", "learns scale", path(8.0, 3, "diverged"), 2)
SHOWN = [ONE, TWO, LOST]


def size(figure):
    """Bytes of the figure without the template that Plotly adds."""
    whole = json.loads(go.Figure(figure).to_json())
    whole["layout"].pop("template", None)
    return len(json.dumps(whole))


def lines(figure):
    return [t for t in figure["data"] if t["type"] == "scatter" and t["mode"] == "lines"]


def marks(figure, symbol=None):
    found = [t for t in figure["data"] if t.get("mode") == "markers"]
    return [t for t in found if symbol is None or t["marker"]["symbol"] == symbol]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_they_can_be_drawn(palette):
    drawable(training_path(SHOWN, FOUND, palette, 80, 12))
    drawable(training_curve(SHOWN, FOUND, palette, 12))


def test_lines_are_the_clips_step_by_step():
    one, two, lost = lines(training_path(SHOWN, FOUND, LIGHT, 80, 80))
    assert one["y"].tolist() == pytest.approx(ONE.path.clips.tolist())
    assert (two["y"].size, lost["y"].size) == (81, 4)
    assert len({t["line"]["color"] for t in (one, two, lost)}) == 3
    assert len({t["line"]["dash"] for t in (one, two, lost)}) == 3


def test_marks_stand_at_the_step():
    shown = marks(training_path([ONE, TWO], FOUND, LIGHT, 80, 12))
    assert [t["x"] for t in shown] == [[12], [12]]
    assert shown[0]["y"] == [pytest.approx(4 + 16 * 0.9**12)]
    hill, first, _ = training_curve([ONE, TWO], FOUND, LIGHT, 12)["data"]
    assert first["y"] == shown[0]["y"]
    assert first["x"][0] == pytest.approx(np.interp(first["y"][0], CLIPS, FOUND.sqnr), abs=0.05)
    assert hill["x"].max() == pytest.approx(20.0, abs=0.05)


def test_a_path_that_ran_away_ends_in_a_cross():
    figure = training_path(SHOWN, FOUND, LIGHT, 80, 80)
    (cross,) = marks(figure, "x")
    assert cross["x"] == [3]
    assert "diverged" in cross["hovertemplate"]
    assert len(marks(figure)) == 3  # no mark of its own on top of the cross


def test_the_landscape_is_whitest_at_the_best():
    (field,) = [t for t in training_path(SHOWN, FOUND, LIGHT, 80, 80)["data"]
                if t["type"] == "heatmap"]  # fmt: skip
    edges, white = field["y"], np.flatnonzero(field["z"][:, 0] == 0)
    assert edges[white[0]] <= 4.0 <= edges[white[-1] + 1]
    assert white.size < 6
    assert field["z"].max() == 0
    assert field["z"].dtype == np.int16
    assert field["x"] == [0, 80]


def test_names_say_parameter_and_factor_and_stand_apart():
    notes = [n for n in training_path(SHOWN, FOUND, LIGHT, 80, 80)["layout"]["annotations"]
             if n["showarrow"]]  # fmt: skip
    assert [n["text"] for n in notes] == [
        "<b>One</b> learns scale, gradient ÷ √7",
        "<b>Two</b> learns maxq",
        "<b>Lost</b> learns scale",
    ]
    assert len({(n["x"], n["y"], n["ay"]) for n in notes}) == 3


def test_a_rule_with_two_paths_is_named_once():
    both = [ONE, Named("One", "learns scale", path(0.5), 0)]
    notes = texts(training_path(both, FOUND, LIGHT, 80, 80))
    assert sum("<b>One</b>" in note for note in notes) == 1


def test_a_leader_starts_on_the_picture():
    clips = np.array([8.0, 9e5, 8e5, 7e5, 6e5, 5e5, 9.0, 8.0])
    far = Path(clips, clips, np.ones(8))
    figure = training_path([Named("Far", "learns scale", far, 0)], FOUND, LIGHT, 80, 7)
    (note,) = [n for n in figure["layout"]["annotations"] if n["showarrow"]]
    low, high = figure["layout"]["yaxis"]["range"]
    assert low <= note["y"] <= high


def test_the_view_holds_starts_and_the_best_but_not_the_runaway():
    far = Path(np.ones(2), np.array([8.0, 8e5]), np.ones(2), "diverged")
    low, high = clip_view([far], FOUND)
    assert 10**low == pytest.approx(4.0 / 1.5)
    assert 10**high == pytest.approx(8.0 * 6 * 1.5)


def test_codes_from_0_have_no_sign():
    one_sided = Curve(CLIPS, FOUND.sqnr, 4.0, 20.0, 1.0, sign="")
    ticks = training_path([ONE], one_sided, LIGHT, 80, 80)["layout"]["yaxis"]["ticktext"]
    assert not any("±" in text for text in ticks)
    assert "dashed: best, 4, 20.0 dB" in texts(training_path([ONE], one_sided, LIGHT, 80, 80))


def test_three_runs_of_80_steps_are_small():
    shown = [ONE, TWO, Named("Three", "learns scale", path(9.0), 2)]
    whole = training_path(shown, FOUND, LIGHT, 80, 80), training_curve(shown, FOUND, LIGHT, 80)
    assert sum(size(figure) for figure in whole) < 12_000


def test_heading_tells_who_arrives():
    assert heading([ONE, TWO], FOUND, 80, 0.3) == (
        "Same loss, same rate 0.3: Two arrives in 14 steps"
    )
    slow = Named("Slow", "learns maxq", path(20.0, 5), 1)
    assert heading([TWO, slow], FOUND, 80, 0.3).endswith("Slow has not after 80")
    assert heading([slow], FOUND, 5, 0.3).endswith("none has arrived after 5 steps")
    assert heading([LOST], FOUND, 80, 0.3).endswith("Lost ran away")
    both = [ONE, Named("One", "learns scale", path(0.5), 0)]
    assert "One arrives in 26 steps" in heading(both, FOUND, 80, 0.3)
    assert heading([], FOUND, 80, 0.3) == "No rule learns with these codes"


def test_a_sentence_names_parameter_factor_and_end():
    said = sentence(ONE, FOUND, 7)
    # 49 / 2.6458
    assert "clip = 7 × scale, so one step moves the clip some 7² ÷ √7 = 18.5 times as far" in said
    plain = sentence(Named("N", "learns scale", path(20.0), 0), FOUND, 7)
    assert "so one step moves the clip some 7² times as far)" in plain
    assert "±20 became ±4 in 80 steps" in said
    assert "which is the clip itself" in sentence(TWO, FOUND, 1)
    assert "diverged at the next: the rate is too high" in sentence(LOST, FOUND, 7)


def test_labels_and_caption():
    assert label("scale", "gradient ÷ √7") == "learns scale, gradient ÷ √7"
    assert label("maxq", "") == "learns maxq"
    said = caption("MinMax", 8192, 1_000_000, "x", codes(4, True))
    assert "a sample of 8,192 of 1 M values, codes −7 to 7. Start: MinMax. Loss: the mean" in said
    assert "all 99 values" in caption("MinMax", 99, 99, "x", codes(4, True))


def astray(end, steps=80):
    clips = np.geomspace(2.0, end, steps + 1)
    level = 20 - 10 * np.log10(clips / 4) ** 2
    return Path(clips / 7, clips, 10 ** (-level / 10))


def test_a_path_that_went_astray_is_not_said_to_be_on_its_way():
    far = Named("Far", "learns scale", astray(660.0), 0)
    said = sentence(far, FOUND, 7)
    assert "±2 became ±660 in 80 steps, farther from the best than at the start" in said
    assert "not yet" not in said
    assert heading([far], FOUND, 80, 30.0).endswith("; Far ran away")
    near = Named("Near", "learns scale", astray(3.0, 20), 0)  # 2 to 3, the best is 4
    assert sentence(near, FOUND, 7).endswith(", not yet at the best.")
    assert not lost(near.path, FOUND)


def test_a_first_step_that_breaks_off():
    once = Named("Once", "learns scale", path(8.56, 0, "went negative"), 0)
    assert "from ±8.56 its first step went negative: the rate is too high" in sentence(
        once, FOUND, 7
    )


def test_the_name_stands_at_the_path_that_is_seen():
    point = Named("One", "learns scale", path(8.0, 0, "went negative"), 0)
    line = Named("One", "learns scale", path(0.5), 0)
    figure = training_path([point, line], FOUND, LIGHT, 80, 80)
    (note,) = [n for n in figure["layout"]["annotations"] if n["showarrow"]]
    assert 10 ** note["y"] == pytest.approx(line.path.clips[note["x"]])


def test_lines_run_up_to_the_step():
    figure = training_path(SHOWN, FOUND, LIGHT, 80, 2)
    assert [t["y"].size for t in lines(figure)] == [3, 3, 3]
    assert not marks(figure, "x")  # it breaks off at step 3


def test_a_line_that_leaves_the_picture_at_once_has_its_name_all_the_same():
    clips = np.append(2.0, np.full(80, 1e5))
    far = Path(clips / 7, clips, np.append(1.0, np.full(80, 2.0)))
    gone = Named("Gone", "learns scale", far, 2)
    figure = training_path([gone], FOUND, LIGHT, 80, 80)
    (note,) = [n for n in figure["layout"]["annotations"] if n["showarrow"]]
    low, high = figure["layout"]["yaxis"]["range"]
    assert low <= note["y"] <= high
