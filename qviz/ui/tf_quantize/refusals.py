"""Why a mode does not apply, in full, and the one switch that would let it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.views import Answer, refusal
from qviz.spec import PER_TENSOR
from qviz.ui.notices import plain


def refusals(answers: Sequence[Answer], setting: Setting) -> None:
    """One line for each mode that is refused; nothing where all apply."""
    lines = [_line(a, setting) for a in answers if a.refused]
    if lines:
        st.caption("Does not apply here. " + "  \n".join(lines))


def _line(one: Answer, setting: Setting) -> str:
    name = f"**{plain(one.title)}**" + f" ({plain(one.form)})" * bool(one.form)
    reason = str(one.refused)
    advice = remedy(one.name, setting)
    if advice is None:
        return f"{name}: {plain(reason)}"
    return f"{name}: {plain(reason.rstrip('.'))}. {plain(advice)}"


def remedy(name: str, setting: Setting) -> str | None:
    """What to turn so that a refused mode serves; None where that is no one switch."""
    if refusal(name, setting) is None:
        return None
    return next((words for words, other in _turns(setting) if refusal(name, other) is None), None)


def _turns(setting: Setting) -> list[tuple[str, Setting]]:
    """The setting with one switch turned, and how to turn it."""
    spec, sign = setting.spec, "unsigned" if setting.spec.signed else "signed"
    turned = {
        "Switch Symmetric off at the left.": {"spec": replace(spec, symmetric=False)},
        "Switch Reduced range off at the left.": {"spec": replace(spec, reduce_range=False)},
        "Switch Custom codes off at the left.": {
            "spec": replace(spec, quant_min=None, quant_max=None)
        },
        "Switch narrow_range off.": {"spec": replace(spec, narrow_range=False)},
        "Choose the rounding HALF_AWAY_FROM_ZERO.": {"round_mode": "HALF_AWAY_FROM_ZERO"},
        "Choose one of the types above.": {"spec": replace(spec, bits=8)},
        f"Choose a type of {sign} codes.": {"spec": replace(spec, signed=not spec.signed)},
        "Choose the whole tensor as axis.": {"granularity": PER_TENSOR},
        "Choose a type of 8 or 16 bits.": {"wide": None},
    }
    return [(words, replace(setting, **change)) for words, change in turned.items()]
