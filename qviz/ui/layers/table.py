"""The table of layers: find, filter, sort; a click chooses the tensor for every page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from qviz.figures.layers_names import Names, told_apart
from qviz.figures.layers_words import caption, heading, loud_line
from qviz.figures.theme import clean
from qviz.models.alone import Sensitivity
from qviz.models.layers import LayerRow, recurring
from qviz.models.scheme import Schemes
from qviz.ui.layers import alone, results, tried
from qviz.ui.layers.columns import columns, few_columns, frame_of, names_of
from qviz.ui.layers.filtering import Asked, asked, filtered, ordered
from qviz.ui.layers.picked import CELLS, Named, chosen, picker, rows_picker, table_key
from qviz.ui.layers.schemes import in_short
from qviz.ui.layers.subject import Subject, way
from qviz.ui.notices import plain, table_text

TITLE = 30  # characters of the model's name in the caption
TALL, ROW = 520, 34  # pixels of the table at most, and of a row
NARROW = 20  # characters of a name on a phone


def controls(_: Subject | None) -> Asked:
    """What to find, which kinds, up to which SQNR, in which order."""
    return asked()


def view(found: Subject, schemes: Schemes, question: Asked) -> tuple[str, str]:
    """Draw it; gives heading and caption."""
    every = results.rows(found, schemes)
    cost = alone.known(found, schemes)
    shown = ordered(filtered(every, question), question.sort, cost)
    names = names_of(shown, cost)
    if shown:
        chosen(found, schemes)
        named = picker(found, schemes)
        with st.container(key="wide-layers-table"):
            _table(shown, names, cost, found.name, named)
        with st.container(key="narrow-layers-table"):
            _few(shown, cost, found.name, named)
    else:
        st.info("No tensor is left: take off the filter.", icon=":material/filter_alt_off:")
    if cost is None:
        alone.waiting(found)
    tried.lines(found.name, cost, list(found.source.infos))
    _below(found, every, len(shown), names)
    about = f"{clean(found.title, TITLE)}: {in_short(schemes)}."
    return heading(every, cost), caption(every, cost, about, way(found))


def _table(
    shown: Sequence[LayerRow], names: Names, cost: Sensitivity | None, of: str, named: Named
) -> None:
    key, ids = _key("layers-table", of, shown)
    frame = frame_of(shown, names.labels, cost)
    st.dataframe(
        frame, key=key, column_config=columns(frame, shown, cost),
        on_select=rows_picker(key, ids, named), selection_mode=CELLS,
        alt="A row for each tensor", **_size(len(frame)),
    )  # fmt: skip


def _few(shown: Sequence[LayerRow], cost: Sensitivity | None, of: str, named: Named) -> None:
    """The few columns that a phone holds."""
    key, ids = _key("layers-table-few", of, shown)
    labels = told_apart(ids, NARROW).labels
    made = few_columns(shown, cost)
    frame = frame_of(shown, labels, cost)
    st.dataframe(
        frame[[name for name in made if name in frame]], key=key, column_config=made,
        on_select=rows_picker(key, ids, named), selection_mode=CELLS,
        alt="A row for each tensor, with its SQNR and what it costs", **_size(len(frame)),
    )  # fmt: skip


def _key(start: str, of: str, shown: Sequence[LayerRow]) -> tuple[str, list[str]]:
    ids = [row.name for row in shown]
    return table_key(start, [of, *ids]), ids


def _size(rows: int) -> dict[str, Any]:
    """Settings that both tables share."""
    height = min(ROW * (rows + 1) + 6, TALL)
    return {
        "hide_index": True, "width": "stretch", "row_height": ROW, "height": height,
        "placeholder": "–",
    }  # fmt: skip


def _below(found: Subject, every: Sequence[LayerRow], shown: int, names: Names) -> None:
    for channel, met in recurring(every)[:3]:
        st.markdown(plain(loud_line(channel, met)))
    hidden = len(every) - shown
    words = [f"{shown} of {len(every)} tensors shown." if hidden else ""]
    words.append(f"{names.words}." if names.words else "")
    words.append(f"{len(found.source.skipped)} could not be taken." if found.source.skipped else "")
    if any(words):
        st.caption(plain(" ".join(filter(None, words))))
    left_aside(found)


def left_aside(found: Subject) -> None:
    """What a file holds but gives no tensor, and why."""
    skipped = found.source.skipped
    if skipped:
        with st.expander("What could not be taken, and why"):
            for name, reason in list(skipped.items())[:50]:
                st.caption(plain(f"{table_text(name)}: {reason}"))
