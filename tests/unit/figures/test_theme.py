import re

import pytest

from qviz.figures import theme


def luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK], ids=lambda p: p.name)
def test_words_and_highlights_stand_out(palette):
    for color in palette.highlights:
        assert contrast(color, palette.background) >= 3.4
    for color in (palette.ink, palette.muted, palette.band_words):
        assert contrast(color, palette.background) >= 4.5


def test_only_four_marks_have_a_colour_of_their_own():
    colors = [theme.LIGHT.mark(rank) for rank in (0, 1, 2, 3, 4, None)]
    assert colors[:4] == list(theme.LIGHT.highlights)
    assert colors[4:] == [theme.LIGHT.rest] * 2
    assert len(set(theme.DASHES)) == 4


def test_layout_is_clear_and_keeps_zoom():
    made = theme.layout(theme.DARK, 300, theme.Margins(1, 2, 3, 4), "view 7")
    assert made["margin"] == {"l": 1, "r": 2, "t": 3, "b": 4, "pad": 0}
    assert made["height"] == 300
    assert made["uirevision"] == "view 7"
    assert made["showlegend"] is False
    assert made["paper_bgcolor"] == made["plot_bgcolor"] == "rgba(0,0,0,0)"


def test_shorten_leaves_out_the_middle():
    assert theme.shorten("abcdefghij", 10) == "abcdefghij"
    assert theme.shorten("abcdefghijk", 7) == "abc…ijk"
    assert len(theme.shorten("x" * 500)) == 80


def test_escape_disarms_markup_formulas_and_direction_signs():
    assert theme.escape("<b>a&b</b>") == "&lt;b&gt;a&amp;b&lt;/b&gt;"
    assert theme.escape("$x$") == "&#36;x&#36;"
    assert theme.escape("a\u202egnp.exe\x07\nb") == "agnp.exe b"
    assert theme.escape("weight_1 [0]") == "weight_1 [0]"


def test_escape_shortens_before_it_spells_out():
    made = theme.escape("<" * 200)
    assert re.fullmatch("(&lt;)+…(&lt;)+", made)
    assert len(made.replace("&lt;", "<")) == 80
