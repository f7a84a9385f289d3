"""Traces of the hill: curves, dots, rows, parts of the error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.figures.landscape_marks import YOU, Dot, grey_first, hover, marker
from qviz.figures.numbers import MINUS
from qviz.figures.rows import BLANK, rank_of
from qviz.figures.theme import Figure, Palette
from qviz.pipeline.landscape_views import BOTH, LOWER, Hill, clip_of, raised

BINS = 160  # of a curve that ripples
PREFIX = {BOTH: "±", LOWER: MINUS}  # of a clip, by the ends it moves


def place(hill: Hill, dot: Dot) -> float:
    """Where a row stands on the axis of clips, inside the view."""
    clip = clip_of(hill.side, dot.bar.lo, dot.bar.hi)
    return float(np.clip(clip, hill.clip[0], hill.clip[-1]))


def _line(x: np.ndarray, y: np.ndarray, color: str, width: float, dash: str) -> Figure:
    line = {"color": color, "width": width, "dash": dash}
    points = {"x": x.astype(np.float32), "y": y.astype(np.float32)}
    return {"type": "scatter", "mode": "lines", **points, "line": line, "hoverinfo": "skip"}


def high(hill: Hill, dot: Dot) -> float:
    """Height of a row in dB; the top where nothing is lost."""
    return float(raised(hill.parts.sqnr).max()) if dot.bar.value is None else dot.bar.value


def drawn(hill: Hill) -> np.ndarray:
    """Which points are drawn: all, or of a curve that ripples the highest in each of 160 bins."""
    if not hill.ripples:
        return np.arange(len(hill.clip))
    starts, height = _bins(hill.clip), raised(hill.parts.sqnr)
    tops = [int(part.argmax()) for part in np.split(height, starts[1:])]
    return starts + np.array(tops)


def _bins(clip: np.ndarray) -> np.ndarray:
    """First points of bins of equal width on the axis."""
    place = np.log(clip / clip[0]) / np.log(clip[-1] / clip[0])
    return np.unique(np.floor(place * BINS), return_index=True)[1]


def _band(hill: Hill, palette: Palette) -> list[Figure]:
    """From the highest down to the lowest of each bin, where the curve ripples."""
    if not hill.ripples:
        return []
    at, height = drawn(hill), raised(hill.parts.sqnr)
    low = np.minimum.reduceat(height, _bins(hill.clip))
    x = np.concatenate([hill.clip[at], hill.clip[at][::-1]])
    line = _line(x, np.concatenate([height[at], low[::-1]]), palette.ink, 0, "solid")
    return [line | {"fill": "toself", "fillcolor": faded(palette.edge, 0.35)}]


def curves(hill: Hill, height: tuple[float, float], palette: Palette) -> list[Figure]:
    """The hill, and above it the two limits up to the roof."""
    out, at = _band(hill, palette), drawn(hill)
    for limit, color, dash in limits(hill, palette):
        low = at[limit[at] <= height[1]]
        out.append(_line(hill.clip[low], limit[low], color, 1.5, dash))
    sign = PREFIX.get(hill.side, "")
    told = {
        "hoverinfo": "all",
        "hovertemplate": f"{sign}%{{x:.3g}}: %{{y:.1f}} dB<extra></extra>",
    }
    line = _line(hill.clip[at], raised(hill.parts.sqnr)[at], palette.ink, 2.4, "solid")
    return [*out, line | told]


def limits(hill: Hill, palette: Palette) -> list[tuple[np.ndarray, str, str]]:
    """SQNR if only clipping hurt, and if only rounding did: values, colour, dash."""
    p = hill.parts
    return [
        (p.only_clipping, palette.band_words, "dot"),
        (p.only_rounding, palette.muted, "dash"),
    ]


def on_hill(
    hill: Hill, shown: Sequence[Dot], highlights: Sequence[str], palette: Palette, top: float | None
) -> list[Figure]:
    """A dot of each row on the hill."""
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [place(hill, dot) for dot in shown],
            "y": [high(hill, dot) for dot in shown],
            "marker": marker(shown, highlights, palette),
            "cliponaxis": False,
            "hoverinfo": "text",
            "hovertext": [hover(dot, top) for dot in shown],
            "customdata": [dot.bar.spelling for dot in shown],
        }
    ]


def rows(
    hill: Hill, dots: Sequence[Dot], highlights: Sequence[str], palette: Palette, top: float | None
) -> list[Figure]:
    """Stems from the left, a dot at each clip, the dB at the right."""
    at = {dot.bar.spelling: i for i, dot in enumerate(dots)}
    shown, out = grey_first(dots, highlights), []
    for dot in shown:
        rank = rank_of(dot.bar, highlights)
        line = {"color": palette.mark(rank), "width": 1.5 if rank is None else 3}
        y = at[dot.bar.spelling]
        out.append((float(hill.clip[0]), place(hill, dot), y, line))
    return [
        *_stems(out),
        on_hill(hill, shown, highlights, palette, top)[0]
        | {"y": [at[dot.bar.spelling] for dot in shown], "yaxis": "y2"},
        _column(dots, highlights, palette),
    ]


def _stems(stems: Sequence[tuple[float, float, int, Figure]]) -> list[Figure]:
    """Lines of one look as one trace, with gaps."""
    looks: dict[tuple[str, float], Figure] = {}
    for start, end, y, line in stems:
        trace = looks.setdefault(
            (line["color"], line["width"]),
            {"type": "scatter", "mode": "lines", "x": [], "y": [], "line": line, "yaxis": "y2"}
            | {"hoverinfo": "skip"},
        )
        trace["x"] += [start, end, None]
        trace["y"] += [y, y, None]
    return list(looks.values())


def _column(dots: Sequence[Dot], highlights: Sequence[str], palette: Palette) -> Figure:
    ranks = [rank_of(dot.bar, highlights) for dot in dots]
    mixed = len({dot.bar.approximate for dot in dots if dot.served}) > 1
    text = [("≈ " if mixed and d.bar.approximate else "") + d.bar.text for d in dots]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [1.0] * len(dots),
        "y": list(range(len(dots))),
        "xaxis": "x2",
        "yaxis": "y2",
        "text": [BLANK + t for t in text],
        "textposition": "middle right",
        "textfont": {"color": [palette.muted if r is None else palette.mark(r) for r in ranks]},
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [dot.bar.refused or "" for dot in dots],
    }


def parts(hill: Hill, palette: Palette) -> list[Figure]:
    """The share of clipping, filled from below."""
    at = drawn(hill)
    line = _line(hill.clip[at], hill.parts.share[at], palette.band_words, 1, "solid")
    told = "%{x:.3g}: %{y:.1%} of the error is clipping<extra></extra>"
    look = {"fill": "tozeroy", "fillcolor": faded(palette.highlights[1], 0.3), "yaxis": "y3"}
    return [line | look | {"hoverinfo": "all", "hovertemplate": told}]


def you_mark(hill: Hill, dot: Dot, palette: Palette, top: float | None) -> Figure:
    """The dot whose range is moved by hand."""
    rim = {"color": palette.ink, "width": 2.5}
    look = {"symbol": "diamond", "size": 13, "color": palette.background, "line": rim}
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [place(hill, dot)],
        "y": [high(hill, dot)],
        "marker": look,
        "text": [f"{BLANK}<b>{YOU}</b>{BLANK}"],
        "textposition": "top left" if _rises(hill, place(hill, dot)) else "top right",
        "textfont": {"color": palette.ink},
        "hoverinfo": "text",
        "hovertext": [hover(dot, top)],
    }


def _rises(hill: Hill, clip: float) -> bool:
    """Whether the best clip lies farther out, so that the curve rises to the right."""
    return clip < hill.best


def faded(color: str, alpha: float) -> str:
    """A hexadecimal colour with an opacity."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"
