"""What every page shares: page settings, navigation, what is looked at, the codes."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import streamlit as st

from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.registry import knobs_of
from qviz.sources.base import TensorInfo
from qviz.ui.carried import carry
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
GRANULARITIES = ("per_tensor", "per_channel", "per_token", "group_32", "group_64", "group_128")

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
[class*="st-key-narrow-"]{display:none}
@media (max-width:640px){[data-testid="stMainBlockContainer"]{padding-top:4.2rem}
 [class*="st-key-wide-"]{display:none} [class*="st-key-narrow-"]{display:flex}}
</style>"""  # the only CSS of the app


def page(title: str, first: str = FIRST, *, folded: bool = False) -> Choice:
    """Start a page: settings, navigation, sidebar. Gives the current choice.

    ``first`` is the sample that stands there as long as nobody chose a tensor; ``folded`` puts
    tensor and codes away, where the page looks at tensors of its own.
    """
    st.set_page_config(f"{title} · qviz", str(HERE / "icon.png"), "wide")
    st.markdown(CSS, unsafe_allow_html=True)
    st.logo(str(HERE / "logo.svg"), size="large")
    carry(title)
    with st.sidebar:
        links()
        with st.expander("Your tensor and its codes") if folded else nullcontext():
            item = _tensor(first)
            _codes(item)
            target = _target(item.info)
            axis, role = facts_panel(item)
            device = switch(item)
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
    options = sorted({*BITS, _current_bits()})
    st.segmented_control(
        "Bits", options, default=8, key="bits", help=term("bits"), bind="query-params",
        required=True, width="stretch",
    )  # fmt: skip
    with st.container(horizontal=True):
        st.toggle("Signed", key="signed", help=term("signed"), bind="query-params")
        st.toggle("Symmetric", key="symmetric", help=term("symmetric"), bind="query-params")
    with st.popover("More about the codes", icon=":material/tune:", width="stretch"):
        _more_codes(item)


def _current_bits() -> int:
    """Bits of the session or the address, so that any width from 1 to 16 has its button."""
    given = st.session_state.get("bits") or st.query_params.get("bits", "8")
    return int(given) if str(given) in map(str, range(1, 17)) else 8


def _more_codes(item: Item) -> None:
    info = item.info
    bits = _current_bits()
    key = f"other_bits-{bits}"  # a box of its own for each width, so that it never goes stale
    st.number_input(
        "Other width, 1 to 16 bits", 1, 16, bits, key=key, on_change=_set_bits, args=(key,)
    )
    st.selectbox(
        "Granularity", GRANULARITIES, key="granularity", help=term("granularity"),
        format_func=lambda g: g.replace("_", " "), bind="query-params",
    )  # fmt: skip
    if st.session_state["granularity"] == "per_channel" and len(axes(info)) > 1:
        st.selectbox(
            "Axis", axes(info), usual_axis(info), key="axis", help=term("axis"),
            bind="query-params", format_func=lambda a: f"{a} ({info.shape[a]:,} channels)",
        )  # fmt: skip
    st.toggle("Narrow range", key="narrow_range", help=term("narrow_range"), bind="query-params")
    st.toggle("Reduced range", key="reduce_range", help=term("reduce_range"), bind="query-params")
    if st.toggle("Custom codes", key="custom", help=term("custom"), bind="query-params"):
        with st.container(horizontal=True):
            for end, at in (("quant_min", 0), ("quant_max", 255)):
                st.number_input(
                    end,
                    -65_536,
                    65_536,
                    at,
                    key=end,
                    help=term(end),
                    bind="query-params",
                    width=110,
                )
    name = st.selectbox(
        "Mode", list(QUANTIZERS), key="mode", help=term("mode"), bind="query-params",
        format_func=lambda m: QUANTIZERS.entry(m).title,
    )  # fmt: skip
    made = QUANTIZERS[name]()
    if knobs_of(made):
        made = knob_widgets(made, f"mode-{name}")
    st.session_state["mode_spelling"] = QUANTIZERS.spell(made)


def _set_bits(key: str) -> None:
    st.session_state["bits"] = st.session_state[key]
