import itertools
import math

from qviz.figures.bits import sqnr_against_bits
from qviz.figures.theme import DARK, DASHES, LIGHT
from tests.unit.figures.small import drawable, payload, texts

WIDTHS = (2, 4, 8, 16)
CURVES = {
    "MSE search": [(b, 6.0 * b - 3) for b in WIDTHS],
    "MinMax": [(2, 0.5), (4, None), (8, 24.0), (16, 72.5)],
}


def test_each_row_is_a_line_in_its_colour_and_dash():
    figure = sqnr_against_bits(CURVES, LIGHT, 8)
    second, first = figure["data"]  # the first is drawn last, on top
    assert first["x"] == [2, 4, 8, 16]
    assert first["y"] == [9, 21, 45, 93]
    assert second["x"] == [2, 8, 16]
    looks = [(trace["line"]["color"], trace["line"]["dash"]) for trace in (first, second)]
    assert looks == list(zip(LIGHT.highlights[:2], DASHES[:2], strict=True))
    assert figure["layout"]["xaxis"]["title"]["text"] == "bits"
    assert figure["layout"]["yaxis"]["title"]["text"] == "SQNR in dB"
    drawable(figure)


def test_lines_are_named_at_their_ends_without_collision():
    same = {f"Observer {i}": [(2, 1.0), (16, 80.0 + i / 10)] for i in range(4)}
    figure = sqnr_against_bits(same, LIGHT, 8)
    named = [n for n in figure["layout"]["annotations"] if n["text"].startswith("<b>Observer")]
    assert [n["font"]["color"] for n in named] == list(LIGHT.highlights)
    low, high = figure["layout"]["yaxis"]["range"]
    pixels = 330 - 26 - 46
    places = [n["y"] * pixels / (high - low) - n["ay"] for n in named]
    assert all(abs(a - b) > 14.9 for a, b in itertools.combinations(places, 2))


def test_the_reference_rises_six_decibels_a_bit_above_all_curves():
    figure = sqnr_against_bits(CURVES, LIGHT, 8)
    (roof,) = [s for s in figure["layout"]["shapes"] if s["yref"] == "y"]
    slope = (roof["y1"] - roof["y0"]) / (roof["x1"] - roof["x0"])
    assert math.isclose(slope, 20 * math.log10(2))
    for points in CURVES.values():
        for bits, value in points:
            assert value is None or value < roof["y0"] + slope * (bits - roof["x0"])
    assert "6 dB per bit" in texts(figure)


def test_the_present_width_is_marked():
    figure = sqnr_against_bits(CURVES, LIGHT, 8)
    (mark,) = [s for s in figure["layout"]["shapes"] if s["x0"] == s["x1"]]
    assert mark["x0"] == 8
    assert "8 bits" in texts(figure)
    assert figure["data"][1]["marker"]["size"] == [4, 4, 10, 4]
    assert "20 bits" not in texts(sqnr_against_bits(CURVES, LIGHT, 20))


def test_rows_without_a_value_are_left_out():
    figure = sqnr_against_bits({"a": [(2, None)], "b": [(2, 1.0)]}, LIGHT, 2)
    assert len(figure["data"]) == 1
    drawable(figure)
    nothing = sqnr_against_bits({"a": [(2, None), (4, math.inf)]}, DARK, 2)
    assert nothing["data"] == []
    assert texts(nothing) == ["No row has an SQNR here."]
    drawable(nothing)


def test_names_of_data_are_read_as_text():
    figure = sqnr_against_bits({"<b>$x$": [(2, 1.0), (4, 2.0)]}, LIGHT, 2)
    assert "<b>&lt;b&gt;&#36;x&#36;</b>" in texts(figure)


def test_fifteen_widths_and_eight_rows_stay_small():
    many = {f"Observer {i}": [(b, 6.0 * b + i) for b in range(2, 17)] for i in range(8)}
    assert payload(sqnr_against_bits(many, LIGHT, 8)) < 30_000
