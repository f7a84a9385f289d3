"""View Drift: nine values through round trip after round trip, one figure per mode."""

from __future__ import annotations

from typing import Any

import streamlit as st

from qviz.dialects.tensorflow.dialect import DIALECT
from qviz.dialects.tensorflow.members import members
from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.views import Answer, answer
from qviz.errors import QvizError
from qviz.figures.numbers import interval, number, percent
from qviz.figures.tf_drift import drift_figure, error_words, law, verdict
from qviz.figures.tf_words import drift_caption, drift_heading
from qviz.pipeline.drift import MOST_ROUNDS, Drift
from qviz.pipeline.drift import drift as drift_of
from qviz.ui.notices import palette, plain, plot
from qviz.ui.state import store
from qviz.ui.tf_quantize.asked import try_ranges
from qviz.ui.tf_quantize.refusals import refusals
from qviz.ui.tf_quantize.shared import codes, color_of, per_row
from qviz.ui.tf_quantize.subject import Subject
from qviz.ui.words import term

SYMMETRIC = (1.0, 0.7, 1.1, 2.9)  # half widths at which some type meets a tie
TO_TRY = 2
Ends = tuple[float, float]


def draw(subject: Subject, asked: Ends, setting: Setting, head: Any, *, documented: bool) -> None:
    """Heading, one figure per mode, the table, and ranges to try where nothing drifts."""
    rounds = st.slider(
        "Round trips", 1, MOST_ROUNDS, MOST_ROUNDS, key="tf_rounds", bind="query-params",
        help=term("tf_rounds"), width=320,
    )  # fmt: skip
    if not asked[0] < asked[1]:
        what = f"The range {interval(*asked)} has no width."
        raise QvizError(what, "Values have no way to go.", "Type min_range and max_range.")
    answers = [answer(name, *asked, setting) for name in members(documented)]
    found = {a.name: _measured(a, asked, rounds) for a in answers if a.quantizer is not None}
    titles = {a.name: a.title for a in answers}
    heading = drift_heading(found, titles, asked)
    head.markdown(f"### {plain(heading)}")
    head.caption(plain(_caption(found, asked, rounds, setting)))
    if not any(one.drifts for one in found.values()):
        _offer(setting)
    _figures(found, titles, asked)
    refusals(answers, setting)
    _table(found, titles, rounds)


def _measured(a: Answer, asked: Ends, rounds: int) -> Drift:
    """From the store where these qparams were followed before."""
    made: Any = a.quantizer
    key = ("tf drift", a.name, made.ends, a.step, a.output, a.zero, asked, rounds)
    kept = store().get(key)
    if kept is None:
        kept = drift_of(made, *asked, rounds)
        store().put(key, kept)
    return kept


def _caption(found: dict[str, Drift], asked: Ends, rounds: int, setting: Setting) -> str:
    first = next(iter(found.values()), None)
    step = "" if first is None else f", step {number(first.step)}"
    trips = f"{rounds} time{'' if rounds == 1 else 's'}"
    what = f"Nine values, quantized and dequantized {trips} on {interval(*asked)}"
    return f"{what}, {codes(setting)}{step}. {drift_caption(found)} {DIALECT.configuration}."


def _offer(setting: Setting) -> None:
    """Two ranges on which a mode does drift with these codes, if any are known."""
    key = ("tf drifting", setting)
    ranges = store().get(key)
    if ranges is None:
        ranges = [(-half, half) for half in SYMMETRIC if _any_drifts(half, setting)][:TO_TRY]
        store().put(key, ranges)
    if ranges:
        try_ranges(ranges, "Some mode drifts on:")


def _any_drifts(half: float, setting: Setting) -> bool:
    answers = [answer(name, -half, half, setting) for name in members()]
    return any(
        drift_of(a.quantizer, -half, half, 1).drifts for a in answers if a.quantizer is not None
    )


def _figures(found: dict[str, Drift], titles: dict[str, str], asked: Ends) -> None:
    if not found:
        return
    ends = [float(end) for one in found.values() for end in (one.paths.min(), one.paths.max())]
    span = min(*ends, asked[0]), max(*ends, asked[1])
    names = list(found)
    wide = per_row(len(names))
    few = len(names) <= wide
    for start in range(0, len(names), wide):
        row = names[start : start + wide]
        for name, cell in zip(row, st.columns(wide), strict=False):
            one, title = found[name], titles[name]
            color = color_of(name, palette())
            with cell:
                figure = drift_figure(title, one, span, color, palette(), few=few)
                plot(figure, f"tf-drift-{name}", f"{title}: {verdict(one)}")


def _table(found: dict[str, Drift], titles: dict[str, str], rounds: int) -> None:
    rows = [
        {
            "mode": titles[name],
            "steps per trip": one.slope,
            "a second trip moves": percent(one.moved),
            "idempotent": law(one),
            "step": one.step,
            "mean error after 1 trip": error_words(one, 1),
            f"after {rounds}": error_words(one, rounds),
        }
        for name, one in found.items()
    ]
    if rows:
        st.dataframe(
            rows,
            hide_index=True,
            width="stretch",
            row_height=31,
            column_config={
                "steps per trip": st.column_config.NumberColumn(format="%+.2f"),
                "step": st.column_config.NumberColumn(format="%.4g"),
                "mode": st.column_config.TextColumn(pinned=True),
            },
            alt="Drift of each mode, and whether the law it declares holds here",
            key="tf-drift-table",
        )
