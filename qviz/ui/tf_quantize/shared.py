"""What the views of the page share: colours, and the sentence that says what was measured."""

from __future__ import annotations

from qviz.dialects.tensorflow.dialect import DIALECT
from qviz.dialects.tensorflow.members import DOCUMENTED, members
from qviz.dialects.tensorflow.setting import Setting
from qviz.figures.captions import not_finite, values
from qviz.figures.theme import Palette, clean
from qviz.ui.tf_quantize.subject import Subject


def color_of(name: str, palette: Palette) -> str:
    """Colour of a mode, the same in all views; a published formula has that of its op."""
    rank = members().index(name.removesuffix(DOCUMENTED))
    return palette.highlights[rank] if rank < len(palette.highlights) else palette.edge


def per_row(count: int) -> int:
    """Small figures side by side: three, or four where that fills the rows better."""
    return 4 if count in (4, 7, 8) else 3


def told(subject: Subject, setting: Setting) -> str:
    """On what, with which codes, of which build of the framework."""
    facts = subject.facts
    odd = not_finite(facts)
    what = f"{clean(subject.words)}, {values(int(facts.n.sum()))}, {codes(setting)}."
    said = [f"{odd}, left out."] * bool(odd)
    return " ".join([*said, what, f"Measured: {DIALECT.configuration}."])


def codes(setting: Setting) -> str:
    """``qint8``, or bits and sign where TensorFlow has no name for them."""
    if setting.type_name is not None:
        return setting.type_name + ", narrow_range" * setting.spec.narrow_range
    sign = "signed" if setting.spec.signed else "unsigned"
    return f"{setting.spec.bits}-bit {sign} codes"
