"""Body of the Layers page: the model, the schemes, and four views of what they cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.models.scheme import Schemes
from qviz.ui.choice import Choice
from qviz.ui.layers import alone, empty, form, pairs, ranges, schemes, table, working
from qviz.ui.layers.subject import Subject, choose, subject
from qviz.ui.notices import notices, plain
from qviz.ui.words import term

VIEWS = {
    "table": ("Table", table),
    "ranges": ("Ranges", ranges),
    "alone": ("Alone", alone),
    "pairs": ("Pairs", pairs),
}

Show = Callable[[Subject, Schemes], tuple[str, str]]


def body(choice: Choice) -> None:
    """Heading, what is at work, the switch of views, and the view.

    No fragment: a row that is clicked changes the sidebar too.
    """
    with st.sidebar:
        id = choose()
        asked = schemes.chosen()
    head = st.container()
    found = subject(id)
    if found is not None:
        alone.begin_for_samples(found, asked)
    notices(choice)  # last, since a model may be refused before it runs
    if working.at_work() is not None:
        working.watch()
    job = working.at_work()
    if found is None and job is None:
        empty.without_model(head)
        return
    for reason in schemes.refused(asked):
        st.info(plain(reason), icon=":material/info:")
    shown = _controls(found)
    if found is None and job is not None:
        head.markdown(f"### {plain(job.words)}")
        head.caption("Every value that a node gives is counted while it passes.")
    if found is not None:
        _view(head, found, asked, shown)


def _view(head: Any, found: Subject, asked: Schemes, shown: Show) -> None:
    try:
        finding, caption = shown(found, asked)
    except QvizError as error:
        head.error(plain(str(error)), icon=":material/block:")
        return
    head.markdown(f"### {plain(finding)}")
    head.caption(plain(caption))


def _controls(found: Subject | None) -> Show:
    """The switch of views and the controls of one; they stand also while a model runs.

    Gives what draws the view.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = st.segmented_control(
            "View", list(VIEWS), default="table", format_func=lambda v: VIEWS[v][0],
            key="layers_view", help=term("layers_view"), bind="query-params", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
        if found is not None:
            form.run_it(found)
    if found is not None and not found.source.infos:
        return lambda found, _: empty.without_tensors(found)
    view = VIEWS[shown][1]
    question = view.controls(found)
    return lambda found, asked: view.view(found, asked, question)
