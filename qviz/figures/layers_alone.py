"""What each tensor costs alone, what all up to it come to, and what all but it do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qviz.figures.layers_names import told_apart
from qviz.figures.layers_panels import (
    CALM,
    Panel,
    band,
    hit_rows,
    key,
    left_out,
    names_axis,
    names_width,
    panels_of,
    placed,
    span_of,
    title_of,
    view_of,
    x_axis,
)
from qviz.figures.numbers import decibels, integer, percent
from qviz.figures.theme import Figure, Margins, Palette, escape, layout, words
from qviz.models.alone import Alone, Outcome, Sensitivity, ranked
from qviz.models.shares import wilson

ROW, TOP, BOTTOM = 39, 34, 48  # pixels
MOST = 40  # rows
COSTLY = 0.05  # accuracy from which a row gets a band and its numbers
LABEL = 30  # characters of a name
COSTLY_DB = 10.0  # without labels: output SQNR below which it does


def shown_rows(cost: Sensitivity) -> list[Alone]:
    """Rows in network order; of many only those that cost most."""
    judged = [row for row in cost.rows if not row.note]
    kept = {row.name for row in ranked(judged, cost.samples)[:MOST]}
    return [row for row in judged if row.name in kept]


@dataclass(frozen=True, eq=False)
class Scene:
    """What all marks need: rows, places of those that cost much, the view in dB, and samples."""

    rows: Sequence[Alone]
    hurt: frozenset[int]
    view: tuple[float, float]
    samples: int
    palette: Palette


def layers_alone(
    cost: Sensitivity, beside: Sensitivity | None, palette: Palette, chosen: str | None = None
) -> Figure:
    """Common rows; a dot for the schemes, a diamond for those of ``beside``, joined.

    The path downwards and the proof at the right are there where they were measured.
    """
    rows = shown_rows(cost)
    panels = panels_of(rows, cost.accuracy is not None)
    hurt = frozenset(at for at, row in enumerate(rows) if costly(row, cost.accuracy))
    known = [row.alone for some in (cost, beside) if some for row in some.rows]
    scene = Scene(rows, hurt, view_of(known), cost.samples, palette)
    others = None if beside is None else {row.name: row.alone for row in beside.rows}
    names = told_apart([row.name for row in rows], LABEL)
    height = TOP + BOTTOM + ROW * len(rows)
    margins = Margins(names_width(rows, names.labels), 16, TOP, BOTTOM)
    out = layout(palette, height, margins, uirevision="layers-alone")
    for panel in panels:
        out["xaxis" + panel.axis[1:]] = x_axis(panel, scene.view, palette)
    out["yaxis"] = names_axis(rows, palette, names.labels, chosen)
    out["shapes"] = [band(at, palette) for at in sorted(hurt)]
    out["annotations"] = [title_of(panel, palette) for panel in panels]
    out["annotations"] += key(palette) if others is not None else []
    out["annotations"] += left_out(names.words, BOTTOM, palette)
    out["annotations"] += _numbers(scene, others or {})
    out["annotations"] += _proofs(scene) if panels[-1].axis == "x3" else []
    rest = [_rest(scene, panel) for panel in panels[1:]]
    hits = [_hits(scene, panel) for panel in panels]
    return {"data": [*hits, *_alone(scene, others), *rest], "layout": out}


def costly(row: Alone, accuracy: float | None) -> bool:
    """Whether quantizing it alone costs more than 5 points, or without labels too many dB."""
    if accuracy is not None and row.alone.accuracy is not None:
        return accuracy - row.alone.accuracy > COSTLY
    return row.alone.sqnr is not None and row.alone.sqnr < COSTLY_DB


def _numbers(scene: Scene, others: Mapping[str, Outcome]) -> list[Figure]:
    out = []
    for at in sorted(scene.hurt):
        one, other = scene.rows[at].alone, others.get(scene.rows[at].name)
        text = f"<b>{_said(one)}</b>" + (f" → <b>{_said(other)}</b>" if other else "")
        ends = [placed(o, scene.view) for o in (one, other) if o is not None]
        right = max((end for end in ends if end is not None), default=scene.view[0])
        tail = " right" if one.accuracy is not None else ""
        out.append(
            words(text + tail, scene.palette.band_words, x=right, y=at, xref="x", yref="y",
                  xanchor="left", xshift=12)
        )  # fmt: skip
    return out


def _proofs(scene: Scene) -> list[Figure]:
    """What all but a costly row come to, left of its dot."""
    return [
        words(
            f"<b>{percent(but.accuracy)}</b>", scene.palette.highlights[2], y=at,
            x=100 * but.accuracy, xref="x3", yref="y", xanchor="right", xshift=-10,
        )
        for at in sorted(scene.hurt)
        if (but := scene.rows[at].but) is not None and but.accuracy is not None
    ]  # fmt: skip


def _said(outcome: Outcome) -> str:
    if outcome.accuracy is not None:
        return percent(outcome.accuracy)
    return "exact" if outcome.lossless else decibels(outcome.sqnr)


def _alone(scene: Scene, others: Mapping[str, Outcome] | None) -> list[Figure]:
    rows, palette = scene.rows, scene.palette
    y = range(len(rows))
    x = [placed(row.alone, scene.view) for row in rows]
    colors = [palette.highlights[1] if at in scene.hurt else palette.edge for at in y]
    marker = {"size": 11, "color": colors}
    dots = _marks(scene, x, [row.alone for row in rows], marker, "as chosen")
    if others is None:
        return [dots]
    made = [others.get(row.name, Outcome()) for row in rows]
    there = [placed(outcome, scene.view) for outcome in made]
    blue = {"size": 10, "color": palette.highlights[0], "symbol": "diamond"}
    join = {
        "type": "scatter", "mode": "lines", "hoverinfo": "skip", "name": "gain",
        "x": [v for a, b in zip(x, there, strict=True) for v in (a, b, None)],
        "y": [v for at in y for v in (at, at, None)], "line": {"color": palette.rest, "width": 3},
    }  # fmt: skip
    return [join, dots, _marks(scene, there, made, blue, "per channel")]


def _marks(
    scene: Scene,
    x: Sequence[float | None],
    outcomes: Sequence[Outcome],
    marker: Figure,
    name: str,
) -> Figure:
    pairs = zip(scene.rows, outcomes, strict=True)
    return {
        "type": "scatter", "mode": "markers", "name": name, "x": list(x), "hoverinfo": "text",
        "y": list(range(len(x))), "customdata": [row.name for row in scene.rows],
        "text": [_hover(row, name, o, scene.samples) for row, o in pairs], "marker": marker,
        "selected": CALM, "unselected": CALM,
    }  # fmt: skip


def _hits(scene: Scene, panel: Panel) -> Figure:
    outcomes = [panel.outcome(row) or Outcome() for row in scene.rows]
    pairs = zip(scene.rows, outcomes, strict=True)
    told = [_hover(row, panel.title, outcome, scene.samples) for row, outcome in pairs]
    return hit_rows([row.name for row in scene.rows], told, span_of(panel, scene.view), panel.axis)


def _hover(row: Alone, name: str, outcome: Outcome, samples: int) -> str:
    right = ""
    if outcome.accuracy is not None and samples:
        low, high = wilson(outcome.accuracy, samples)
        right = f"<br>{percent(outcome.accuracy)} of {integer(samples)} right"
        right += f"<br>95 % interval {percent(low)} to {percent(high)}"
    lost = "exact" if outcome.lossless else decibels(outcome.sqnr)
    return f"<b>{escape(row.name)}</b>, {name}<br>output {lost}{right}"


def _rest(scene: Scene, panel: Panel) -> Figure:
    palette = scene.palette
    outcomes = [panel.outcome(row) or Outcome() for row in scene.rows]
    x = [_share(o) if panel.share else placed(o, scene.view) for o in outcomes]
    path = panel.axis == "x2"
    green = [palette.highlights[2] if at in scene.hurt else palette.edge for at in range(len(x))]
    marker = {"size": 9 if path else 11, "color": palette.ink if path else green}
    made = _marks(scene, x, outcomes, marker, panel.title) | {"xaxis": panel.axis}
    line = {"mode": "lines+markers", "line": {"color": palette.ink, "width": 2}}
    return made | (line if path else {})


def _share(outcome: Outcome) -> float | None:
    return None if outcome.accuracy is None else 100 * outcome.accuracy
