"""Body of the Home page: it says what this is, and what tensor is looked at."""

from __future__ import annotations

import streamlit as st

from qviz.ui.choice import Choice
from qviz.ui.home import gallery, overview, story, typed
from qviz.ui.home.files import drop_a_file
from qviz.ui.home.story import FIRST
from qviz.ui.notices import notices

__all__ = ["FIRST", "body"]


def body(choice: Choice) -> None:
    """The lesson's finding or the tensor's, a typed range under every rule, files, samples.

    No fragment: a file or a sample chosen here changes the sidebar too.
    """
    head = st.container()
    notices(choice)
    if choice.item.id == FIRST:
        story.show(choice, head)
    else:
        overview.show(choice, head)
    typed.show()
    drop_a_file()
    gallery.show(choice)
