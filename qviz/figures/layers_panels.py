"""The columns of the picture of what each tensor costs: which there are, and their axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qviz.figures.theme import SIZE, Figure, Palette, axis, escape, words
from qviz.models.alone import Alone, Outcome

LOWEST, ROOM = -10.0, 6.0  # dB; what is lower is drawn there
GAP = 0.05  # of the width, between two panels


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


def x_axis(panel: Panel, view: tuple[float, float], palette: Palette) -> Figure:
    """A column's own x axis."""
    title = "right in %" if panel.share else "output SQNR in dB"
    span = [-4, 104] if panel.share else list(view)
    made = axis(palette, title, grid=True) | {"range": span, "fixedrange": True, "nticks": 6}
    made["domain"] = list(panel.domain)
    return made | ({"tickvals": [0, 50, 100]} if panel.share else {})


def names_axis(rows: Sequence[Alone], palette: Palette) -> Figure:
    """Names and operations as ticks, the first row on top."""
    muted = palette.muted
    names = [
        f'{escape(row.name, 16)} <span style="color:{muted}">{escape(row.op, 12)}</span>'
        for row in rows
    ]
    return axis(palette) | {
        "range": [len(rows) - 0.5, -0.5], "tickvals": list(range(len(rows))), "ticktext": names,
        "tickfont": {"size": SIZE, "color": palette.ink}, "fixedrange": True,
    }  # fmt: skip


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
