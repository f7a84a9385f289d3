"""Pairs for which models run again: compared beside the page, with Cancel."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import streamlit as st

from qviz.models.pairs import Pairs, pairs
from qviz.models.readahead import needs_run
from qviz.models.work import Threaded
from qviz.sources.base import TensorSource
from qviz.ui.files import opened
from qviz.ui.layers import results
from qviz.ui.layers.subject import Subject, name_of, title
from qviz.ui.layers.working import at_work, begin, given_up
from qviz.ui.state import store

KIND = "pairs"
COMPARES, WAITS, STOPPED = "Comparing {} with {}", "Pairs wait for the run", "Pairs: not compared"
AGAIN = "Values that were not kept come from a few runs of each model."


def compared(found: Subject, other: str) -> Pairs | None:
    """The pairs, at once where all values are at hand; None while models run for them."""
    a, b = found.source, opened()[name_of(other)].source
    if store().get(_kept(a, b)) is not None or not needs_run((a, b)):
        return results.paired(a, b)
    working = at_work()
    busy = working is not None and (working.key[0] != KIND or working.key == _key(found, other))
    if not busy and _key(found, other) not in given_up():
        _begin(found, other, a, b)
        st.rerun()  # its progress stands above
    if at_work() is None:
        st.button(
            "Compare", key="layers_compare", icon=":material/play_arrow:", type="primary",
            on_click=_begin, args=(found, other, a, b),
        )  # fmt: skip
    return None


def meanwhile(found: Subject, other: str) -> tuple[str, str]:
    """Heading and caption while there are no pairs."""
    working = at_work()
    if working is None:
        return STOPPED, f"{title(other)} beside {found.title}. {AGAIN}"
    ours = working.key == _key(found, other)
    return COMPARES.format(title(other), found.title) if ours else WAITS, AGAIN


def _key(found: Subject, other: str) -> tuple[str, ...]:
    return KIND, found.name, name_of(other)


def _kept(a: TensorSource, b: TensorSource) -> tuple[Hashable, ...]:
    """Where ``results.paired`` finds them."""
    return results.key_of(a), KIND, results.key_of(b)


def _begin(found: Subject, other: str, a: TensorSource, b: TensorSource) -> None:
    begin(
        _key(found, other),
        "Pairs compared",
        lambda: Threaded(partial(pairs, a, b)),
        partial(store().put, _kept(a, b)),
    )
