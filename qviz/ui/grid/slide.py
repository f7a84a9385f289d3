"""The range as two handles on a slider."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

TICKS = 400  # places on the slider
PAST = 0.25  # of the width: how far the slider goes beyond the values
FARTHEST, LEAST = 1e300, 1e-290  # magnitudes that controls can still hold
ROUNDING = 0.51  # steps by which a handle moves that nobody touched
Ends = tuple[float, float]


@dataclass(frozen=True)
class Bounds:
    """Ends and step of the slider."""

    lo: float
    hi: float
    step: float


def bounds(lo: float, hi: float) -> Bounds | None:
    """From the extremes of the values, with 0 inside; None where no slider can hold them."""
    pad = PAST * (hi - lo) or abs(hi) or 1.0
    low, high = min(lo - pad, 0.0), max(hi + pad, 0.0)
    width = high - low
    if not (math.isfinite(width) and max(-low, high) < FARTHEST and width > LEAST):
        return None
    step = 10.0 ** math.floor(math.log10(width / TICKS))
    return Bounds(math.floor(low / step) * step, math.ceil(high / step) * step, step)


def slider(limits: Bounds, now: Ends, name: str, ends: tuple[str, str]) -> None:
    """Two handles at ``now``; what is dragged is written into the state under ``ends``."""
    lo, hi = (min(max(end, limits.lo), limits.hi) for end in sorted(now))
    key = f"grid-slider-{name}"
    st.session_state[key] = (lo, hi)
    st.slider(
        "Clipping range", limits.lo, limits.hi, step=limits.step, format="%.4g", key=key,
        on_change=_drag, args=(key, (lo, hi), limits.step, ends), label_visibility="collapsed",
    )  # fmt: skip


def _drag(key: str, before: Ends, step: float, ends: tuple[str, str]) -> None:
    after = st.session_state[key]
    for end, value, moves in zip(ends, after, moved(before, after, step), strict=True):
        if moves:
            st.session_state[end] = value


def moved(before: Ends, after: Ends, step: float) -> tuple[bool, bool]:
    """Which handles were dragged; the slider rounds the other one to its own places.

    >>> moved((-6.0, 7.7812), (-5.0, 7.78), 0.01)
    (True, False)
    """
    ways = [abs(b - a) for a, b in zip(before, after, strict=True)]
    lo, hi = (way > ROUNDING * step or way == max(ways) > 0 for way in ways)
    return lo, hi
