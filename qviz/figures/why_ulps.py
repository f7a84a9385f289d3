"""How close each way of dividing comes to the decision boundary, in ulps."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.numbers import number
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment, words
from qviz.pipeline.element_ways import Way

ROW, TOP, BOTTOM, LEFT, RIGHT = 34, 44, 44, 172, 150  # pixels
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
MANY = 1_000  # ulps from which a distance is better told in steps
FEW = 1e5  # ulps that are written out


def boundary_distance(ways: Sequence[Way], palette: Palette) -> Figure:
    """A row per way: its distance, and the step it is rounded to under both rules for ties."""
    reach = max([1.0, *(abs(way.ulps) for way in ways)]) * 1.25
    height = ROW * len(ways)
    figure = layout(palette, height + TOP + BOTTOM, Margins(LEFT, RIGHT, TOP, BOTTOM), "ulps")
    title = f"float32 ulps from the boundary at {number(ways[0].boundary, 7)} steps"
    ticks = [-reach / 1.25, 0.0, reach / 1.25]
    figure |= {
        "xaxis": axis(palette, title, grid=True)
        | {"range": [-reach, reach], "fixedrange": True, "tickvals": ticks}
        | {"ticktext": _ticks(ticks), "tickangle": 0},
        "yaxis": axis(palette)
        | {"range": [len(ways) - 0.5, -0.5], "fixedrange": True, "tickvals": [*range(len(ways))]}
        | {"ticktext": [way.name for way in ways], "tickfont": {"size": 12, "color": palette.ink}},
    }
    dash = {"color": palette.ink, "width": 1.4, "dash": "dash"}
    figure["shapes"].append(segment("", (0.0, 0.0), (0.0, 1.0), line=dash))
    figure["annotations"].append(
        words("decision boundary", palette.muted, x=0.0, xref="x", y=1.0, yanchor="bottom")
    )
    for row, way in enumerate(ways):
        place = {"x": 1.0, "y": row, "yref": "y", "xanchor": "left", "xshift": 10}
        color = palette.ink if way.ulps == 0 else palette.muted
        figure["annotations"].append(words(said(way), color, align="left", **place))
    return {"data": [_marks(ways, palette)], "layout": figure}


def _ticks(ticks: Sequence[float]) -> list[str]:
    """Both ends and 0; of ends that are many ulps off the rows tell in steps."""
    return [_signed(tick) if abs(tick) < MANY else "" for tick in ticks]


def _marks(ways: Sequence[Way], palette: Palette) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [way.ulps for way in ways],
        "y": [*range(len(ways))],
        "marker": {
            "size": 11,
            "opacity": 1,
            "symbol": [*SYMBOLS[: len(ways)]],
            "color": [palette.mark(rank) for rank in range(len(ways))],
        },
        "customdata": [f"{way.quotient:.12g}" for way in ways],
        "hovertemplate": "%{y}: %{customdata} steps<extra></extra>",
    }


def said(way: Way) -> str:
    """``on it: even 4, away 5`` under the two rules for ties, else distance and rounded quotient.

    A distance of many ulps is told in steps; such a quotient rounds alike under every rule.
    """
    if way.ulps == 0:
        even, away = (number(float(q), 6) for q in (way.even, way.away))
        return (
            f"<b>on it</b>: even {even}, away {away}" if even != away else f"<b>on it</b>: {even}"
        )
    if abs(way.ulps) >= MANY:
        off = way.quotient - way.boundary
        return f"{'+' * (off > 0)}{number(off, 4)} steps"
    return f"{_signed(way.ulps)} ulp: rounds to {number(float(way.even), 6)}"


def _signed(ulps: float) -> str:
    text = number(ulps, 2 if abs(ulps) < FEW else 3)
    return f"+{text}" if ulps > 0 else text
