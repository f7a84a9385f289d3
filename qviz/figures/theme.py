"""Colours, type and axes that every figure shares."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

Figure = dict[str, Any]
FONT = "Source Sans, system-ui, sans-serif"
SIZE = 12
DASHES = ("solid", "dash", "dot", "dashdot")  # of the four highlights, in their order
CLEAR = "rgba(0,0,0,0)"
LONGEST = 80  # characters of a label
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn")  # categories of characters that show nothing
_MARKUP = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"}


@dataclass(frozen=True)
class Palette:
    """One theme's colours. ``highlights`` are told apart by dashes as well."""

    name: str
    highlights: tuple[str, str, str, str]
    rest: str
    fill: str
    edge: str
    band: str
    band_words: str
    ink: str
    muted: str
    grid: str
    background: str

    def mark(self, rank: int | None) -> str:
        """Colour of a highlight, 0 to 3; of everything else where rank is None or higher."""
        return self.rest if rank is None or rank >= len(DASHES) else self.highlights[rank]


LIGHT = Palette(
    name="light",
    highlights=("#0072B2", "#D55E00", "#009E73", "#882255"),
    rest="#B9C4CE",
    fill="#9FB0BF",
    edge="#6C7F90",
    band="rgba(213,94,0,.10)",
    band_words="#B34700",
    ink="#1B2733",
    muted="#5B6770",
    grid="#E3E8ED",
    background="#FFFFFF",
)
DARK = Palette(
    name="dark",
    highlights=("#56B4E9", "#F08A4B", "#2BC79A", "#F7D6E6"),
    rest="#4A5867",
    fill="#46566A",
    edge="#7F93A8",
    band="rgba(240,138,75,.14)",
    band_words="#F08A4B",
    ink="#E6EBF0",
    muted="#A9B4BE",
    grid="#28313B",
    background="#11161C",
)


@dataclass(frozen=True)
class Margins:
    """Pixels around the plot; fixed, so that stacked figures stay aligned."""

    left: int = 56
    right: int = 16
    top: int = 24
    bottom: int = 44


def layout(
    palette: Palette, height: int, margins: Margins | None = None, uirevision: str = "view"
) -> Figure:
    """Base of every layout: clear background, fixed margins, no legend. ``height`` in pixels.

    Zoom survives a redraw as long as ``uirevision`` stays the same.
    """
    m = margins or Margins()
    return {
        "height": height,
        "margin": {"l": m.left, "r": m.right, "t": m.top, "b": m.bottom, "pad": 0},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"family": FONT, "size": SIZE, "color": palette.ink},
        "showlegend": False,
        "hovermode": "closest",
        "hoverlabel": {
            "bgcolor": palette.background,
            "bordercolor": palette.rest,
            "font": {"family": FONT, "size": SIZE, "color": palette.ink},
            "align": "left",
            "namelength": -1,
        },
        "uirevision": uirevision,
        "shapes": [],
        "annotations": [],
    }


def axis(palette: Palette, title: str = "", *, grid: bool = False) -> Figure:
    """An axis without line or tick marks; ``title`` carries the unit."""
    return {
        "title": {
            "text": title,
            "font": {"size": SIZE, "color": palette.muted},
            "standoff": 6,
        },
        "ticks": "",
        "ticklabelstandoff": 4,
        "tickfont": {"size": SIZE, "color": palette.muted},
        "showline": False,
        "zeroline": False,
        "showgrid": grid,
        "gridcolor": palette.grid,
        "gridwidth": 1,
        "automargin": False,
        "exponentformat": "power",
        "minexponent": 4,
        "separatethousands": True,
    }


def words(text: str, color: str, *, x: float, y: float, **place: Any) -> Figure:
    """An annotation without arrow; in paper coordinates unless ``place`` says otherwise."""
    note = {"text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", "showarrow": False}
    return note | {"font": {"size": SIZE, "color": color}} | place


def segment(color: str, x: tuple[float, float], y: tuple[float, float], **place: Any) -> Figure:
    """A straight line as a shape; x in data, y in paper unless ``place`` says otherwise."""
    line = {"type": "line", "x0": x[0], "x1": x[1], "y0": y[0], "y1": y[1], "yref": "paper"}
    return line | {"layer": "above", "line": {"color": color, "width": 1}} | place


def shorten(text: str, most: int = LONGEST) -> str:
    """At most ``most`` characters; what is left out is left out in the middle."""
    if len(text) <= most:
        return text
    head = most // 2
    tail = most - 1 - head
    return text[:head].rstrip() + "…" + text[len(text) - tail :].lstrip()


def clean(text: str, most: int = LONGEST) -> str:
    """Text that came with the data, for places that show text as it stands.

    Control and direction characters go, white space becomes one blank, and the middle of what is
    longer than ``most`` characters is left out.
    """
    kept = (c for c in re.sub(r"\s+", " ", text) if unicodedata.category(c) not in HIDDEN)
    return shorten("".join(kept).strip(), most)


def escape(text: str, most: int = LONGEST) -> str:
    """``clean`` text as a label of a figure: nothing in it is read as markup or as a formula."""
    return "".join(_MARKUP.get(c, c) for c in clean(text, most))
