"""Channel against value: where each channel lies, beside the step that all of them share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.figures.channel_axis import ValueAxis, counted, shades, value_axis, value_ticks
from qviz.figures.labels import Place, above, lines_above
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment
from qviz.pipeline.channel_facts import ChannelMap
from qviz.pipeline.channel_rows import ChannelRows, in_rows, ranked
from qviz.spec import PER_TENSOR

HEIGHT = 530
TOP, BOTTOM, LEFT = 40, 46, 64
GAP = 15  # pixels between two names of rows
NAMED = 12  # rows named at most
IN_A_NAME = 2  # channels in one name


def heatmap(
    found: ChannelMap,
    palette: Palette,
    rows: ChannelRows | None = None,
    *,
    height: int = HEIGHT,
    chosen: int | None = None,
) -> Figure:
    """Shade: elements of a row in a bin (log). Blue: own bounds. Orange: what all share.

    ``rows`` are those of ``qviz.pipeline.channel_rows``, by error unless given; ``height`` is in
    pixels, from about 180. A ``chosen`` channel has its name bold. Payload below 60 kB.
    """
    rows = in_rows(ranked(found)) if rows is None else rows
    where = value_axis(found)
    out = layout(palette, height, Margins(LEFT, 12, TOP, BOTTOM), uirevision="channels")
    out["xaxis"] = axis(palette, "value (linear inside one step, then logarithmic)", grid=True)
    out["xaxis"] |= {"range": list(where.view), "fixedrange": True, **value_ticks(where)}
    out["yaxis"] = row_axis(palette, found, rows, height - TOP - BOTTOM, chosen)
    out["shapes"] = _shared_range(found, where, palette)
    out["annotations"] = _names(found, where, palette)
    data = [_shade(found, rows, where, palette)]
    if found.levels.size:
        data.append(_levels(found, rows, where, palette))
    return {"data": [*data, _outline(found, rows, where, palette)], "layout": out}


def row_axis(
    palette: Palette,
    found: ChannelMap,
    rows: ChannelRows,
    pixels: int,
    chosen: int | None = None,
) -> Figure:
    """Rows from top to bottom; only those that matter are named, neighbours by one name."""
    named = row_names(found, rows, pixels, chosen)
    title = rows.group if rows.most == 1 else f"{rows.most:,} {rows.group}s a row"
    return axis(palette, title) | {
        "range": [rows.count - 0.5, -0.5],
        "fixedrange": True,
        "tickvals": [at for at, _ in named],
        "ticktext": [name for _, name in named],
    }


def notable(found: ChannelMap, rows: ChannelRows) -> list[int]:
    """Rows worth a name: loud channels, the worst one, dead, empty and near-dead ones."""
    marked = found.loud | found.dead | found.empty | found.near_dead
    with_mark = np.unique(rows.row_of[marked[rows.order]])[:NAMED]
    values = np.where(np.isnan(found.shared.sqnr), np.inf, found.shared.sqnr)[rows.order]
    ends = {0, rows.count - 1} if rows.count else set()
    worst = {int(rows.row_of[np.argmin(values)])} if values.size else set()
    return sorted({int(row) for row in with_mark} | worst | ends)


def row_names(
    found: ChannelMap, rows: ChannelRows, pixels: int, chosen: int | None = None
) -> list[tuple[float, str]]:
    """Place and name of the rows that are named; names that would touch are one."""
    marked = found.loud | found.dead | found.empty | found.near_dead
    shown = rows.worst(np.where(marked, -found.amax, np.inf))
    lead = np.where(marked[shown], shown, rows.worst(found.shared.sqnr))
    wanted = notable(found, rows)
    bold = None
    if chosen is not None and chosen in rows.order:
        bold = int(rows.row_of[np.flatnonzero(rows.order == chosen)[0]])
        wanted = sorted({*wanted, bold})
    groups: list[list[int]] = []
    for row in wanted:
        near = groups and (row - groups[-1][-1]) * pixels / max(rows.count, 1) < GAP
        groups[-1].append(row) if near else groups.append([row])
    return [
        (_middle(group), f"<b>{chosen}</b>" if bold in group else _name(lead[group]))
        for group in groups
    ]


def _middle(group: Sequence[int]) -> float:
    return (group[0] + group[-1]) / 2


def _name(channels: np.ndarray) -> str:
    text = ", ".join(str(c) for c in channels[:IN_A_NAME])
    return text + ("…" if len(channels) > IN_A_NAME else "")


def _rgba(color: str, alpha: float) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def _shade(found: ChannelMap, rows: ChannelRows, where: ValueAxis, palette: Palette) -> Figure:
    """A byte for each bin: far less to send than floats; nothing lies where it is 0."""
    blue, deep = palette.highlights[0], 0.8 if palette.name == "dark" else 0.72
    scale = [[0, _rgba(blue, 0)], [0.15, _rgba(blue, 0.16)], [1, _rgba(blue, deep)]]
    return {
        "type": "heatmap",
        "x": where.columns.astype(np.float32),
        "y": np.arange(rows.count, dtype=np.int16),
        "z": shades(counted(found, rows, where), where),
        "zmin": 0,
        "zmax": 255,
        "colorscale": scale,
        "showscale": False,
        "hoverinfo": "skip",
    }


def _levels(found: ChannelMap, rows: ChannelRows, where: ValueAxis, palette: Palette) -> Figure:
    """All levels as one line trace; drawn only where they are few."""
    at = np.repeat(where.at(found.levels), 3)
    y = np.tile([-0.5, rows.count - 0.5, np.nan], len(found.levels))
    line = {"color": palette.edge, "width": 1, "dash": "dot"}
    return _line(at.astype(np.float32), y.astype(np.float32), line, "levels")


def _outline(found: ChannelMap, rows: ChannelRows, where: ValueAxis, palette: Palette) -> Figure:
    """Each row's own bounds, as one line down the right side and up the left."""
    there = found.facts.finite > 0
    lo, hi = (np.where(there, end, 0.0) for end in (found.facts.lo, found.facts.hi))
    right, left = where.at(rows.greatest(hi)), where.at(rows.least(lo))
    edges = np.arange(rows.count + 1) - 0.5
    down = np.ravel([edges[:-1], edges[1:]], "F")
    x = np.concatenate([np.repeat(right, 2), np.repeat(left, 2)[::-1], right[:1]])
    y = np.concatenate([down, down[::-1], down[:1]])
    line = {"color": palette.highlights[0], "width": 1.5}
    return _line(x.astype(np.float32), y.astype(np.float32), line, "own bounds")


def _line(x: np.ndarray, y: np.ndarray, line: Figure, name: str) -> Figure:
    kind = {"type": "scatter", "mode": "lines", "name": name, "hoverinfo": "skip"}
    return kind | {"x": x, "y": y, "line": line}


def _shared_range(found: ChannelMap, where: ValueAxis, palette: Palette) -> list[Figure]:
    """The shared bounds dashed, and half a step to both sides of 0 as a band."""
    line = {"color": palette.highlights[1], "width": 2, "dash": "dash"}
    ends = (float(where.at(end[0])) for end in (found.range.lo, found.range.hi))
    out = [segment("", (end, end), (0, 1), line=line) for end in ends]
    if found.step is not None:
        x0, x1 = (float(v) for v in where.at(np.array([-0.5, 0.5]) * found.step))
        band = {"type": "rect", "x0": x0, "x1": x1, "y0": 0, "y1": 1, "yref": "paper"}
        band |= {"line": {"width": 0}, "layer": "above"}
        out.append(band | {"fillcolor": _rgba(palette.highlights[1], 0.28)})
    return out


def _names(found: ChannelMap, where: ValueAxis, palette: Palette) -> list[Figure]:
    """Names above the panel, each in its colour."""
    low, high = where.view
    bound = float(where.at(found.range.hi[0]))
    shared = "shared bound" if found.granularity == PER_TENSOR else "widest token"
    places = [
        Place("becomes 0", palette.band_words, (0.0 - low) / (high - low), bold=True),
        Place(shared, palette.band_words, (bound - low) / (high - low)),
    ]
    places.append(Place("own bounds", palette.highlights[0], 0.0))
    if found.step is None:
        places = places[1:]
    lines = [min(line, 1) for line in lines_above(places)]  # three of them fit into two lines
    return [above(p, line, palette) for p, line in zip(places, lines, strict=True)]
