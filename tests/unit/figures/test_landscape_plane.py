"""The field: bands, lines, dots and names over both ends of the range."""

import itertools
import math

import numpy as np
import pytest

from qviz.figures.landscape_contours import lost
from qviz.figures.landscape_plane import field_picture, with_you
from qviz.figures.theme import DARK, LIGHT
from qviz.pipeline.landscape_views import Field
from tests.unit.figures.slopes import DOTS, HIGHLIGHTS, dot, field
from tests.unit.figures.small import drawable, payload, texts


def picture(palette=LIGHT, dots=DOTS, **rest):
    return field_picture(field(), dots, HIGHLIGHTS, palette, **rest)


def test_bands_are_hundredths_of_a_decibel_lost():
    z = lost(field())
    assert z.dtype == np.int16
    assert z[10, 10] == 0  # [-10, 10]
    assert z[20, 10] == 600  # upper end a decade away
    assert z[30, 10] == 1200  # 24 dB, cut
    band = picture()["data"][0]
    assert (band["z"] == z).all()
    assert band["contours"]["size"] == 100
    assert band["x"].tolist() == pytest.approx(np.geomspace(1, 100, 21).tolist())


def test_lines_at_half_three_and_six_and_where_both_cost_the_same():
    contours = [t for t in picture()["data"] if t["type"] == "contour"][1:]
    assert [t["contours"]["value"] for t in contours] == [50, 300, 600, 0]
    assert contours[-1]["line"]["dash"] == "dash"
    assert contours[-1]["z"][10, 10] == 0
    assert contours[-1]["z"].dtype == np.int16


def test_both_axes_are_distances_from_zero_and_the_lower_one_runs_backwards():
    frame = picture()["layout"]
    assert frame["xaxis"]["range"] == pytest.approx([2, 0])
    assert frame["yaxis"]["range"] == pytest.approx([0, 3])
    assert "−10" in frame["xaxis"]["ticktext"]
    assert "10" in frame["yaxis"]["ticktext"]


def test_every_row_is_a_dot_with_its_name():
    found = picture()
    dots = found["data"][-1]
    assert dict(zip(dots["customdata"], zip(dots["x"], dots["y"], strict=True), strict=True)) == {
        "mse": (10, 10),
        "percentile": (20, 20),
        "sigma": (5, 4),
        "minmax": (90, 80),
    }
    assert dots["marker"]["opacity"] == 1
    assert {"<b>Mse · 20.0</b>", "Percentile · 18.0", "<b>Minmax · 12.0</b>"} <= set(texts(found))


def test_on_a_phone_only_highlights_are_named():
    said = texts(picture(named=False))
    assert "<b>Mse · 20.0</b>" in said
    assert "Percentile · 18.0" not in said


def test_names_of_a_crowd_do_not_lie_on_each_other():
    crowd = [dot(f"row{i}", -10.0 - i / 5, 10.0 + i / 7, 19.0) for i in range(8)]
    notes = [n for n in picture(dots=crowd)["layout"]["annotations"] if "Row" in n["text"]]
    middles = [
        (
            (2 - n["x"]) / 2 * 862 + n["ax"],
            (1 - n["y"] / 3) * 540 + n["ay"],
        )
        for n in notes
    ]
    assert len(middles) == 8
    for (x, y), (u, v) in itertools.combinations(middles, 2):
        assert abs(x - u) > 60 or abs(y - v) > 14


def test_words_say_which_error_dominates():
    notes = {n["text"]: n for n in picture()["layout"]["annotations"]}
    assert notes["<b>rounding</b> dominates"]["x"] == 0
    assert notes["<b>clipping</b> dominates"]["x"] == 1


def test_words_that_are_true_nowhere_are_left_out():
    f = field()
    calm = Field(f.lower, f.upper, f.sqnr, np.full(f.sqnr.shape, -5.0))
    said = texts(field_picture(calm, DOTS, HIGHLIGHTS, LIGHT))
    assert "<b>rounding</b> dominates" in said
    assert "<b>clipping</b> dominates" not in said


def test_a_ring_marks_the_best_and_a_diamond_you():
    plain = picture(best=DOTS[0])
    ring = plain["data"][-2]
    assert (ring["x"], ring["y"], ring["marker"]["symbol"]) == ([10], [10], "circle-open")
    found = with_you(plain, field(), dot("you", -2.0, 4000.0, 1.0), LIGHT, 20.0)
    you = found["data"][-1]
    assert (you["x"], you["y"]) == ([2], [1000])  # cut to the view
    assert "19.0 dB below the best" in you["hovertext"][0]
    assert found["layout"]["annotations"][-1]["x"] == pytest.approx(math.log10(2))
    assert len(plain["data"]) == len(found["data"]) - 1
    drawable(found)


def test_the_name_of_you_stays_off_the_other_names():
    plain = picture()
    for near in DOTS[:4]:
        here = dot("you", near.bar.lo * 1.02, near.bar.hi * 1.02, 15.0)
        *others, you = with_you(plain, field(), here, LIGHT, 20.0)["layout"]["annotations"]
        x, y = _middle(you, you["xshift"], -you["yshift"])
        for note in others:
            if note["xref"] == "x" and note["showarrow"]:
                u, v = _middle(note, note["ax"], note["ay"])
                assert abs(x - u) > 25 or abs(y - v) > 14


def _middle(note, right, down):
    """Pixels of the middle of words; the axes run from 100 to 1 and from 1 to 1000."""
    return (2 - note["x"]) / 2 * 862 + right, (1 - note["y"] / 3) * 540 + down


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_sixty_by_sixty_is_sent_within_its_budget(palette):
    axis = np.geomspace(0.5, 300, 60)
    heights = np.random.default_rng(0).normal(size=(60, 60))
    many = [dot(f"observer {i}", -1.0 - 9 * i, 2.0 + 5 * i, 10.0) for i in range(15)]
    terrain = Field(axis, axis, heights, heights)
    found = field_picture(terrain, many, ["observer 1"], palette, best=many[0])
    assert payload(found) < 83_000
