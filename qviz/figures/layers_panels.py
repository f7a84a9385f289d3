"""The columns of the picture of what each tensor costs: which there are, and their axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from qviz.figures.labels import width_of
from qviz.figures.layers_names import lines
from qviz.figures.theme import CLEAR, LONGEST, SIZE, Figure, Palette, axis, clean, escape, words
from qviz.models.alone import Alone, Outcome

LOWEST, ROOM = -10.0, 6.0  # dB; what is lower is drawn there
GAP = 0.05  # of the width, between two panels
SHARES = (-4.0, 104.0)  # ends of an axis in %
BESIDE = 24  # characters of a name and its operation on one line
CALM = {"marker": {"opacity": 1}}  # choosing one mark does not dim the others


@dataclass(frozen=True)
class Panel:
    """One column of marks: its words, its x axis, and which outcome it shows."""

    title: str
    axis: str
    domain: tuple[float, float]
    outcome: Callable[[Alone], Outcome | None]
    share: bool


def panels_of(rows: Sequence[Alone], labels: bool) -> list[Panel]:
    """The columns that were measured; the later two in shares of 1 where ``labels`` are there."""
    upto, but = (any(getattr(r, k) is not None for r in rows) for k in ("upto", "but"))
    wide = 1.0 - 0.25 * upto - 0.25 * but
    made = [Panel("this one alone", "x", (0.0, wide - (GAP if upto else 0)), _one, False)]
    if upto:
        made.append(Panel("all up to here", "x2", (wide, wide + 0.2), lambda r: r.upto, labels))
    if but:
        made.append(Panel("all but this one", "x3", (0.8, 1.0), lambda r: r.but, labels))
    return made


def _one(row: Alone) -> Outcome:
    return row.alone


def view_of(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Ends of the axis in dB that holds every outcome, with room for what is exact."""
    known = [outcome.sqnr for outcome in outcomes if outcome.sqnr is not None]
    low = max(min([*known, 0.0]), LOWEST)
    return low - ROOM / 3, max([*known, 20.0]) + ROOM


def span_of(panel: Panel, view: tuple[float, float]) -> tuple[float, float]:
    """Ends of a column's x axis, whose dB end at ``view``."""
    return SHARES if panel.share else view


def hit_rows(
    names: Sequence[str], texts: Sequence[str], span: tuple[float, float], axis: str = "x"
) -> Figure:
    """Clear bars over whole rows, from one end of an axis to the other: a row is easy to hit.

    customdata is the name; ``texts`` are what hovering says, escaped already.
    """
    hidden = {"marker": {"opacity": 0}}
    return {
        "type": "bar", "orientation": "h", "name": "row", "xaxis": axis, "base": span[0],
        "x": [span[1] - span[0]] * len(names), "y": list(range(len(names))), "width": 1.0,
        "customdata": list(names), "hovertext": list(texts), "hoverinfo": "text",
        "marker": {"color": CLEAR, "line": {"width": 0}}, "selected": hidden, "unselected": hidden,
    }  # fmt: skip


def x_axis(panel: Panel, view: tuple[float, float], palette: Palette) -> Figure:
    """A column's own x axis."""
    title = "right in %" if panel.share else "output SQNR in dB"
    span = list(span_of(panel, view))
    made = axis(palette, title, grid=True) | {"range": span, "fixedrange": True, "nticks": 6}
    made["domain"] = list(panel.domain)
    return made | ({"tickvals": [0, 50, 100]} if panel.share else {})


def names_axis(
    rows: Sequence[Alone], palette: Palette, labels: Mapping[str, str], chosen: str | None = None
) -> Figure:
    """Names and operations as ticks, the first row on top, the name of the chosen one bold.

    An operation stands beside a short name and below a long one.
    """
    made = []
    for row in rows:
        name = tick(labels[row.name], LONGEST, bold=row.name == chosen)
        gap = " " if _beside(row, labels) else "<br>"
        made.append(f'{name}{gap}<span style="color:{palette.muted}">{escape(_op(row))}</span>')
    return axis(palette) | {
        "range": [len(rows) - 0.5, -0.5], "tickvals": list(range(len(rows))), "ticktext": made,
        "tickfont": {"size": SIZE, "color": palette.ink}, "fixedrange": True,
    }  # fmt: skip


def names_width(rows: Sequence[Alone], labels: Mapping[str, str]) -> int:
    """Pixels of the margin that holds names and operations."""
    beside = [f" {_op(row)}" if _beside(row, labels) else "" for row in rows]
    texts = [labels[row.name] + op for row, op in zip(rows, beside, strict=True)]
    return width_of(texts, 80, 220)


def _beside(row: Alone, labels: Mapping[str, str]) -> bool:
    return len(labels[row.name]) + len(_op(row)) < BESIDE


def _op(row: Alone) -> str:
    return clean(row.op.replace("Normalization", "Norm"), 16)


def left_out(said: str, below: int, palette: Palette) -> list[Figure]:
    """What the names leave out, ``below`` them by so many pixels; nothing without words."""
    place = {"xanchor": "right", "yanchor": "bottom", "xshift": -4, "yshift": -below}
    return [words(escape(said), palette.muted, x=0.0, y=0.0, **place)] if said else []


def tick(label: str, most: int, *, bold: bool) -> str:
    """A label as a tick of one line or two, bold where it is the chosen one's."""
    text = "<br>".join(escape(line) for line in lines(label, most))
    return f"<b>{text}</b>" if bold else text


def placed(outcome: Outcome, view: tuple[float, float]) -> float | None:
    """Where an outcome stands in dB: what is exact at the right end; None without a number."""
    if outcome.sqnr is None:
        return view[1] - ROOM / 4 if outcome.lossless else None
    return max(outcome.sqnr, view[0] + ROOM / 4)


def title_of(panel: Panel, palette: Palette) -> Figure:
    """The words above a column."""
    return words(
        f"<b>{panel.title}</b>", palette.ink, x=panel.domain[0], y=1.0, xanchor="left",
        yanchor="bottom", yshift=8,
    )  # fmt: skip


def band(at: int, palette: Palette) -> Figure:
    """The ground of a costly row."""
    return {
        "type": "rect", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": at - 0.5,
        "y1": at + 0.5, "fillcolor": palette.band, "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def key(palette: Palette) -> list[Figure]:
    """What dots and diamonds are."""
    place = {"y": 1.0, "xanchor": "left", "yanchor": "bottom", "yshift": 8}
    return [
        words("● as chosen", palette.muted, x=0.2, **place),
        words("◆ per channel", palette.highlights[0], x=0.32, **place),
    ]
