"""Metrics as they are shown: a number, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.metrics.base import METRICS, Totals
from qviz.registry import Entry

EXACT, SKETCH, ROUGH = "exact", "sketch", "rough"
LOSSLESS = "exact"  # the word for an infinite SQNR


@dataclass(frozen=True)
class Reading:
    """One metric of one group: never NaN, never infinite.

    ``value`` is None where there is none; ``reason`` says why, and is ``exact`` where a ratio
    in dB is infinite because nothing is lost. ``mark`` is ``exact``, ``sketch`` (within the
    sketch's accuracy) or ``rough`` (a count or a largest value read off a sketch: approximate
    until each element is judged). Counts are whole numbers.
    """

    value: float | None
    reason: str = ""
    mark: str = EXACT

    @property
    def made(self) -> str:
        """How the totals were made: ``exact`` or ``sketch``."""
        return EXACT if self.mark == EXACT else SKETCH


def read(name: str, totals: Totals, channels: Totals | None = None) -> tuple[Reading, ...]:
    """One metric, a reading per group of ``totals``.

    Metrics of channels are read off ``channels``, the totals of channel rows; every group then
    has the same reading.

    Raises
    ------
    UnknownName
        No metric has this name.
    """
    entry = METRICS.entry(name)
    if entry.notes.get("rows") != "channel":
        return _readings(entry, totals, _reasons(totals))
    if channels is None:
        return (Reading(None, "channels were not judged"),) * totals.groups
    return _readings(entry, channels, [""]) * totals.groups


def read_all(totals: Totals, channels: Totals | None = None) -> dict[str, tuple[Reading, ...]]:
    """All metrics by name, a reading per group of ``totals``."""
    return {name: read(name, totals, channels) for name in METRICS}


def _reasons(t: Totals) -> list[str]:
    """What keeps every metric of a group from being a number; empty where nothing does."""
    out = np.full(t.groups, "", dtype=object)
    out[np.isnan(t.ee)] = "what comes back is not a number"
    out[t.overflowed] = "sums overflow float64"
    out[t.n == 0] = "there is no finite element"
    return out.tolist()


def _readings(entry: Entry, t: Totals, reasons: list[str]) -> tuple[Reading, ...]:
    values = entry.made(t).tolist()
    mark = t.made if t.made == EXACT or not entry.notes.get("rough") else ROUGH
    lossless = LOSSLESS if entry.notes["unit"] == "dB" else ""
    absent = entry.notes.get("absent", "")
    whole, out = entry.notes.get("decimals") == 0, []
    for value, reason in zip(values, reasons, strict=True):
        if np.isfinite(value):
            out.append(Reading(float(round(value)) if whole else value, "", mark))
        else:
            out.append(Reading(None, (value > 0 and lossless) or reason or absent, mark))
    return tuple(out)
