"""SQNR of each channel under the shared steps and under its own, in the rows of the heatmap."""

from __future__ import annotations

import numpy as np

from qviz.figures.channels import BOTTOM, HEIGHT, TOP
from qviz.figures.numbers import fixed
from qviz.figures.theme import Figure, Margins, Palette, axis, layout, segment, words
from qviz.pipeline.channel_facts import NOTES, ChannelMap
from qviz.pipeline.channel_rows import ChannelRows, in_rows, ranked
from qviz.pipeline.errors import Errors
from qviz.spec import PER_TENSOR

ROOM = 4.0  # dB beside the farthest marks
THRESHOLD = 20.0
LOWEST = -10.0  # dB; what is lower is drawn there
EXACT = "exact"  # the tick at which stands what loses nothing
MOST_TICKS = 5
GAP = 15  # pixels between two words


def dots(
    found: ChannelMap,
    palette: Palette,
    rows: ChannelRows | None = None,
    *,
    height: int = HEIGHT,
    threshold: float = THRESHOLD,
    chosen: int | None = None,
) -> Figure:
    """A dot under shared steps, a diamond under the channel's own; customdata is the channel.

    A row of several channels shows its worst. Dead channels stand at 0 dB with the word "dead",
    those without a finite value have the words alone; what comes back exactly stands at the
    right end, over a tick of its own.
    """
    rows = in_rows(ranked(found)) if rows is None else rows
    channel = rows.worst(found.shared.sqnr)
    view = _view(found, channel)
    gone = found.empty[channel]
    shared, own = (_placed(e.sqnr[channel], view, gone) for e in (found.shared, found.own))
    out = layout(palette, height, Margins(12, 16, TOP, BOTTOM), uirevision="channels")
    out["xaxis"] = axis(palette, f"SQNR of the {rows.group} in dB", grid=True)
    out["xaxis"] |= {"range": list(view), "fixedrange": True, **_ticks(found, channel, view)}
    out["yaxis"] = axis(palette) | {
        "range": [rows.count - 0.5, -0.5], "fixedrange": True, "showticklabels": False
    }  # fmt: skip
    out["shapes"] = _lines(found, palette, view, threshold)
    pixels = (height - TOP - BOTTOM) / max(rows.count, 1)
    out["annotations"] = [
        *_names(found, palette, view, rows.group),
        *_beside(found.dead[channel], "dead", palette, pixels),
        *_beside(gone, NOTES[-1], palette, pixels),
    ]
    marks = (
        _mark(own, channel, palette.highlights[0], "diamond", "own steps")
        | {"text": _told(found, channel, found.own, "own steps")},
        _mark(shared, channel, palette.highlights[1], "circle", _called(found))
        | {"text": _told(found, channel, found.shared, _called(found))},
    )
    ring = [] if chosen is None else _ring(shared, channel, chosen, palette)
    return {"data": [_joins(shared, own, palette), *ring, *marks], "layout": out}


def _called(found: ChannelMap) -> str:
    return "per tensor" if found.granularity == PER_TENSOR else "per token"


def _view(found: ChannelMap, channel: np.ndarray) -> tuple[float, float]:
    both = np.concatenate([found.shared.sqnr[channel], found.own.sqnr[channel]])
    both = both[np.isfinite(both)]
    high = max(float(both.max(initial=THRESHOLD)), THRESHOLD)
    low = max(min(float(both.min(initial=0.0)), 0.0), LOWEST)
    return low - ROOM / 2, high + ROOM


def _placed(values: np.ndarray, view: tuple[float, float], gone: np.ndarray) -> np.ndarray:
    """Inside the view: exact ones at the right end, dead ones at 0, none that are gone."""
    known = np.where(np.isnan(values), 0.0, values)
    inside = np.clip(known, view[0] + ROOM / 4, view[1] - ROOM / 4)
    return np.where(gone, np.nan, inside).astype(np.float32)


def _ticks(found: ChannelMap, channel: np.ndarray, view: tuple[float, float]) -> Figure:
    """A few round ones; with a word at the right end where a dot there loses nothing."""
    both = np.concatenate([found.shared.sqnr[channel], found.own.sqnr[channel]])
    if not np.isposinf(both).any():
        return {"nticks": MOST_TICKS}
    end = view[1] - ROOM / 4
    room = end - 0.2 * (view[1] - view[0])
    step = next(s for s in (5, 10, 20, 50, 100, 200, 1000) if room - view[0] < MOST_TICKS * s)
    round_ones = np.arange(np.ceil(view[0] / step) * step, room, step)
    return {
        "tickvals": [*round_ones.tolist(), end],
        "ticktext": [*(fixed(v, 0) for v in round_ones.tolist()), EXACT],
    }


def _told(found: ChannelMap, channel: np.ndarray, errors: Errors, name: str) -> list[str]:
    """What a dot says: its channel, the steps, and what comes of them."""
    values, silent = errors.sqnr[channel], np.where(found.empty[channel], NOTES[-1], "dead")
    return [
        f"{c}, {name}: {_value(v, str(s))}" for c, v, s in zip(channel, values, silent, strict=True)
    ]


def _mark(at: np.ndarray, channel: np.ndarray, color: str, symbol: str, name: str) -> Figure:
    size = 7 if len(channel) <= 80 else 5
    return {
        "type": "scatter", "mode": "markers", "name": name, "x": at,
        "y": np.arange(len(at), dtype=np.int16), "customdata": channel.astype(np.int32),
        "hoverinfo": "text",
        "marker": {"color": color, "symbol": symbol, "size": size},
    }  # fmt: skip


def _value(sqnr: float, silent: str) -> str:
    if np.isnan(sqnr):
        return silent
    return EXACT if np.isinf(sqnr) else f"{fixed(float(sqnr))} dB"


def _joins(a: np.ndarray, b: np.ndarray, palette: Palette) -> Figure:
    gap = np.full(len(a), np.nan, np.float32)
    y = np.repeat(np.arange(len(a), dtype=np.float32), 3)
    return {
        "type": "scatter", "mode": "lines", "x": np.ravel([a, b, gap], "F"), "y": y,
        "line": {"color": palette.rest, "width": 2}, "hoverinfo": "skip", "name": "gain",
    }  # fmt: skip


def _ring(at: np.ndarray, channel: np.ndarray, chosen: int, palette: Palette) -> list[Figure]:
    row = np.flatnonzero(channel == chosen)
    ring = {"symbol": "circle-open", "size": 14, "color": palette.ink, "line": {"width": 2}}
    return [
        {"type": "scatter", "mode": "markers", "x": at[row], "y": row.astype(np.int16),
         "marker": ring, "hoverinfo": "skip", "name": "chosen"}
    ]  # fmt: skip


def _lines(
    found: ChannelMap, palette: Palette, view: tuple[float, float], threshold: float
) -> list[Figure]:
    """The threshold dotted, and the overall value as a line."""
    dotted = {"color": palette.muted, "width": 1.5, "dash": "dot"}
    out = [segment("", (threshold, threshold), (0, 1), line=dotted, layer="below")]
    overall = found.shared.overall
    if np.isfinite(overall) and view[0] < overall < view[1]:
        line = {"color": palette.highlights[1], "width": 1.5}
        out.append(segment("", (overall, overall), (0, 1), line=line, layer="below"))
    return out


def _names(
    found: ChannelMap, palette: Palette, view: tuple[float, float], group: str
) -> list[Figure]:
    blue, orange = palette.highlights[0], palette.band_words
    place = {"yanchor": "bottom", "y": 1.0}
    out = [
        words(f"● {_called(found)}", orange, x=0.0, xanchor="left", **place),
        words(f"◆ per {group}", blue, x=1.0, xanchor="right", **place),
    ]
    overall = found.shared.overall
    if np.isfinite(overall):
        at = min(max((overall - view[0]) / (view[1] - view[0]), 0.0), 1.0)
        side = "left" if at < 0.33 else "right" if at > 0.67 else "center"
        text = f"overall {fixed(overall)}"
        out.append(words(text, orange, x=at, xanchor=side, yshift=GAP, **place))
    return out


def _beside(these: np.ndarray, text: str, palette: Palette, pixels: float) -> list[Figure]:
    """Words right of 0 dB in rows; once where they stand close."""
    out, last = [], -np.inf
    for row in np.flatnonzero(these):
        if (row - last) * pixels >= GAP:
            out.append(
                words(text, palette.muted, x=0, y=float(row), xref="x", yref="y",
                      xanchor="left", xshift=8, bgcolor=palette.background)
            )  # fmt: skip
            last = row
    return out
