"""The channels of a finding by their largest magnitude, with the step that all share."""

from __future__ import annotations

import numpy as np

from qviz.doctor.base import Finding
from qviz.figures.doctor_bars import MOST, Magnitude, Mark, bars_on_log
from qviz.figures.doctor_facts import Facts
from qviz.figures.numbers import integer, number
from qviz.figures.theme import Figure, Palette

UNIT = "channel"
LOUD = 5  # flagged channels that are shown at most, where not all are
APART = ("OUTLIER-CHANNEL", "MIXED-RANGES")  # their threshold is so many times the median


def channels_picture(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """Largest magnitude of each channel, sorted, with the step that all share."""
    amax, e = facts.amax, finding.evidence
    if e.get("unit", UNIT) != UNIT or facts.axis not in (None, e.get("axis", facts.axis)):
        return _elsewhere(finding, facts, palette)
    if amax is None or not amax.size or not np.isfinite(amax).all():
        return None
    flagged = set(e.get("channels") or [e.get("worst_channel")])
    chosen = chosen_channels(amax, flagged)
    rows = [
        Magnitude(f"channel {c}", float(amax[c]), _codes_of(facts, c), c in flagged) for c in chosen
    ]
    marks = _step_mark(facts)
    alive = amax[amax > 0]
    if alive.size and finding.rule in APART:
        median, times = float(np.median(alive)), float(e["threshold"])
        if amax.max() > times * median:
            marks.append(Mark(times * median, f"{number(times)} × median channel"))
    few = f", {len(chosen)} of {integer(amax.size)} channels" if len(chosen) < amax.size else ""
    return bars_on_log(rows, marks, palette, f"largest magnitude of the channel (log){few}")


def _elsewhere(finding: Finding, facts: Facts, palette: Palette) -> Figure | None:
    """What lies along another axis than the channels: the loud or the worst, and the median."""
    e, unit = finding.evidence, finding.evidence.get("unit", UNIT)
    worst = [] if "worst_channel" not in e else [(e["worst_channel"], e["worst_absmax"])]
    loud = list(zip(e.get("channels", ()), e.get("absmax", ()), strict=False)) or worst
    if not loud:
        return None
    rows = [Magnitude(f"{unit} {c}", float(v), "", True) for c, v in loud[: MOST - 1]]
    rows.append(Magnitude(f"median {unit}", float(e["median"])))
    rows.sort(key=lambda row: -row.value)
    marks = _step_mark(facts)
    marks.append(Mark(float(e["threshold"] * e["median"]), f"{number(e['threshold'])} × median"))
    return bars_on_log(rows, marks, palette, f"largest magnitude of the {unit} (log)")


def _step_mark(facts: Facts) -> list[Mark]:
    if facts.step is None:
        return []
    return [Mark(facts.step / 2, "below half a step: becomes 0", bold=True)]


def chosen_channels(amax: np.ndarray, flagged: set[int | None]) -> list[int]:
    """At most 10 channels, loudest first: some that are flagged, the others evenly by rank."""
    order = np.argsort(-amax, kind="stable").tolist()
    if len(order) <= MOST:
        return order
    first = [c for c in order if c in flagged][:LOUD]
    others = [c for c in order if c not in flagged]
    count = min(MOST - len(first), len(others))
    picked = {others[round(i)] for i in np.linspace(0, len(others) - 1, count)} if count else set()
    kept = picked | set(first)
    return [c for c in order if c in kept]


def _codes_of(facts: Facts, channel: int) -> str:
    if facts.amax is not None and not facts.amax[channel]:
        return "only 0"
    if facts.used is None:
        return ""
    used = int(facts.used[channel])
    return f"{used} code{'s' * (used != 1)}"
