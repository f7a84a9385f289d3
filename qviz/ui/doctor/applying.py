"""A fix as a change of the choice, and as code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from qviz.doctor import Finding, Fix
from qviz.spec import Granularity, Role
from qviz.ui.carried import write_address
from qviz.ui.channels.panels import PANELS
from qviz.ui.choice import Choice
from qviz.ui.doctor.asked import OWN, RULE
from qviz.ui.doctor.others import operand_id
from qviz.ui.notices import plain
from qviz.ui.setting import set_granularity, set_mode, set_observer, whole_axis
from qviz.ui.words import term

CODES = ("bits", "signed", "symmetric", "narrow_range", "reduce_range")
ENDS = ("quant_min", "quant_max")
ANALYSIS = (
    "A step for each channel of an activation is for analysis: a sum over channels cannot be "
    "undone channel by channel. What can be deployed: a step per token, a factor moved into the "
    "weight, or more bits."
)
CHANGES = (
    "It changes the tensor and the layer around it: Transforms on the Channels page shows both."
)
Kind = Literal["primary", "secondary"]
UNLIKE = ("OUTLIER-CHANNEL", "MIXED-RANGES")  # rules that make people ask for it


def may(choice: Choice, fix: Fix) -> bool:
    """Whether a fix is a setting of this page's choice that can be deployed."""
    kind = str(fix.how.get("granularity", ""))
    if not fix.how or "transform" in fix.how:
        return False
    if choice.role == Role.ACTIVATION and kind.startswith(("per_channel", "per_group")):
        return False
    if not kind.startswith("per_channel"):
        return True
    return whole_axis(choice.item.info, Granularity.parse(kind).axis) is not None


def button(choice: Choice, finding: Finding) -> None:
    """Apply the best fix that is a setting, more of them where there are several; a transform.

    The first of all fixes is the blue one.
    """
    offered = [fix for fix in finding.fixes if may(choice, fix)]
    changes = ["transform" in fix.how for fix in finding.fixes]
    best = any(changes[:1])
    if best:
        _transforms(choice, "primary")
    if offered:
        _apply(choice, offered, "secondary" if best else "primary")
    if any(changes) and not best:
        _transforms(choice, "secondary")


def _transforms(choice: Choice, kind: Kind) -> None:
    """A way to the panel that shows what the transform does, with the same other operand."""
    if st.button(
        "Open Transforms", key="doctor_transforms", icon=":material/arrow_outward:", type=kind,
        help=term("doctor_transforms"),
    ):  # fmt: skip
        there = {"channels_panel": PANELS["transforms"], "channels_operand": operand_id(choice)}
        known = {name: value for name, value in there.items() if value}
        st.switch_page("pages/6_Channels.py", query_params=write_address() | known)


def _apply(choice: Choice, offered: Sequence[Fix], kind: Kind) -> None:
    st.button(
        f"Apply: {_short(offered[0])}", key="doctor_apply", icon=":material/check:", type=kind,
        on_click=apply, args=(choice, offered[0]), help=term("doctor_apply"),
    )  # fmt: skip
    if len(offered) > 1:
        with st.popover("Another"):
            for at, fix in enumerate(offered[1:]):
                st.button(
                    _short(fix), key=f"doctor_apply-{at}", on_click=apply, args=(choice, fix),
                    width="stretch",
                )  # fmt: skip


def _short(fix: Fix) -> str:
    """What it does, without where it was measured."""
    return plain(fix.action.partition(" (")[0])


def notes(choice: Choice, finding: Finding) -> list[str]:
    """What is to be said of fixes that are no settings, and of one that is not offered."""
    said = [CHANGES] if any("transform" in fix.how for fix in finding.fixes) else []
    return said + [ANALYSIS] * (choice.role == Role.ACTIVATION and finding.rule in UNLIKE)


def apply(choice: Choice, fix: Fix) -> None:
    """Callback: set the widgets of the sidebar, and the range, as the fix says."""
    state, how = st.session_state, fix.how
    for name in CODES:
        if name in how:
            state[name] = how[name]
    if any(name in how for name in ENDS):
        _ends(choice, how)
    if "granularity" in how:
        set_granularity(choice.item.info, Granularity.parse(str(how["granularity"])))
    if "mode" in how:
        set_mode(str(how["mode"]))
    if "observer" in how:
        _observer(str(how["observer"]))
    state.update(OWN)  # a range of the data takes the place of typed qparams


def _ends(choice: Choice, how: Mapping[str, Any]) -> None:
    spec, state = choice.target.spec, st.session_state
    low, high = how.get("quant_min", spec.quant_min), how.get("quant_max", spec.quant_max)
    state["custom"] = low is not None and high is not None
    if state["custom"]:
        state["quant_min"], state["quant_max"] = low, high


def _observer(spelling: str) -> None:
    """Set the rule of Doctor, and the first highlight of Observers."""
    st.session_state[RULE] = st.session_state["doctor_first"] = set_observer(spelling)
    st.query_params.pop(RULE, None)
