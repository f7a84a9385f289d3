"""The bits of an element as tiles: sign, exponent and mantissa in three colours."""

from __future__ import annotations

from qviz.figures.numbers import SUPERSCRIPTS
from qviz.figures.theme import Figure, Margins, Palette, layout, words
from qviz.pipeline.element_bits import Bits

HEIGHT, TOP, BOTTOM = 26, 2, 22  # pixels
SOLID, PALE = 0.85, 0.16  # strength of a one and of a zero
CROWDED = 40  # bits above which tiles show no digits


def bit_tiles(bits: Bits, palette: Palette) -> Figure:
    """One tile per bit, ones solid and zeros pale, with the value of each part below."""
    text = bits.text
    parts = (1, len(bits.exponent), len(bits.mantissa))
    hues = (palette.mark(1), palette.mark(0), palette.muted)
    colors = [
        _mixed(h, SOLID if b == "1" else PALE)
        for h, b in zip(_spread(hues, parts), text, strict=True)
    ]
    ink = [palette.background if b == "1" else palette.muted for b in text]
    tiles = {
        "type": "bar",
        "x": list(range(len(text))),
        "y": [1] * len(text),
        "width": 0.9,
        "marker": {"color": colors, "line": {"width": 0}, "cornerradius": 3},
        "text": list(text) if len(text) <= CROWDED else [""] * len(text),
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": ink, "size": 13},
        "constraintext": "none",
        "hovertemplate": "bit %{customdata}<extra></extra>",
        "customdata": list(range(len(text) - 1, -1, -1)),
    }
    figure = layout(palette, HEIGHT + TOP + BOTTOM, Margins(0, 0, TOP, BOTTOM), "bits")
    figure |= {
        "xaxis": {"range": [-0.5, len(text) - 0.5], "visible": False, "fixedrange": True},
        "yaxis": {"range": [0, 1], "visible": False, "fixedrange": True},
    }
    figure["annotations"] += _values(bits, parts, hues)
    return {"data": [tiles], "layout": figure}


def _spread(hues: tuple[str, str, str], parts: tuple[int, int, int]) -> list[str]:
    return [hue for hue, width in zip(hues, parts, strict=True) for _ in range(width)]


def _mixed(color: str, strength: float) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength:g})"


def _values(bits: Bits, parts: tuple[int, int, int], hues: tuple[str, str, str]) -> list[Figure]:
    """What each part says, below its tiles."""
    total = sum(parts)
    middles = (0.0, (parts[0] + parts[1] / 2) / total, (total - parts[2] / 2) / total)
    said = part_words(bits)
    anchors = ("left", "center", "center")
    return [
        words(text, hue, x=x, y=0.0, xanchor=anchor, yanchor="top", yshift=-2)
        for text, hue, x, anchor in zip(said, hues, middles, anchors, strict=True)
    ]


def part_words(bits: Bits) -> tuple[str, str, str]:
    """Sign, exponent and mantissa in words."""
    sign = "sign −" if bits.sign == "1" else "sign +"
    if bits.case == "nan":
        return sign, "exponent all ones", "mantissa not 0: NaN"
    if bits.case == "infinite":
        return sign, "exponent all ones", "mantissa 0: infinite"
    if bits.case == "zero":
        return sign, "exponent 0", "mantissa 0: zero"
    mantissa = f"mantissa {bits.significand:.8g}"
    if bits.case == "subnormal":
        mantissa += ", below the smallest normal number"
    return sign, f"exponent 2{str(bits.power).translate(SUPERSCRIPTS)}", mantissa
