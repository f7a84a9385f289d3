"""The hill over its clips: every line, dot and word where the numbers put it."""

import math

import numpy as np
import pytest

from qviz.figures.landscape import ROOF, hill_picture
from qviz.figures.theme import DARK, LIGHT
from qviz.pipeline.landscape import Parts
from qviz.pipeline.landscape_views import Hill
from tests.unit.figures.slopes import CLIP, DOTS, HIGHLIGHTS, dot, hill
from tests.unit.figures.small import drawable, payload, texts

BEST, YOU = DOTS[0], dot("you", -3.0, 3.0, 15.0)


def picture(terrain=None, dots=DOTS, palette=LIGHT, **rest):
    return hill_picture(terrain or hill(), dots, HIGHLIGHTS, palette, **rest)


def markers(figure, axis="y"):
    """Places of all dots of a panel by their spelling."""
    traces = [t for t in figure["data"] if t.get("yaxis", "y") == axis and "customdata" in t]
    return {
        name: (x, y)
        for t in traces
        for name, x, y in zip(t["customdata"], t["x"], t["y"], strict=True)
    }


def curves(figure):
    return {t["line"].get("dash"): t for t in figure["data"] if t.get("mode") == "lines"}


def test_the_hill_and_its_limits():
    found = picture()
    lines = [t for t in found["data"] if t.get("mode") == "lines" and t["x"] is not None]
    hills = [t for t in lines if t["line"]["width"] == 2.4]
    assert len(hills) == 1
    assert hills[0]["x"].tolist() == pytest.approx(CLIP.tolist())
    assert float(hills[0]["y"].max()) == pytest.approx(20.0)
    assert hills[0]["y"][0] == pytest.approx(10 * math.log10(1000 / 50.5))
    clipping, rounding = curves(found)["dot"], curves(found)["dash"]
    assert clipping["y"] == pytest.approx(10 * np.log10(1000 * clipping["x"] / 50), abs=1e-4)
    assert rounding["y"] == pytest.approx(10 * np.log10(2000 / rounding["x"]), abs=1e-4)
    assert max(clipping["y"].max(), rounding["y"].max()) <= ROOF * 20 + 1e-6
    drawable(found)


def test_every_row_has_a_dot_on_the_hill_and_one_in_its_row():
    found = picture()
    assert markers(found) == {
        "mse": (10, 20),
        "percentile": (20, 18),
        "sigma": (5, 17),
        "minmax": (90, 12),
    }
    rows = {name: (x, y) for name, (x, y) in markers(found, "y2").items()}
    assert rows == {"mse": (10, 0), "percentile": (20, 1), "sigma": (5, 2), "minmax": (90, 3)}
    assert len(found["layout"]["yaxis2"]["ticktext"]) == 5
    order = next(t for t in found["data"] if "customdata" in t)["customdata"]
    assert order[-2:] == ["mse", "minmax"]  # drawn last, so that no grey dot covers them


def test_the_rows_carry_their_numbers():
    (column,) = [t for t in picture()["data"] if t.get("xaxis") == "x2"]
    assert [text.strip() for text in column["text"]] == ["20.0", "18.0", "17.0", "12.0", "exact"]
    assert column["hovertext"][-1] == "per channel only"


def test_the_share_of_clipping():
    (area,) = [t for t in picture()["data"] if t.get("yaxis") == "y3"]
    assert area["y"] == pytest.approx(50 / CLIP / (50 / CLIP + CLIP / 2), abs=1e-6)
    assert float(area["y"][10]) == pytest.approx(0.5)
    assert {"<b>clipping</b>", "<b>rounding</b>"} <= set(texts(picture()))


def test_lines_through_all_panels_mark_the_best_and_you():
    found = picture(best=BEST, you=YOU)
    lines = [s for s in found["layout"]["shapes"] if s["type"] == "line"]
    assert [(s["x0"], s["line"]["dash"], s["y0"], s["y1"]) for s in lines] == [
        (10, "solid", 0, 1),
        (3, "dot", 0, 1),
    ]
    you = found["data"][-1]
    assert (you["x"], you["y"]) == ([3], [15])
    assert "25 % of the values clipped" in you["hovertext"][0]
    assert "5.0 dB below the best" in you["hovertext"][0]


def test_only_highlights_are_named_on_the_hill():
    said = texts(picture())
    assert {"<b>Mse</b>", "<b>Minmax</b>"} <= set(said)
    assert not any("Percentile" in text for text in said)
    assert {"if only clipping hurt", "if only rounding hurt"} <= set(said)


@pytest.mark.parametrize(("side", "text"), [("both", "±10"), ("upper", "10"), ("lower", "−10")])
def test_the_axis_says_which_ends_move(side, text):
    ticks = picture(hill(side))["layout"]["xaxis"]
    assert text in ticks["ticktext"]
    assert 10.0 in ticks["tickvals"]


def test_what_loses_nothing_stands_on_top():
    flat = [*np.linspace(3, 12, 20), np.inf]
    found = picture(hill(sqnr=flat), [dot("mse", -90.0, 90.0, None)])
    assert markers(found)["mse"] == (90, pytest.approx(18))
    assert "nothing is lost" in found["data"][3]["hovertext"][0]
    drawable(found)


def test_a_curve_that_ripples_is_drawn_as_its_top_and_a_band():
    clip = np.geomspace(1, 100, 3200)
    noise = np.where(np.arange(3200) % 2, 1.0, 10.0)  # 30 and 20 dB in turn
    none = np.zeros(3200)
    found = picture(Hill("upper", clip, Parts(none, noise, none, 1000.0, 50.0)))
    lines = [t for t in found["data"] if t.get("mode") == "lines" and "line" in t]
    (top,) = [t for t in lines if t["line"]["width"] == 2.4]
    (band,) = [t for t in lines if t.get("fill") == "toself"]
    assert len(top["x"]) <= 161 and set(top["y"].tolist()) == {30.0}
    assert {round(y) for y in band["y"].tolist()} == {20, 30}
    assert payload(found) < 32_000


def test_a_row_beyond_the_view_stands_at_its_edge():
    found = picture(dots=[dot("mse", -1e9, 1e9, 1.0), dot("minmax", 0.0, 0.0, 2.0)])
    assert [x for x, _ in markers(found).values()] == [100, 1]


def test_colours_follow_the_theme_and_little_is_sent():
    many = [*DOTS[:4], *(dot(f"row{i}", -7.0 - i, 7.0 + i, 10.0) for i in range(12))]
    for palette in (LIGHT, DARK):
        found = picture(dots=many, palette=palette, best=BEST, you=YOU)
        colours = next(t for t in found["data"] if "customdata" in t)["marker"]["color"]
        assert colours[-2:] == list(palette.highlights[:2])
        assert payload(found) < 32_000
