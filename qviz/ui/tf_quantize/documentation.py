"""What TensorFlow's documentation says, beside what its ops do."""

from __future__ import annotations

import streamlit as st

from qviz.dialects.tensorflow.contrast import contrast
from qviz.dialects.tensorflow.members import members
from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.views import Answer
from qviz.figures.tf_difference import difference
from qviz.ui.notices import plain
from qviz.ui.tf_quantize.subject import FEW, Subject

Ends = tuple[float, float]


def documentation(subject: Subject, asked: Ends, setting: Setting) -> None:
    """What is published beside what was measured, with an element on which they differ."""
    looked = subject.sample(FEW)
    found = [contrast(name, *asked, setting, looked) for name in members()]
    pairs = [pair for pair in found if pair is not None and not pair.measured.refused]
    if not pairs:
        return
    st.markdown("**What the documentation says, and what the op does**")
    for pair in pairs:
        words = f"{pair.measured.title}: {difference(pair)}"
        with st.expander(plain(words)):
            for words, one in (("documented", pair.documented), ("measured", pair.measured)):
                st.caption(words)
                st.code(_formula(one), language=None, wrap_lines=True)


def _formula(one: Answer) -> str:
    """The rule in its own order of operations; the record's first lines where it says none."""
    if one.quantizer is None:
        return str(one.refused)
    said = one.quantizer.formula or (one.quantizer.__doc__ or "").split("\n\n")[0]
    return " ".join(said.split()).replace("; ", "\n")
