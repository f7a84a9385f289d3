"""One stateful object through the batches: what it holds, and what a batch goes through."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.figures.batches import faint
from qviz.figures.fake_quant_labels import placed
from qviz.figures.numbers import interval, number
from qviz.figures.theme import Figure, Margins, Palette, axis, escape, layout, segment, words
from qviz.pipeline.training_batches import Ride

HEIGHT = 250  # pixels
MARGINS = Margins(44, 10, 40, 40)
MOST_POINTS = 256  # batches drawn
BEYOND = 1.5  # times the batches' width that a range may pull the view
ROOM = 0.08
Ends = tuple[float, float]


def shared_view(rides: Sequence[Ride], batches: np.ndarray) -> Ends:
    """The y axis of all small multiples: batches, and ranges that are not too far off."""
    finite = batches[np.isfinite(batches)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 1.0)
    width = (high - low) or abs(high) or 1.0
    for ride in rides:
        ends = np.concatenate([ride.held.ravel(), ride.used.ravel()])
        ends = ends[np.isfinite(ends)]
        if ends.size:
            low = min(low, max(float(ends.min()), low - BEYOND * width))
            high = max(high, min(float(ends.max()), high + BEYOND * width))
    return low - ROOM * (high - low), high + ROOM * (high - low)


def by_batch(
    ride: Ride,
    title: str,
    batches: np.ndarray,
    palette: Palette,
    view: Ends,
    trained: int,
) -> Figure:
    """Blue band: the range held after each batch; orange: the grid the batch went through.

    Grey ticks are each batch's own extremes, (batches, 2). A line parts training from
    evaluation.
    """
    count = len(batches)
    base = layout(palette, HEIGHT, MARGINS, "batches")
    base["xaxis"] = axis(palette, "batch") | {"range": [0.5, max(count, 1) + 0.5]}
    base["xaxis"] |= {"dtick": max(1, round(count / 8))} | {"tick0": 1}
    base["yaxis"] = axis(palette, grid=True) | {"range": list(view), "nticks": 5}
    if 0 < trained < count:
        base["shapes"] = [segment(palette.muted, (trained + 0.5, trained + 0.5), (0, 1))]
    named = {"held": (ride.held, palette.highlights[0], 0.0)}
    named |= {"goes through": (ride.used, palette.band_words, 0.35)}
    named = {name: one for name, one in named.items() if _in_view(one[0], view)}
    shares = placed(list(named), [share for _, _, share in named.values()])
    base["annotations"] = [
        words(f"<b>{escape(title, 36)}</b>", palette.ink, x=0, y=1, xanchor="left",
              yanchor="bottom", yshift=16),
        *(
            words(name, color, x=share, y=1, xanchor="center", yanchor="bottom")
            for (name, (_, color, _)), share in zip(named.items(), shares, strict=True)
        ),
        words(_last(ride), palette.muted, x=1, y=1, xanchor="right", yanchor="bottom"),
    ]  # fmt: skip
    return {
        "data": [*_band(ride, palette), *_through(ride, palette), _ticks(batches, palette)],
        "layout": base,
    }


def _in_view(ends: np.ndarray, view: Ends) -> bool:
    """Whether a range reaches into the picture after some batch."""
    there = ends[np.isfinite(ends).all(axis=1)]
    return bool(((there >= view[0]) & (there <= view[1])).any())


def _last(ride: Ride) -> str:
    if not len(ride.held) or not np.isfinite(ride.held[-1]).all():
        return "no range yet"
    return interval(float(ride.held[-1, 0]), float(ride.held[-1, 1]))


def _some(count: int) -> np.ndarray:
    """Places of at most 256 batches, the last one among them."""
    if count <= MOST_POINTS:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, MOST_POINTS).round().astype(int))


def _there(ends: np.ndarray) -> np.ndarray:
    some = _some(len(ends))
    return some[np.isfinite(ends[some]).all(axis=1)]


def _band(ride: Ride, palette: Palette) -> list[Figure]:
    at, blue = _there(ride.held), palette.highlights[0]
    hover = "after batch %{x} it holds %{y:.4~g}<extra></extra>"
    lower, upper = (
        {
            "type": "scatter",
            "mode": "lines+markers" if len(at) == 1 else "lines",
            "x": (at + 1).tolist(),
            "y": np.asarray(ride.held[at, end], np.float32),
            "line": {"color": blue, "width": 2},
            "hovertemplate": hover,
        }
        for end in (0, 1)
    )
    return [lower, upper | {"fill": "tonexty", "fillcolor": faint(blue)}]


def _through(ride: Ride, palette: Palette) -> list[Figure]:
    """The ends of the grid, broken where a batch was handed through."""
    some = _some(len(ride.used))
    line = {"color": palette.highlights[1], "width": 1.6, "dash": "dash"}
    hover = "batch %{x} goes through a grid that ends at %{y:.4~g}<extra></extra>"
    return [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(some) == 1 else "lines",
            "x": (some + 1).tolist(),
            "y": [None if np.isnan(v) else float(np.float32(v)) for v in ride.used[some, end]],
            "line": line,
            "hovertemplate": hover,
        }
        for end in (0, 1)
    ]


def _ticks(batches: np.ndarray, palette: Palette) -> Figure:
    at = _there(batches)
    size = float(np.clip(200 / max(len(batches), 1), 2, 8))
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.repeat(at + 1, 2).tolist(),
        "y": np.asarray(batches[at].ravel(), np.float32),
        "marker": {
            "symbol": "line-ew",
            "size": size,
            "opacity": 1,
            "line": {"color": palette.edge, "width": 2},
        },
        "hovertemplate": "batch %{x} reaches %{y:.4~g}<extra></extra>",
    }


def scale_text(scale: float | None, zero_point: float | None) -> str:
    """``0.0471, zero point 17``; a dash where there is none."""
    if scale is None or zero_point is None:
        return "–"
    return f"{number(scale, 4)}, zero point {number(zero_point)}"
