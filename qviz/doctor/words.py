"""Words of findings: numbers, lists of channels, code ranges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

SHOWN = 4  # channels named in a sentence
LISTED = 64  # channels named in evidence


def number(value: float) -> str:
    """Four significant digits."""
    return f"{value:.4g}"


def times(ratio: float) -> str:
    """How many times: ``2.8``, ``1,230``, ``1,000,000,000``; three digits, ``10^12`` beyond."""
    if not ratio < 1e12:
        return f"over 10^{int(np.log10(ratio))}" if np.isfinite(ratio) else "endlessly many"
    return f"{float(f'{ratio:.3g}'):,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def decibels(value: float | None) -> str:
    """``4.1 dB``."""
    return "no number of dB" if value is None else f"{value + 0.0:.1f} dB".replace("-0.0", "0.0")


def interval(lo: float, hi: float) -> str:
    """``[-1, 2.5]``."""
    return f"[{lo:.4g}, {hi:.4g}]"


def percent(share: float) -> str:
    """``12 %``, ``0.02 %``: two significant digits, whole from 10 % on; 100 % is all."""
    value = 100 * share
    if 99.5 <= value < 100:
        return "over 99 %"
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.2g} %"


def counted(count: int, what: str) -> str:
    """``1 channel``, ``5 channels``."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def named(channels: Sequence[int]) -> str:
    """``channel 7``, ``channels 1, 3``, ``channels 1, 3, 5, 6 and 9 more``."""
    if len(channels) == 1:
        return f"channel {channels[0]}"
    shown, more = ", ".join(map(str, channels[:SHOWN])), len(channels) - SHOWN
    return f"channels {shown}" + (f" and {more} more" if more > 0 else "")


def indices(mask: np.ndarray) -> list[int]:
    """The first 64 indices at which a mask is set."""
    return np.flatnonzero(mask)[:LISTED].tolist()


def floats(values: Iterable[float]) -> list[float]:
    """The first 64 numbers, plain."""
    return [float(value) for value in list(values)[:LISTED]]
