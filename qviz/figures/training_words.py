"""The Learned scale view in words."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.numbers import count, integer, number
from qviz.figures.training_labels import Named
from qviz.pipeline.fitting import ARRIVED, Curve, arrival, lost
from qviz.spec import QuantSpec

LOSS = "Loss: the mean of (x' − x)²; plain gradient descent, one rate for all."


def heading(shown: Sequence[Named], found: Curve, steps: int, rate: float) -> str:
    """Who arrives first, and who has not; a rule has arrived once all its paths have."""
    if not shown:
        return "No rule learns with these codes"
    names = list(dict.fromkeys(one.name for one in shown))
    each = {n: [arrival(one.path, found) for one in shown if one.name == n] for n in names}
    runaway = list(dict.fromkeys(one.name for one in shown if lost(one.path, found)))
    there = sorted((max(a or 0 for a in at), n) for n, at in each.items() if None not in at)
    late = [n for n, at in each.items() if None in at and n not in runaway]
    said = f"Same loss, same rate {number(rate)}: "
    if there:
        said += f"{there[0][1]} arrives in {there[0][0]} steps"
        said += f", {late[0]} has not after {steps}" if late else ""
    else:
        said += f"none has arrived after {steps} steps"
    return said + (f"; {' and '.join(runaway)} ran away" if runaway else "")


def label(parameter: str, factor: str) -> str:
    """``learns scale, gradient ÷ √7``."""
    return f"learns {parameter}" + (f", {factor}" if factor else "")


def caption(start: str, size: int, whole: int, about: str, spec: QuantSpec) -> str:
    """Where it started, on what, with which codes, and how to read the picture."""
    sample = "all" if size >= whole else f"a sample of {integer(size)} of"
    low, high = spec.ends
    said = f"{about}: {sample} {count(whole)} values, codes "
    said += f"{integer(low)} to {integer(high)}. Start: {start}. {LOSS} Background: dB at that "
    return said + "clip; the brighter the better."


def sentence(one: Named, found: Curve, largest: int) -> str:
    """What one rule learned, with its factor, and how it ended."""
    path, steps = one.path, one.path.clips.size - 1
    unit = "which is the clip itself" if largest == 1 else f"clip = {integer(largest)} × scale"
    unit += _moves(one, largest)
    first, last = (f"{found.sign}{number(float(path.clips[end]))}" for end in (0, -1))
    plainly = "" if "gradient" in one.how else " by its gradient as it is"
    said = f"{one.name} {one.how}{plainly} ({unit}): "
    if path.reason and not steps:
        return said + f"from {first} its first step {path.reason}: the rate is too high for it."
    said += f"{first} became {last} in {steps} step{'' if steps == 1 else 's'}"
    if path.reason:
        return said + f", and {path.reason} at the next: the rate is too high for it."
    if lost(path, found):
        return said + ", farther from the best than at the start: it ran away at this rate."
    at = arrival(path, found)
    if at is not None:
        return said + f", within {ARRIVED:g} dB of the best from step {at} on."
    return said + ", not yet at the best."


def _moves(one: Named, largest: int) -> str:
    """How much farther a step moves the clip than if the clip itself were learned."""
    if largest == 1 and one.factor == 1:
        return ""
    parts = [f"{integer(largest)}²"] * (largest != 1)
    tamed = one.how.rpartition("gradient ÷ ")[2] if one.factor != 1 else ""
    times = largest * largest * one.factor
    text = " ÷ ".join([*parts, *([tamed] if tamed else [])])
    equals = f" = {number(times)}" if tamed else ""
    return f", so one step moves the clip some {text}{equals} times as far"
