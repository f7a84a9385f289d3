"""Learned scales on their way: clip over step on the error landscape, and the curve beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from qviz.figures.labels import log_ticks
from qviz.figures.numbers import decibels, number
from qviz.figures.theme import (
    DASHES,
    SIZE,
    Figure,
    Margins,
    Palette,
    axis,
    escape,
    layout,
    segment,
    words,
)
from qviz.figures.training_labels import Named, leaders
from qviz.pipeline.fitting import Curve, Path

HEIGHT = 520  # pixels
WAY = Margins(58, 12, 24, 46)
SIDE = Margins(44, 14, 24, 46)
PLOT = (640, HEIGHT - WAY.top - WAY.bottom)  # pixels of the left panel's plot, on a wide screen
ROOM = 1.5  # times the outermost clip: free above and below
FARTHEST = 6.0  # times beyond the best and the starts that a path is followed
SHADES = 96  # of the landscape
SHALLOW = 3.0  # dB below the best that never are darkest
PALE = {  # best to worst; blue words and lines must stay readable on all of them
    "light": ((0.0, "#BDD3E2"), (0.5, "#DCE8F1"), (0.85, "#F3F7FA"), (1.0, "#FFFFFF")),
    "dark": ((0.0, "#141C24"), (0.5, "#1A2E3F"), (0.85, "#25506F"), (1.0, "#2F6A92")),
}
SYMBOLS = ("circle", "square", "diamond", "triangle-up")


def clip_view(paths: Sequence[Path], found: Curve) -> tuple[float, float]:
    """Powers of ten between which clips are shown: starts, best and, not too far off, paths."""
    must = [found.best, *(float(p.clips[0]) for p in paths)]
    ends = [*must, *(float(end) for p in paths for end in (p.clips.min(), p.clips.max()))]
    low, high = max(min(ends), min(must) / FARTHEST), min(max(ends), max(must) * FARTHEST)
    return math.log10(low / ROOM), math.log10(high * ROOM)


def training_path(
    shown: Sequence[Named], found: Curve, palette: Palette, steps: int, at: int
) -> Figure:
    """Clip over gradient step, one line per rule, over the SQNR of each clip as pale shading.

    Lines run up to step ``at``, where a mark stands; one that broke off ends in a cross.
    """
    view = clip_view([one.path for one in shown], found)
    base = layout(palette, HEIGHT, WAY, "training")
    base["xaxis"] = axis(palette, "gradient step") | {"range": [0, steps]}
    base["yaxis"] = _clips(palette, view, found.sign) | _title(palette, "learned clip (log)")
    base["shapes"] = [_best(found, palette)]
    best = f"{found.sign}{number(found.best)}, {decibels(found.best_sqnr)}"
    base["annotations"] = [
        words("the parameter’s way", palette.muted, x=0, y=1, xanchor="left", yanchor="bottom"),
        words(f"dashed: best, {best}", palette.ink, x=1, y=1, xanchor="right", yanchor="bottom"),
        *leaders(shown, view, steps, PLOT, palette),
    ]  # fmt: skip
    lines = [_line(one, at, palette) for one in shown]
    ends = [_cross(one, palette) for one in shown if one.path.reason and not _on(one, at)]
    marks = [_mark(one, min(at, one.path.clips.size - 1), palette) for one in shown if _on(one, at)]
    return {"data": [_landscape(found, view, palette, steps), *lines, *ends, *marks],
            "layout": base}  # fmt: skip


def training_curve(shown: Sequence[Named], found: Curve, palette: Palette, at: int) -> Figure:
    """SQNR of each clip on its side, sharing the clip axis, with a mark per rule."""
    view = clip_view([one.path for one in shown], found)
    base = layout(palette, HEIGHT, SIDE, "training")
    inside = (found.clips >= 10 ** view[0]) & (found.clips <= 10 ** view[1])
    clips, level = (np.asarray(v[inside], np.float32) for v in (found.clips, found.sqnr))
    low = min(float(level.min(initial=found.best_sqnr)), 0.0)
    base["xaxis"] = axis(palette, "SQNR in dB", grid=True) | {"range": [low, found.best_sqnr * 1.1]}
    base["yaxis"] = _clips(palette, view, found.sign, grid=True)
    base["shapes"] = [_best(found, palette)]
    base["annotations"] = [
        words(f"after step {at}", palette.muted, x=1, y=1, xanchor="right", yanchor="bottom")
    ]
    hill = {"type": "scatter", "mode": "lines", "x": level, "y": clips}
    hill |= {"line": {"color": palette.ink, "width": 2}}
    hill |= {"hovertemplate": "clip %{y:.4~g}: %{x:.2f} dB<extra></extra>"}
    return {"data": [hill, *(_dot(one, found, at, palette) for one in shown)], "layout": base}


def _title(palette: Palette, text: str) -> Figure:
    return {"title": {"text": text, "font": {"size": SIZE, "color": palette.muted}, "standoff": 6}}


def _clips(palette: Palette, view: tuple[float, float], sign: str, *, grid: bool = False) -> Figure:
    ticks = log_ticks(view)
    ticks["ticktext"] = [f"{sign}{text}" for text in ticks["ticktext"]]
    return axis(palette, grid=grid) | {"type": "log", "range": list(view)} | ticks


def _best(found: Curve, palette: Palette) -> Figure:
    line = {"color": palette.ink, "width": 1, "dash": "dash"}
    ends = {"xref": "paper", "yref": "y", "layer": "above", "line": line}
    return segment(palette.ink, (0, 1), (found.best, found.best), **ends)


def _landscape(found: Curve, view: tuple[float, float], palette: Palette, steps: int) -> Figure:
    edges = np.logspace(*view, SHADES + 1)
    middle = np.sqrt(edges[1:] * edges[:-1])
    level = np.interp(np.log(middle), np.log(found.clips), found.sqnr)
    lost = np.maximum(found.best_sqnr - level, 0)
    depth = max(float(lost.max()), SHALLOW)
    return {
        "type": "heatmap",
        "x": [0, steps],
        "y": np.asarray(edges, np.float32),
        "z": (-100 * lost[:, None]).astype(np.int16),
        "zmin": -100 * depth,
        "zmax": 0,
        "colorscale": [list(stop) for stop in PALE[palette.name]],
        "showscale": False,
        "hoverinfo": "skip",
    }


def _line(one: Named, at: int, palette: Palette) -> Figure:
    style = {"color": palette.mark(one.rank), "width": 2.4, "dash": DASHES[one.rank]}
    return {
        "type": "scatter",
        "mode": "lines",
        "y": np.asarray(one.path.clips[: at + 1], np.float32),
        "line": style,
        "hovertemplate": f"{escape(one.name)}, step %{{x}}: %{{y:.4~g}}<extra></extra>",
    }


def _mark(one: Named, at: int, palette: Palette) -> Figure:
    return _spot(one, at, float(one.path.clips[at]), SYMBOLS[one.rank], palette)


def _dot(one: Named, found: Curve, at: int, palette: Palette) -> Figure:
    clip = float(one.path.clips[min(at, one.path.clips.size - 1)])
    level = float(found.level(one.path.losses)[min(at, one.path.clips.size - 1)])
    return _spot(one, level, clip, SYMBOLS[one.rank], palette)


def _on(one: Named, at: int) -> bool:
    """Whether the parameter still is a grid after step ``at``."""
    return not one.path.reason or at < one.path.clips.size - 1


def _cross(one: Named, palette: Palette) -> Figure:
    last = one.path.clips.size - 1
    made = _spot(one, last, float(one.path.clips[last]), "x", palette)
    made["hovertemplate"] = f"{escape(one.name)} {one.path.reason} here<extra></extra>"
    return made | {"marker": made["marker"] | {"size": 12}}


def _spot(one: Named, x: float, y: float, symbol: str, palette: Palette) -> Figure:
    edge = {"color": palette.background, "width": 1.5}
    look = {"symbol": symbol, "size": 10, "opacity": 1, "line": edge}
    look |= {"color": palette.mark(one.rank)}
    said = f"{escape(one.name)}: %{{y:.4~g}}<extra></extra>"
    return {"type": "scatter", "mode": "markers", "x": [x], "y": [y], "marker": look,
            "cliponaxis": False, "hovertemplate": said}  # fmt: skip
