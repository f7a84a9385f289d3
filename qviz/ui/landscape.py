"""The landscape view of the Observers page: the error over every range, rows as dots on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from qviz.figures.bars import bars
from qviz.figures.findings import finding
from qviz.figures.landscape import hill_picture
from qviz.figures.landscape_marks import YOU, Dot
from qviz.figures.landscape_plane import field_picture, with_you
from qviz.figures.landscape_traces import PREFIX
from qviz.figures.landscape_words import caption, heading, kept, named
from qviz.figures.numbers import MINUS, NOTHING, decibels, number, percent
from qviz.figures.theme import Figure
from qviz.metrics.reading import LOSSLESS
from qviz.pipeline import Comparison
from qviz.pipeline.landscape_views import Hill, clip_of
from qviz.spec import PER_TENSOR
from qviz.stats.minmax import MinMaxState
from qviz.ui import linking, rows
from qviz.ui.choice import Choice
from qviz.ui.landscape_scene import Scene, judged, no_landscape, scene_of
from qviz.ui.notices import palette, plain, plot
from qviz.ui.remarks import remarks
from qviz.ui.state import store
from qviz.ui.table import table
from qviz.ui.words import term

STOPS, LEAST, MOST = 121, 2.0**-8, 1.25  # of a slider; shares of the data's end
ADDRESS = {
    "Move the clip": "landscape_clip",
    "Move the lower bound": "landscape_lo",
    "Move the upper bound": "landscape_hi",
}
NEAR = 0.6  # of the data's end: a best clip beyond it is called near
ONE_RANGE = (
    "A landscape has one range: this one is of the whole tensor, per tensor. The Ranges view keeps "
    "the granularity that is chosen."
)


def whole(choice: Choice) -> Choice:
    """The choice with one range for the whole tensor; says so where that is a change."""
    if choice.target.granularity != PER_TENSOR:
        st.info(ONE_RANGE, icon=":material/landscape:")
    return replace(choice, target=replace(choice.target, granularity=PER_TENSOR))


def draw(choice: Choice, comparison: Comparison, head: Any, chips: Any, exact: bool) -> None:
    """Heading, picture, a range moved by hand, table; ``choice`` is per tensor."""
    remarks(choice, comparison)
    shown = bars(comparison.rows)
    ranked = [b.spelling for b in shown if b.value is not None or b.text == LOSSLESS]
    with chips:
        highlights = rows.highlighted(comparison, ranked)
    reason = no_landscape(comparison)
    if reason:
        found = finding(comparison, choice.about)
        head.markdown(f"### {plain(found.heading)}")
        head.caption(plain(found.caption))
        st.info(reason, icon=":material/landscape:")
    else:
        _landscape(choice, comparison, head, highlights, exact)
    by_name = {row.spelling: row for row in comparison.rows}
    table([by_name[bar.spelling] for bar in shown])


def _landscape(
    choice: Choice, comparison: Comparison, head: Any, highlights: list[str], exact: bool
) -> None:
    scene = scene_of(choice, comparison)
    found = heading(scene.best, scene.dots, scene.side)
    head.markdown(f"### {plain(found)}")
    keep = named(scene.best, scene.dots)
    said = caption(scene.terrain, comparison, choice.about, scene.exact, keep)
    head.caption(plain(said))
    picture = st.container()
    you = _by_hand(choice, comparison.facts, scene, exact)  # numbers come before the picture
    with picture:
        _pictures(scene, highlights, you, found)


def _by_hand(choice: Choice, facts: MinMaxState, scene: Scene, exact: bool) -> Dot:
    """Sliders that move a range, and what it comes to."""
    key = f"landscape-{choice.item.info.fingerprint}-{choice.upto}-{scene.side}"
    low, high = float(facts.lo[0]), float(facts.hi[0])
    if isinstance(scene.terrain, Hill):
        sign, far = PREFIX.get(scene.terrain.side, ""), clip_of(scene.terrain.side, low, high)
        best = scene.terrain.best
        slid = _slider(choice, "Move the clip", (best, far), key, sign)
        lo, hi = scene.terrain.range_of(slid)
    else:
        best, (left, right) = scene.terrain.best, st.columns(2)
        with left:
            way = -best[0], -low
            lo = -_slider(choice, "Move the lower bound", way, f"{key}-lo", MINUS)
        with right:
            hi = _slider(choice, "Move the upper bound", (best[1], high), f"{key}-hi", "")
    you = judged(choice, lo, hi, YOU, exact=exact)
    _numbers(you, scene)
    return you


def _slider(choice: Choice, label: str, way: tuple[float, float], key: str, sign: str) -> float:
    """A distance from 0, from 1/256 of the data's end to a little beyond it.

    ``way`` is the best distance and the data's end; it starts off the best on purpose. The
    address holds it once it was moved.
    """
    best, far = way
    stops = [float(f"{stop:.3g}") for stop in far * np.geomspace(LEAST, MOST, STOPS)]
    start = np.sqrt(best * far) if best < NEAR * far else NEAR * far
    usual = stops[min(int(np.searchsorted(stops, start)), STOPS - 1)]
    name = ADDRESS[label]
    slid = st.select_slider(
        label, stops, linking.start(choice, name, key, linking.nearest(stops), usual),
        format_func=lambda stop: sign + number(stop), key=key, help=term("by_hand"),
        persist_state="session",
    )  # fmt: skip
    linking.tell(choice, name, slid, usual)
    return slid


def _numbers(you: Dot, scene: Scene) -> None:
    """SQNR of the range moved by hand, its distance from the best, what it clips."""
    value, rough = you.bar.value, "≈ " if you.rough else ""
    below = NOTHING if value is None or scene.top is None else decibels(value - scene.top)
    reached = "nothing lost" if you.lossless else decibels(value)
    cards = {
        "You keep": (kept(you, scene.side), term("by_hand")),
        "SQNR": (("≈ " if you.bar.approximate else "") + reached, term("sqnr")),
        "From the best": (below, term("from_best")),
        "Clipped": (rough + percent(you.clipped), term("clipped_share")),
        "Error by clipping": (rough + percent(you.share), term("error_share")),
    }
    with st.container(horizontal=True):
        for label, (text, words) in cards.items():
            st.metric(label, text, help=words, width=160)
    if you.bar.refused:
        st.info(plain(you.bar.refused))


def _pictures(scene: Scene, highlights: list[str], you: Dot, found: str) -> None:
    """The hill; or the field twice: with all names where there is room, else with few."""
    alt = f"Landscape of the error over the range kept. {found}"
    colours = palette()
    if isinstance(scene.terrain, Hill):
        figure = hill_picture(
            scene.terrain, scene.dots, highlights, colours, best=scene.best, you=you
        )
        plot(figure, "landscape", alt, on_click=rows.toggle)
        return
    for name, every in (("wide", True), ("narrow", False)):
        figure = _field(scene, highlights, every)
        if you.served:
            figure = with_you(figure, scene.terrain, you, colours, scene.top, every)
        with st.container(key=f"{name}-landscape"):
            plot(figure, f"landscape-{name}", alt, on_click=rows.toggle)


def _field(scene: Scene, highlights: list[str], every: bool) -> Figure:
    """The field without the range moved by hand, kept in the store: names take long to place."""
    colours = palette()
    key = (*scene.key, tuple(highlights), colours.name, every)
    figure = store().get(key)
    if figure is None and not isinstance(scene.terrain, Hill):
        figure = field_picture(
            scene.terrain, scene.dots, highlights, colours, best=scene.best, named=every
        )
        store().put(key, figure)
    return figure or {}
