"""What was answered in this session: kept here alone, never sent anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

COMPETENT = 8  # of ten lessons at first try


@dataclass(frozen=True)
class Tries:
    """Answers to one lesson: the last one, whether it was to the variant, and the first result."""

    given: float | None = None
    variant: bool = False
    first: bool | None = None


def tries(name: str) -> Tries:
    """What was answered to a lesson so far."""
    return st.session_state.get(f"tries-{name}", Tries())


def keep(name: str, now: Tries) -> None:
    """Remember it for the session."""
    st.session_state[f"tries-{name}"] = now


def marks(name: str) -> str:
    """A sign behind a lesson's title: right at first try, or not, or not tried yet."""
    first = tries(name).first
    return "" if first is None else " ✓" if first else " ·"
