"""What a widget says in the address, so that a reload or a link finds it again.

For widgets that cannot be bound, such as those whose key holds the tensor; a private tensor
leaves nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import TypeVar

import streamlit as st

from qviz.errors import QvizError
from qviz.ui.choice import Choice

T = TypeVar("T")


def start(choice: Choice, name: str, key: str, read: Callable[[str], T | None], usual: T) -> T:
    """Where the widget ``key`` starts: at what ``read`` makes of the address, else as usual.

    Kept while the widget lives, since a widget with another start is another widget. ``read``
    gives None, or raises a QvizError, for what the tensor does not have.
    """
    place, state = f"{key}-start", st.session_state
    if key not in state or place not in state:
        state[place] = usual
        given = st.query_params.get(name)
        if given is not None and not choice.item.private:
            state[place] = _or_usual(read, given, usual)
    return state[place]


def _or_usual(read: Callable[[str], T | None], given: str, usual: T) -> T:
    try:
        found = read(given)
    except QvizError:
        return usual
    return usual if found is None else found


def tell(choice: Choice, name: str, value: object, usual: object = None) -> None:
    """Write a value that is not the usual one; else, or of a private tensor, take it off."""
    if choice.item.private or value is None or value == usual:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != str(value):
        st.query_params[name] = str(value)


def one_of(*known: T) -> Callable[[str], T | None]:
    """A reader of one of a few values, by how they are written."""
    written = {str(value): value for value in known}
    return written.get


def nearest(stops: Sequence[float]) -> Callable[[str], float | None]:
    """A reader of a number above 0: the stop of a slider that is nearest to it."""

    def read(text: str) -> float | None:
        try:
            wanted = float(text)
        except ValueError:
            return None
        return min(stops, key=lambda stop: abs(stop - wanted)) if 0 < wanted < inf else None

    return read


def span(count: int) -> Callable[[str], tuple[int, int] | None]:
    """A reader of ``3-40``, two numbers from 1 to ``count`` in order."""

    def read(text: str) -> tuple[int, int] | None:
        first, _, last = text.partition("-")
        if not (first.isdecimal() and last.isdecimal() and len(text) < 30):
            return None
        return (int(first), int(last)) if 1 <= int(first) <= int(last) <= count else None

    return read
