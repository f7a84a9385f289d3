"""How far every tensor reaches beyond its median, in network order."""

from __future__ import annotations

import streamlit as st

from qviz.figures.layers_ranges import layer_ranges, names_of
from qviz.figures.layers_words import ranges_heading
from qviz.models.scheme import Schemes
from qviz.ui.layers import results
from qviz.ui.layers.filtering import Asked, filtered, find_box, roles_box
from qviz.ui.layers.picked import chosen, chosen_name, picker
from qviz.ui.layers.subject import Subject
from qviz.ui.notices import palette, plot
from qviz.ui.words import term

MOST = 60  # rows; of more only those above the threshold, the farthest of them
WORDS = "Magnitudes above 0, in network order; the largest over the median at the right."


def controls(_: Subject | None) -> tuple[int, Asked]:
    """The threshold, and which tensors are shown."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        threshold = st.slider(
            "Mark tensors above this ratio", 2, 500, 60, key="layers_threshold",
            help=term("layers_threshold"), bind="query-params", width=340,
        )  # fmt: skip
        find, roles = find_box(), roles_box()
    return threshold, Asked(find, roles)


def view(found: Subject, schemes: Schemes, question: tuple[int, Asked]) -> tuple[str, str]:
    """Draw it; gives heading and caption."""
    threshold, asked = question
    names = [row.name for row in filtered(results.rows(found, schemes), asked)]
    reaches = results.reaches(found, names)
    shown = reaches
    if len(reaches) > MOST:
        far = sorted((r for r in reaches if r.ratio > threshold), key=lambda r: -r.ratio)[:MOST]
        shown = [reach for reach in reaches if reach in far]
        st.caption(f"{len(shown)} of {len(reaches)} tensors: those above the threshold.")
    title = ranges_heading(reaches, threshold)
    if shown:
        chosen(found, schemes)
        picture = layer_ranges(shown, palette(), threshold, chosen_name(found))
        plot(picture, "layers-ranges", title, picker(found, schemes))
    said = names_of(shown).words
    return title, f"{found.title}. {WORDS}" + (f" {said}." if said else "")
