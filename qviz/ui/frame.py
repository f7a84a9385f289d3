"""What every page shares: page settings, navigation, what is looked at, the codes."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import streamlit as st

from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.registry import knobs_of
from qviz.sources.base import TensorInfo
from qviz.ui.carried import GRANULARITIES, WIDEST, read_address, write_address
from qviz.ui.choice import Choice, axes, chosen_target, usual_axis
from qviz.ui.compute import switch
from qviz.ui.facts import facts_panel
from qviz.ui.library import FIRST, Item, items
from qviz.ui.navigation import links
from qviz.ui.notices import plain
from qviz.ui.opening import open_panel
from qviz.ui.widgets import knob_widgets
from qviz.ui.words import term

HERE = Path(__file__).parent
BITS = (2, 3, 4, 6, 8)

CSS = """<style>
[data-testid="stSidebar"] [data-testid="stPageLink"] a{padding:.12rem .5rem;min-height:1.7rem}
[data-testid="stSidebarUserContent"]{padding-top:.5rem}
[data-testid="stSidebar"] [data-testid="stVerticalBlock"]{gap:.7rem}
[data-testid="stSidebar"] [data-testid="stVerticalBlock"].st-key-nav{gap:.05rem}
[data-testid="stSidebar"] .st-key-nav [data-testid="stCaptionContainer"]{
 margin:.45rem 0 -.75rem .5rem}
[data-testid="stMainBlockContainer"]{max-width:1240px;padding-top:2.6rem}
[data-testid="stMainBlockContainer"] h3{font-size:1.3rem;padding:.2rem 0 0}
[data-testid="stSidebar"] hr{margin:.6rem 0}
[data-testid="stBaseButton-primary"]{color:light-dark(#fff,#11161c)}
[data-testid="stSidebar"] [data-testid="stButtonGroup"] button{padding:0 .6rem}
:has(>[class*="st-key-narrow-"]){display:none}
@media (max-width:640px){[data-testid="stMainBlockContainer"]{padding-top:4.2rem}
 :has(>[class*="st-key-wide-"]){display:none} :has(>[class*="st-key-narrow-"]){display:flex}}
</style>"""  # the only CSS of the app


def page(title: str, first: str = FIRST, *, folded: bool = False) -> Choice:
    """Start a page: settings, navigation, sidebar. Gives the current choice.

    ``first`` is the sample that stands there as long as nobody chose a tensor; ``folded`` puts
    tensor and codes away, where the page looks at tensors of its own.
    """
    st.set_page_config(f"{title} · qviz", str(HERE / "icon.png"), "wide")
    st.markdown(CSS, unsafe_allow_html=True)
    st.logo(str(HERE / "logo.svg"), size="large")
    read_address(title)
    with st.sidebar:
        navigation = st.container()
        st.divider()
        with st.expander("Your tensor and its codes") if folded else nullcontext():
            item = _tensor(first)
            _codes(item)
            target = _target(item.info)
            axis, role = facts_panel(item)
            device = switch(item)
    with navigation:
        links(write_address())
    return Choice(item, target, axis, role, device=device)


def _target(info: TensorInfo) -> Target:
    """The target on screen; codes that cannot be are told, and 8 bits taken instead."""
    try:
        return chosen_target(info)
    except QvizError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return Target.of()


def _tensor(first: str) -> Item:
    known = items()
    _read_address(known, first)
    chosen = st.selectbox(
        "Tensor",
        list(known),
        format_func=lambda i: known[i].label,
        key="tensor",
        help=term("tensor"),
        persist_state="session",
    )
    item = known[chosen]
    _write_address(item, first)
    with st.popover("Open a file", icon=":material/upload_file:", width="stretch"):
        open_panel()
    return item


def _read_address(known: dict[str, Item], first: str) -> None:
    """First run: the tensor the address names, if it is a sample; else the page's first one."""
    if st.session_state.get("tensor") in known:
        return
    wanted = st.query_params.get("tensor", first)
    if wanted not in known:
        st.session_state["unknown"] = wanted
        wanted = first
    st.session_state["tensor"] = wanted


def _write_address(item: Item, first: str) -> None:
    """A private name never reaches the address bar; the first sample needs none."""
    if item.private or item.id == first:
        st.query_params.pop("tensor", None)
    elif st.query_params.get("tensor") != item.id:
        st.query_params["tensor"] = item.id


def _codes(item: Item) -> None:
    bits = int(st.session_state["bits"])
    st.segmented_control(
        "Bits", sorted({*BITS, bits}), key="bits", help=term("bits"), required=True,
        width="stretch", persist_state="session",
    )  # fmt: skip
    with st.container(horizontal=True):
        _toggle("Signed", "signed")
        _toggle("Symmetric", "symmetric")
    with st.popover("More about the codes", icon=":material/tune:", width="stretch"):
        key = f"other_bits-{bits}"  # a box of its own for each width: it never goes stale
        st.number_input(
            "Other width, 1 to 16 bits", 1, 16, bits, key=key, on_change=_set_bits, args=(key,)
        )
        _more_codes(item.info)
        _mode()


def _toggle(label: str, key: str) -> bool:
    return st.toggle(label, key=key, help=term(key), persist_state="session")


def _more_codes(info: TensorInfo) -> None:
    st.selectbox(
        "Granularity", GRANULARITIES, key="granularity", help=term("granularity"),
        format_func=lambda g: g.replace("_", " "), persist_state="session",
    )  # fmt: skip
    if st.session_state["granularity"] == "per_channel" and len(axes(info)) > 1:
        other = st.session_state.get("axis_of", info.fingerprint) != info.fingerprint
        if other or st.session_state.get("axis") not in axes(info):
            st.session_state["axis"] = axes(info)[usual_axis(info)]
        st.session_state["axis_of"] = info.fingerprint
        st.selectbox(
            "Axis", axes(info), key="axis", help=term("axis"), persist_state="session",
            format_func=lambda a: f"{a} ({info.shape[a]:,} channels)",
        )  # fmt: skip
    _toggle("Narrow range", "narrow_range")
    _toggle("Reduced range", "reduce_range")
    if _toggle("Custom codes", "custom"):
        with st.container(horizontal=True):
            for end in ("quant_min", "quant_max"):
                st.number_input(
                    end, -WIDEST, WIDEST, key=end, help=term(end), width=110,
                    persist_state="session",
                )  # fmt: skip


def _mode() -> None:
    """The mode and its knobs; kept as one spelling."""
    name = st.selectbox(
        "Mode", list(QUANTIZERS), key="mode", help=term("mode"), persist_state="session",
        format_func=lambda m: QUANTIZERS.entry(m).title,
    )  # fmt: skip
    made = QUANTIZERS.make(st.session_state["mode_spelling"])
    if QUANTIZERS.name_of(made) != name:
        made = QUANTIZERS[name]()
    if knobs_of(made):
        made = knob_widgets(made, f"mode-{name}")
    st.session_state["mode_spelling"] = QUANTIZERS.spell(made)


def _set_bits(key: str) -> None:
    st.session_state["bits"] = st.session_state[key]
