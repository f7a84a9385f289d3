"""Why this range: what an observer weighed, and the place that won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qviz.figures.labels import GAP, End, Place, above, lines_above, log_ticks, named_ends, width_of
from qviz.figures.numbers import number, until_they_differ
from qviz.figures.theme import Figure, Margins, Palette, axis, clean, escape, layout, words
from qviz.observers.base import Decision

PLOT, BOTTOM, LEFT, HEAD = 240, 46, 62, 24  # pixels
MOST_POINTS = 400
NAME = 18  # characters
Lines = Mapping[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class _Look:
    color: str
    dash: str
    width: float
    main: bool = False  # a curve on which the chosen place has a dot


def why_this_range(decision: Decision, palette: Palette, title: str) -> Figure:
    """The weighed curves; chosen places in the first highlight, further marks dotted.

    ``title`` is the observer's. At most 400 points a curve; points that are not finite, or not
    positive on a logarithmic axis, are left out.
    """
    lines = _lines(decision)
    looks = _looks(list(lines), palette)
    view_x = _view([*(x for x, _ in lines.values()), _marked(decision)], decision.log_x, 0.02)
    view_y = _view([y for _, y in lines.values()], decision.log_y, 0.06)
    places = _places(decision, palette, view_x)
    levels = lines_above(places)
    top = HEAD + GAP * (max(levels, default=-1) + 1)
    margins = Margins(LEFT, width_of([clean(name, NAME) for name in lines]), top, BOTTOM)
    base = layout(palette, PLOT + top + BOTTOM, margins)
    base["xaxis"] = _axis(palette, decision.x_title, decision.log_x, view_x)
    base["yaxis"] = _axis(palette, decision.y_title, decision.log_y, view_y)
    ends = [
        End(escape(name, NAME), looks[name].color, *_last(line, decision))
        for name, line in lines.items()
    ]
    base["annotations"] = [
        _title(title, palette, top),
        *named_ends(ends, view_y, PLOT),
        *(above(place, level, palette) for place, level in zip(places, levels, strict=True)),
    ]
    base["shapes"] = [_upright(p, level) for p, level in zip(places, levels, strict=True)]
    traces = [_trace(name, line, looks[name]) for name, line in lines.items()]
    return {"data": [*traces[::-1], *_dots(decision, lines, looks, palette)], "layout": base}


def _lines(decision: Decision) -> Lines:
    """Curves that can be drawn, thinned; the points next to a chosen place stay."""
    found = {}
    for name, values in decision.curves.items():
        x, y = (np.asarray(v, np.float64) for v in (decision.x, values))
        there = np.isfinite(_scaled(x, decision.log_x)) & np.isfinite(_scaled(y, decision.log_y))
        x, y = x[there], y[there]
        if x.size > MOST_POINTS:
            near = [int(np.abs(x - c).argmin()) for c in decision.chosen]
            even = np.linspace(0, x.size - 1, MOST_POINTS - len(near)).round().astype(int)
            keep = np.unique([*even, *near])
            x, y = x[keep], y[keep]
        if x.size:
            found[name] = (x, y)
    return found


@np.errstate(all="ignore")
def _scaled(values: np.ndarray, log: bool) -> np.ndarray:
    """Values in axis coordinates."""
    return np.log10(np.asarray(values, np.float64)) if log else np.asarray(values, np.float64)


def _marked(decision: Decision) -> np.ndarray:
    return np.array([*decision.chosen, *decision.marks.values()], np.float64)


def _view(parts: Sequence[np.ndarray], log: bool, air: float) -> tuple[float, float]:
    """First and last axis coordinate of everything, with air."""
    at = _scaled(np.concatenate([*parts, np.zeros(0)]), log)
    at = at[np.isfinite(at)]
    low, high = (float(at.min()), float(at.max())) if at.size else (0.0, 1.0)
    room = air * (high - low) or 0.5
    return low - room, high + room


def _axis(palette: Palette, title: str, log: bool, view: tuple[float, float]) -> Figure:
    made = axis(palette, escape(title), grid=True) | {"range": [*view]}
    return made | {"type": "log"} | log_ticks(view) if log else made


def _looks(names: Sequence[str], palette: Palette) -> dict[str, _Look]:
    """Clipping orange and dotted, rounding grey and dashed, batches pale; all others ink."""
    looks = {}
    dashes = iter(("solid", "dash", "dot", "dashdot", *["longdash"] * len(names)))
    for name in names:
        if "clip" in name:
            looks[name] = _Look(palette.band_words, "dot", 1.6)
        elif "round" in name:
            looks[name] = _Look(palette.muted, "dash", 1.6)
        elif name.startswith("batch"):
            looks[name] = _Look(palette.edge, "solid", 1)
        else:
            looks[name] = _Look(palette.ink, next(dashes), 2.2, main=True)
    return looks


def _last(line: tuple[np.ndarray, np.ndarray], decision: Decision) -> tuple[float, float]:
    x, y = (part[-1:] for part in line)
    return float(_scaled(x, decision.log_x)[0]), float(_scaled(y, decision.log_y)[0])


def _title(title: str, palette: Palette, top: int) -> Figure:
    place = {"xanchor": "left", "yanchor": "bottom", "yshift": top - HEAD + 2}
    return words(f"<b>{escape(title)}</b>", palette.ink, x=0, y=1, **place)


def _places(decision: Decision, palette: Palette, view: tuple[float, float]) -> list[Place]:
    """Words over the chosen places, then over the marks; a mark names the place it falls on."""
    names = {value: escape(name, NAME) for name, value in decision.marks.items()}
    written = [number(value) for value in decision.chosen]
    if len(decision.chosen) == 2:
        written = list(until_they_differ(*decision.chosen))
    found = [
        (value, f"{names.pop(value, 'chosen:')} {text}", True)
        for value, text in zip(decision.chosen, written, strict=True)
    ]
    found += [(value, f"{name} {number(value)}", False) for value, name in names.items()]
    places = []
    for value, text, bold in found:
        at = float(_scaled(np.array([value]), decision.log_x)[0])
        if np.isfinite(at):
            color = palette.highlights[0] if bold else palette.muted
            places.append(Place(text, color, (at - view[0]) / (view[1] - view[0]), bold))
    return places


def _upright(place: Place, level: int) -> Figure:
    """A line through the panel and up to the words."""
    line = {"color": place.color, "width": 1.4 if place.bold else 1}
    return {
        "type": "line",
        "xref": "x domain",
        "yref": "paper",
        "x0": place.at,
        "x1": place.at,
        "y0": 0,
        "y1": 1 + level * GAP / PLOT,
        "layer": "above" if place.bold else "below",
        "line": line | {"dash": "solid" if place.bold else "dot"},
    }


def _trace(name: str, line: tuple[np.ndarray, np.ndarray], look: _Look) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": line[0].astype(np.float32),
        "y": line[1].astype(np.float32),
        "line": {"color": look.color, "dash": look.dash, "width": look.width},
        "hovertemplate": f"{escape(name)}<br>%{{x:.4~g}}: %{{y:.4~g}}<extra></extra>",
    }


def _dots(
    decision: Decision, lines: Lines, looks: Mapping[str, _Look], palette: Palette
) -> list[Figure]:
    """Chosen places on the main curves."""
    points = [
        (c, float(np.interp(c, *sorted_line(line))))
        for name, line in lines.items()
        if looks[name].main
        for c in decision.chosen
    ]
    if not points:
        return []
    x, y = zip(*points, strict=True)
    marker = {"color": palette.highlights[0], "size": 11, "opacity": 1}
    outline = {"line": {"color": palette.background, "width": 1}}
    trace = {"type": "scatter", "mode": "markers", "x": list(x), "y": list(y)}
    hover = {"hovertemplate": "chosen: %{x:.4~g}<extra></extra>"}
    return [trace | {"marker": marker | outline} | hover]


def sorted_line(line: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The line's points by ascending x, as interpolation asks for."""
    order = np.argsort(line[0], kind="stable")
    return line[0][order], line[1][order]
