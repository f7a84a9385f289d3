"""Typed codes, and the reals that dequantize reads in them under each mode."""

from __future__ import annotations

import numpy as np
import streamlit as st

from qviz.dialects.tensorflow.door import dequantize
from qviz.dialects.tensorflow.quantize_op import MODES
from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.types import TYPES, QType
from qviz.errors import QvizError
from qviz.figures.numbers import integer, interval, number
from qviz.ui.notices import plain
from qviz.ui.tf_quantize.subject import BETWEEN
from qviz.ui.words import term

MOST = 64


def decode(asked: tuple[float, float], setting: Setting) -> None:
    """A box for codes, and a table of what they stand for on the range as typed."""
    if setting.type_name is None:
        return
    kind = TYPES[setting.type_name]
    with st.expander("Decode: what dequantize reads in codes"):
        first, last = kind.ends
        some = dict.fromkeys((first, first + 1, 0, last - 1, last))
        text = st.text_input(
            f"Codes of {setting.type_name}", ", ".join(map(str, some)),
            key=f"tf_codes-{setting.type_name}", help=term("tf_decode"),
        )  # fmt: skip
        try:
            found = codes_of(text or "", kind)
        except QvizError as error:
            st.warning(plain(str(error)), icon=":material/warning:")
            return
        narrow = setting.spec.narrow_range
        rows = [{"code": integer(int(code))} for code in found]
        for mode in MODES:
            reals = dequantize(found, *np.array(asked, np.float32), mode=mode, narrow_range=narrow)
            for row, real in zip(rows, reals, strict=True):
                row[mode] = number(float(real), 6)
        st.dataframe(rows, hide_index=True, alt="Typed codes under each mode", key="tf-decoded")
        st.caption(
            plain(
                f"On {interval(*asked, 5)} as it stands: dequantize adjusts nothing, "
                "and takes whatever range quantize gave back."
            )
        )


def codes_of(text: str, kind: QType) -> np.ndarray:
    """Whole numbers between blanks or commas, in the plain type of ``kind``.

    Raises
    ------
    QvizError
        None, more than 64, no whole number, or one that the type lacks.
    """
    words = [word for word in BETWEEN.split(text.replace("\u2212", "-")) if word]
    if not 0 < len(words) <= MOST:
        raise QvizError(f"{len(words):,} codes were typed.", f"1 to {MOST} are taken.")
    first, last = kind.ends
    found = [_code(word) for word in words]
    outside = next((code for code in found if not first <= code <= last), None)
    if outside is not None:
        what = f"{integer(outside)} is no code of this type."
        raise QvizError(what, f"They run from {integer(first)} to {integer(last)}.")
    return np.array(found, kind.storage)


def _code(word: str) -> int:
    try:
        return int(word)
    except ValueError as error:
        raise QvizError(f"{word[:20]!r} is no whole number.", "", "Write -3, 0, 12.") from error
