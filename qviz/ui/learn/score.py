"""What was answered: kept in this session, first tries also in the address, nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

COMPETENT = 8  # of ten lessons at first try
PARAMETER = "tries"  # of the address: a sign for each lesson
SIGNS = {None: "-", True: "1", False: "0"}


@dataclass(frozen=True)
class Tries:
    """Answers to one lesson.

    ``given`` is the last one, to the ``variant`` or to the question; ``first`` says whether the
    first one was right; ``opened`` that the controls are free.
    """

    given: float | None = None
    variant: bool = False
    first: bool | None = None
    opened: bool = False


def tries(name: str) -> Tries:
    """What was answered to a lesson so far."""
    return st.session_state.get(f"tries-{name}", Tries())


def keep(name: str, now: Tries) -> None:
    """Remember it for the session."""
    st.session_state[f"tries-{name}"] = now


def told_score(numbers: Mapping[str, int]) -> str:
    """``✓ 1, 3 · again: 6``: lessons right at first try, and those to see again, by number."""
    right = [str(number) for name, number in numbers.items() if tries(name).first]
    again = [str(number) for name, number in numbers.items() if tries(name).first is False]
    parts = [f"✓ {', '.join(right)}"] * bool(right) + [f"again: {', '.join(again)}"] * bool(again)
    return " · ".join(parts)


def remember(names: Sequence[str]) -> None:
    """Take first tries from the address where this session has none, and write them there."""
    known = {sign: first for first, sign in SIGNS.items()}
    for name, sign in zip(names, st.query_params.get(PARAMETER, ""), strict=False):
        if tries(name).first is None and known.get(sign) is not None:
            keep(name, replace(tries(name), first=known[sign], opened=True))
    signs = "".join(SIGNS[tries(name).first] for name in names)
    if set(signs) > {"-"} and st.query_params.get(PARAMETER) != signs:
        st.query_params[PARAMETER] = signs
