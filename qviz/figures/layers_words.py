"""What the pages of a whole model find, in words."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.layers_before import LONG, grid_words, nan_words
from qviz.figures.layers_names import called_among
from qviz.figures.layers_reach import Reach
from qviz.figures.numbers import decibels, integer, number, percent
from qviz.models.alone import Alone, Outcome, Sensitivity, ranked
from qviz.models.layers import LayerRow, worst_first
from qviz.models.shares import wilson

LITTLE = 0.01  # accuracy below which a loss is called none
NAMES = 4  # names in a line
ROUGH = "≈ "  # before a number that is read off a sketch
WAYS = {  # what to do where a tensor's own SQNR is all that is known
    "alone": "Tensor SQNR misleads: what a layer costs stands under Alone.",
    "run": "Tensor SQNR misleads: run the model, then see Alone.",
    "open": "Tensor SQNR misleads: open the model as ONNX and run it.",
}


def called(name: str, among: Sequence[str] = ()) -> str:
    """A name, short enough for a heading; what tells it from the others stays."""
    return called_among(name, among or (name,), LONG)


def heading(rows: Sequence[LayerRow], cost: Sensitivity | None) -> str:
    """The layer that hurts and what it costs; without a run the lowest SQNR. NaN comes first."""
    if told := nan_words(rows):
        return told
    worst = costliest(cost)
    if cost is not None and worst is not None:
        return _at_the_output(cost, worst)
    lowest = next((row for row in worst_first(rows) if row.sqnr is not None), None)
    if lowest is not None:
        name = called(lowest.name, [row.name for row in rows])
        return grid_words(rows) or f"{name} has the lowest SQNR of all: {_own_db(lowest)}"
    if rows and all(row.lossless for row in rows):
        return "Every tensor comes back exactly"
    return "No tensor can be judged under these schemes" if rows else "There is no tensor"


def costliest(cost: Sensitivity | None) -> Alone | None:
    """The tensor that costs most alone; None where nothing was judged."""
    found = ranked(cost.rows, cost.samples) if cost is not None else []
    return next((row for row in found if not row.note), None)


def _at_the_output(cost: Sensitivity, worst: Alone) -> str:
    name, left = _worst_called(cost, worst), worst.alone.accuracy
    if cost.accuracy is None or left is None:
        if worst.alone.note:
            return f"{name} changes the output, but no number says how much: {worst.alone.note}"
        if worst.alone.sqnr is None:
            return "No tensor alone changes the output"
        return f"{name} hurts most: quantizing it alone leaves the output {_db(worst.alone)}"
    if _most_lost(cost) < LITTLE:
        return f"No layer alone costs a point: {percent(cost.accuracy)} stay right"
    return _by_chance(cost, worst) or (
        f"{name} is the layer: quantizing it alone takes {percent(cost.accuracy)} right "
        f"to {percent(left)}"
    )


def _worst_called(cost: Sensitivity, worst: Alone) -> str:
    return called(worst.name, [row.name for row in cost.rows])


def _most_lost(cost: Sensitivity) -> float:
    """Accuracy that the worst tensor takes alone, of a model with labels."""
    known = [r.alone.accuracy for r in cost.rows if not r.note and r.alone.accuracy is not None]
    return (cost.accuracy or 0.0) - min(known, default=0.0)


def _by_chance(cost: Sensitivity, worst: Alone) -> str:
    """Words for losses that so few samples cannot tell from none; empty where one is real."""
    right = cost.accuracy or 0.0
    lowest = min(max(right - _most_lost(cost), 0.0), 1.0)
    if not cost.samples or right > wilson(lowest, cost.samples)[1]:
        return ""
    told = f"No layer alone costs more than {integer(cost.samples)} samples can tell"
    return f"{told}; {_worst_called(cost, worst)} leaves the output {_db(worst.alone)}"


def _db(outcome: Outcome) -> str:
    return "exact" if outcome.lossless else decibels(outcome.sqnr)


def _own_db(row: LayerRow) -> str:
    return ("" if row.exact else ROUGH) + decibels(row.sqnr)


def caption(
    rows: Sequence[LayerRow], cost: Sensitivity | None, about: str, way: str = "open"
) -> str:
    """What was measured, and whether the SQNR of the worst layer told of it.

    ``way`` names one of ``WAYS``.
    """
    worst = costliest(cost)
    if cost is None or worst is None:
        return f"{about} {WAYS[way]}"
    harmless = cost.accuracy is not None and _most_lost(cost) < LITTLE
    own = "" if harmless else _own(rows, worst)
    return f"{about} {integer(cost.samples)} samples. {own}".strip()


def _own(rows: Sequence[LayerRow], worst: Alone) -> str:
    row = next((r for r in rows if r.name == worst.name and r.sqnr is not None), None)
    if row is None or row.sqnr is None:
        return ""
    others = [r.sqnr for r in rows if r.role == row.role and r is not row and r.sqnr is not None]
    lower = sum(other < row.sqnr for other in others)
    if not lower:
        return ""
    part = "all" if lower == len(others) else f"{integer(lower)} of"
    many = f"{part} {integer(len(others))} other {_plural(row.role)}"
    return f"Its own SQNR, {_own_db(row)}, tops {many}: tensor SQNR misleads."


def _plural(role: str) -> str:
    return {"bias": "biases", "unknown": "tensors"}.get(role, f"{role}s")


def loud_line(channel: int, names: Sequence[str]) -> str:
    """A channel that stands out in several activations."""
    return f"Channel {channel} is loud in {len(names)} activations: {listed(names)}."


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    first = ", ".join(called(name, names) for name in names[:NAMES])
    more = len(names) - NAMES
    return f"{first} and {integer(more)} more" if more > 0 else first


def ranges_heading(reaches: Sequence[Reach], threshold: float) -> str:
    """The tensor that reaches farthest beyond its median, and how many pass the mark."""
    if not reaches:
        return "No tensor here has anything but zeros"
    top = max(reaches, key=lambda reach: reach.ratio)
    past = sum(reach.ratio > threshold for reach in reaches)
    if not past:
        return f"No tensor reaches {number(threshold)} times its median magnitude"
    name, rough = called(top.name, [r.name for r in reaches]), "" if top.exact else ROUGH
    told = f"{name} reaches {rough}{number(top.ratio)} times its median magnitude"
    many = "the only one" if past == 1 else f"one of {integer(past)}"
    return f"{told}, {many} of {integer(len(reaches))} past the mark"


def alone_heading(cost: Sensitivity, beside: Sensitivity | None) -> str:
    """What the worst tensor costs alone, and what it costs with a step for each channel."""
    worst = costliest(cost)
    if worst is None:
        return "No tensor could be quantized alone"
    if cost.accuracy is None or worst.alone.accuracy is None:
        return _at_the_output(cost, worst)
    name = _worst_called(cost, worst)
    if _most_lost(cost) < LITTLE:
        return f"No layer alone costs a point; {name} comes closest"
    if chance := _by_chance(cost, worst):
        return chance
    start = f"{name} alone costs {_points(cost.accuracy - worst.alone.accuracy)}"
    other = next((r for r in beside.rows if r.name == worst.name), None) if beside else None
    if other is None or other.alone.accuracy is None:
        return start
    left = cost.accuracy - other.alone.accuracy
    return f"{start}; per channel it costs {_points(left)}"


def _points(share: float) -> str:
    if share < LITTLE / 2:
        return "nothing"
    return f"{number(100 * share, 2)} points"


def alone_caption(cost: Sensitivity, about: str) -> str:
    """Float and fully quantized numbers, and the order of the rows."""
    every = next((r.upto for r in reversed(cost.rows) if r.upto is not None), None)
    if cost.accuracy is None:
        whole = f"all quantized leave the output {_db(every)}. " if every else ""
        return f"{about} {whole[:1].upper()}{whole[1:]}".strip()
    whole = f", {percent(every.accuracy)} with everything quantized" if every else ""
    ran = f"{percent(cost.accuracy)} of {integer(cost.samples)} right in float{whole}"
    return f"{about} {ran}."


def tried_line(name: str, setting: str, tried: Outcome, here: Outcome | None) -> str:
    """What one tensor leaves of the output under a setting tried elsewhere, and as here."""
    right = "" if tried.accuracy is None else f" ({percent(tried.accuracy)} right)"
    words = f"{name} under {setting}: {_db(tried)} at the output{right}"
    return f"{words}; {_db(here)} as here." if here is not None else f"{words}."
