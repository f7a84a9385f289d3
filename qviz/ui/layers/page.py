"""Body of the Layers page: the model, the schemes, and four views of what they cost."""

from __future__ import annotations

from typing import Any

import streamlit as st

from qviz.errors import QvizError
from qviz.models.samples import SAMPLES
from qviz.ui import files
from qviz.ui.choice import Choice
from qviz.ui.layers import alone, form, pairs, ranges, schemes, table, working
from qviz.ui.layers.subject import SAMPLE, Subject, choose, pick, subject
from qviz.ui.notices import notices, plain
from qviz.ui.words import term

VIEWS = {
    "table": ("Table", table),
    "ranges": ("Ranges", ranges),
    "alone": ("Alone", alone),
    "pairs": ("Pairs", pairs),
}
UPLOAD = "layers_upload"


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
        _nothing(head)
        return
    for reason in schemes.refused(asked):
        st.info(plain(reason), icon=":material/info:")
    shown, question = _controls(found)
    if found is None and job is not None:
        head.markdown(f"### {plain(job.words)}")
        head.caption("Every value that a node gives is counted while it passes.")
        return
    try:
        finding, caption = shown.view(found, asked, question)
    except QvizError as error:
        head.error(plain(str(error)), icon=":material/block:")
        return
    head.markdown(f"### {plain(finding)}")
    head.caption(plain(caption))


def _controls(found: Subject | None) -> tuple[Any, Any]:
    """The switch of views and the controls of one; they stand also while a model runs."""
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = st.segmented_control(
            "View", list(VIEWS), default="table", format_func=lambda v: VIEWS[v][0],
            key="layers_view", help=term("layers_view"), bind="query-params", required=True,
            label_visibility="collapsed",
        )  # fmt: skip
        if found is not None:
            form.run_it(found)
    view = VIEWS[shown][1]
    return view, view.controls(found)


def _nothing(head: Any) -> None:
    head.markdown("### Layers needs a model or a set of tensors")
    head.caption(
        "It shows which layer of a model loses most when it is quantized. Start with a small "
        "trained network that recognises digits, or with its twin: the same function, with one "
        "channel made loud."
    )
    with st.container(horizontal=True):
        for name, title in SAMPLES.items():
            st.button(
                title, key=f"layers_sample-{name}", icon=":material/play_arrow:",
                on_click=pick, args=(SAMPLE + name,),
            )  # fmt: skip
    st.file_uploader(
        "Or open a checkpoint, an ONNX model or a saved capture", key=UPLOAD,
        on_change=files.take_upload, args=(UPLOAD,), help=term("open"),
    )  # fmt: skip
