"""The channel that was picked, by a click on its dot or by its number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from qviz.figures.channel_words import listed
from qviz.figures.numbers import decibels, integer, number
from qviz.pipeline.channel_facts import ChannelMap
from qviz.ui import linking
from qviz.ui.channels.look import Look
from qviz.ui.choice import Choice
from qviz.ui.derived import derived, open_channel
from qviz.ui.notices import plain
from qviz.ui.words import term

NAME = "channels_pick"  # in the address
OPENED = "channels_opened"  # set by a button: the whole page has to run again


def _key(look: Look) -> str:
    return f"channels_picked-{look.key}"


def _own(look: Look) -> str:
    """Key of the mark that a person picked the channel."""
    return f"{_key(look)}-own"


def pick(look: Look) -> Callable[[Any], None]:
    """A callback that takes the customdata of a dot."""

    def picked(channel: Any) -> None:
        if channel is not None:
            st.session_state[_key(look)] = int(channel)
            st.session_state[_own(look)] = True

    return picked


def channel(choice: Choice, look: Look, found: ChannelMap) -> int | None:
    """The channel that a person picked, or the address; None before any was.

    Its box starts at the worst one.
    """
    key, own, state = _key(look), _own(look), st.session_state
    if key not in state or state[key] >= found.channels:
        given = st.query_params.get(NAME, "")
        known = given.isdecimal() and len(given) < 12 and int(given) < found.channels
        state[own] = known and not choice.item.private
        values = np.where(np.isnan(found.shared.sqnr), np.inf, found.shared.sqnr)
        state[key] = int(given) if state[own] else int(np.argmin(values))
    at = state[key] if state.get(own) else None
    linking.tell(choice, NAME, at)
    return at


def _picked(own: str) -> None:
    st.session_state[own] = True


def card(choice: Choice, look: Look, found: ChannelMap) -> None:
    """One channel's numbers, and the button that opens it as a tensor."""
    left, middle, right = st.columns([2, 7, 3], vertical_alignment="bottom")
    at = left.number_input(
        look.group.capitalize(), 0, found.channels - 1, key=_key(look), help=term("channels_pick"),
        on_change=_picked, args=(_own(look),),
    )  # fmt: skip
    middle.markdown(plain(_facts(found, int(at))))
    if look.group == "channel":
        right.button(
            f"Open channel {at} as a tensor", icon=":material/open_in_new:", width="stretch",
            on_click=_open, args=(choice, look.axis, int(at)),
        )  # fmt: skip
    source = derived().get(choice.item.id)
    if source is not None:
        right.button(
            "Back to the whole tensor", icon=":material/arrow_back:", width="stretch",
            on_click=_back, args=(source.parent.id,),
        )  # fmt: skip


def _open(choice: Choice, axis: int, at: int) -> None:
    st.session_state["tensor"] = open_channel(choice.item, axis, at)
    st.session_state[OPENED] = True


def _back(id: str) -> None:
    st.session_state["tensor"] = id
    st.session_state[OPENED] = True


def _facts(found: ChannelMap, at: int) -> str:
    facts, shared, own = found.facts, found.shared, found.own
    if found.empty[at]:
        return f"no finite value: {integer(int(facts.n[at]))} elements, all of them NaN or infinite"
    if found.dead[at]:
        return f"dead: {integer(int(facts.finite[at]))} elements, all of them 0"
    ends = f"[{number(float(facts.lo[at]))}, {number(float(facts.hi[at]))}]"
    used = int(found.codes[at])
    codes = f" with {integer(used)} {'code' if used == 1 else 'codes'}" if used >= 0 else ""
    gone = "; nothing but 0 comes back" if found.erased[at] else ""
    return (
        f"{ends} · {_db(shared.sqnr[at])}{codes} under the shared step, "
        f"{_db(own.sqnr[at])} under its own{gone}"
    )


def _db(value: float) -> str:
    return "exact" if np.isinf(value) else decibels(float(value))


def lists(found: ChannelMap, group: str) -> list[tuple[str, str]]:
    """Worst, loud, dead, near-dead and erased channels as lines of text."""
    values = found.shared.sqnr
    worst = np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable")
    worst = worst[np.isfinite(values[worst])][:8]
    kinds = {
        "Loud": found.loud,
        "All become 0": found.erased & ~found.near_dead,
        "Near-dead, all become 0": found.erased & found.near_dead,
        "Near-dead": found.near_dead & ~found.erased,
        "Dead": found.dead,
        "No finite value": found.empty,
    }
    lines = [("Worst", listed(worst, values))] if len(worst) else []
    return lines + [(n, listed(np.flatnonzero(m))) for n, m in kinds.items() if m.any()]
