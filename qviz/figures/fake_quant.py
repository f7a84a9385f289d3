"""One fake-quantize mode at work: staircase above, gradients below, on one x axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.figures.batches import faint
from qviz.figures.fake_quant_frame import Frame, ticks
from qviz.figures.fake_quant_labels import acting, placed
from qviz.figures.numbers import integer, interval, number
from qviz.figures.theme import Figure, Margins, Palette, axis, escape, layout, segment, words
from qviz.pipeline.training_gradients import SAME, Line, Picked, Portrait

HEIGHT = 322  # pixels
MARGINS = Margins(44, 10, 24, 26)
UPPER, LOWER = (0.375, 1.0), (0.0, 0.29)  # shares of the height
STRIP = (-1.3, 2.1)  # of the gradients; words stand above 1
LARGEST = 1.5  # of a parameter's gradient drawn as it is; what is larger is divided
STYLES = (("solid", 1), ("dash", 3))  # dash and rank of the colour of a parameter's line


def small_multiple(
    shown: Portrait,
    title: str,
    frame: Frame,
    palette: Palette,
    mark: Picked | None = None,
    difference: tuple[Line, float] | None = None,
) -> Figure:
    """Staircase and gradients of one mode; shaded where x gets no gradient.

    ``mark`` is the picked element. With ``difference`` (a line, and the largest difference of
    all small multiples) the upper panel shows that instead of the staircase.
    """
    base = layout(palette, HEIGHT, MARGINS, "fake-quant")
    ticked = ticks(frame)
    base["xaxis"] = axis(palette, grid=True) | ticked | {"range": list(frame.view), "anchor": "y2"}
    base["yaxis"] = axis(palette, grid=True) | ticked | {"range": list(frame.view)}
    base["yaxis2"] = axis(palette, grid=True) | {
        "range": list(STRIP),
        "domain": list(LOWER),
        "tickvals": [-1, 0, 1],
        "ticktext": ["−1", "0", "1"],
    }
    base["yaxis"]["domain"] = list(UPPER)
    upper = _stairs(shown, frame, palette) if difference is None else _minus(difference, palette)
    if difference is not None:
        base["yaxis"] |= _difference_axis(difference[1])
    base["shapes"] = [_shade(run, frame, palette) for run in shown.blocked]
    base["annotations"] = [
        words(f"<b>{escape(title, 26)}</b>", palette.ink, x=0, y=1, **_over("left")),
        words(_right_words(shown, difference), palette.muted, x=1, y=1, **_over("right")),
        *_covered(shown, frame, palette, difference is None),
        *_names(shown, frame, palette),
    ]
    if frame.data is not None:
        base["shapes"] += _data(frame, palette)
    lower = _strip(shown, palette)
    marks = [] if mark is None else _marks(mark, frame, palette, difference is None)
    return {"data": [*upper, *lower, *marks], "layout": base}


def _stairs(shown: Portrait, frame: Frame, palette: Palette) -> list[Figure]:
    blue = {"color": palette.highlights[0], "width": 2.4}
    same = {"color": palette.muted, "width": 1, "dash": "dot"}
    hover = "%{x:.4~g} comes back as %{y:.4~g}<extra></extra>"
    view = list(frame.view)
    return [
        _lines(view, view, same, hoverinfo="skip"),
        _lines(*shown.stairs, blue, hovertemplate=hover),
    ]


def _minus(difference: tuple[Line, float], palette: Palette) -> list[Figure]:
    line = {"color": palette.highlights[0], "width": 1.6}
    hover = "at %{x:.4~g}: %{y:.4~g}<extra></extra>"
    return [_lines(*difference[0], line, hovertemplate=hover)]


def _difference_axis(most: float) -> Figure:
    most = most or 1.0
    values = [-most, 0.0, most]
    return {
        "range": [-1.15 * most, 1.15 * most],
        "tickvals": values,
        "ticktext": [number(v, 2) for v in values],
    }


def _strip(shown: Portrait, palette: Palette) -> list[Figure]:
    blue = palette.highlights[0]
    fill = {"fill": "tozeroy", "fillcolor": faint(blue, 0.12), "yaxis": "y2"}
    hover = "gradient to x: %{y:.3~g}<extra></extra>"
    made = [_lines(*shown.to_x, {"color": blue, "width": 1.6}, hovertemplate=hover, **fill)]
    for rank, (name, (x, y)) in enumerate(shown.parameters.items()):
        dash, hue = STYLES[min(rank, 1)]
        line = {"color": palette.highlights[hue], "width": 1.6, "dash": dash}
        told = f"gradient to {escape(name)}: %{{customdata:.3~g}}<extra></extra>"
        made.append(
            _lines(x, y / divisor(y), line, yaxis="y2", hovertemplate=told, customdata=_short(y))
        )
    return made


def divisor(y: np.ndarray) -> float:
    """What a parameter's gradient is divided by so that it fits the strip; 1 where it does."""
    largest = float(np.abs(y).max())
    return largest if largest > LARGEST else 1.0


def _short(values: Sequence[float] | np.ndarray) -> np.ndarray:
    return np.asarray(values, np.float32)


def _lines(x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray, line: Figure,
           **more: object) -> Figure:  # fmt: skip
    made = {"type": "scatter", "mode": "lines", "x": _short(x), "y": _short(y), "line": line}
    return made | more


def _shade(run: tuple[float, float], frame: Frame, palette: Palette) -> Figure:
    x0, x1 = (min(max(v, frame.view[0]), frame.view[1]) for v in run)
    rect = {"type": "rect", "x0": x0, "x1": x1, "yref": "paper", "layer": "below"}
    return rect | {"y0": 0, "y1": 1, "line": {"width": 0}, "fillcolor": palette.band}


def _data(frame: Frame, palette: Palette) -> list[Figure]:
    """A thick grey stroke under the staircase where the tensor's values lie."""
    if frame.data is None:
        return []
    ends = [min(max(v, frame.view[0]), frame.view[1]) for v in frame.data]
    line = {"color": palette.edge, "width": 3}
    return [segment(palette.edge, (ends[0], ends[1]), (UPPER[0], UPPER[0]), line=line)]


def _over(side: str) -> Figure:
    return {"xanchor": side, "yanchor": "bottom"}


def _right_words(shown: Portrait, difference: tuple[Line, float] | None) -> str:
    if difference is not None:
        x, y = difference[0]
        most = float(np.abs(y).max())
        if most < SAME * (x[-1] - x[0]):
            return "last bits" if most else "the same"
        return f"at most {number(most, 2)}"
    return f"{integer(shown.levels)} level{'' if shown.levels == 1 else 's'}"


def _covered(shown: Portrait, frame: Frame, palette: Palette, stairs: bool) -> list[Figure]:
    if not stairs:
        return []
    place = {"xanchor": "right", "yanchor": "bottom", "bgcolor": palette.background, "xshift": -6}
    text = interval(shown.lo, shown.hi)
    return [words(text, palette.highlights[0], x=1, y=UPPER[0] + 0.02, **place)]


def _names(shown: Portrait, frame: Frame, palette: Palette) -> list[Figure]:
    """``to x`` and the parameters, above the strip where they act."""
    wanted = acting(shown, frame.view)
    colors = [palette.highlights[0]]
    colors += [palette.highlights[STYLES[min(i, 1)][1]] for i in range(len(shown.parameters))]
    said = ["to x"]
    for name, (_, y) in shown.parameters.items():
        most = divisor(y)
        said.append(f"to {escape(name, 12)}" + (f" ÷ {number(most, 2)}" if most != 1 else ""))
    shares = placed(said, wanted)
    return [
        words(text, color, x=share, y=LOWER[1], xanchor="center", yanchor="top", yshift=-1)
        for text, color, share in zip(said, colors, shares, strict=True)
    ]


def _marks(mark: Picked, frame: Frame, palette: Palette, stairs: bool) -> list[Figure]:
    """The picked element on the staircase and on the strip."""
    if not frame.view[0] <= mark.x <= frame.view[1]:
        return []
    dot = {"color": palette.highlights[2], "size": 9, "opacity": 1}
    dot |= {"line": {"color": palette.background, "width": 1.5}}
    hover = "the picked element<extra></extra>"
    spot = {"type": "scatter", "mode": "markers", "marker": dot, "hovertemplate": hover}
    below = spot | {"x": [mark.x], "y": [mark.to_x], "yaxis": "y2"}
    return [spot | {"x": [mark.x], "y": [mark.back]}, below] if stairs else [below]
