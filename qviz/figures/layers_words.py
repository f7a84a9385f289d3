"""What the pages of a whole model find, in words."""

from __future__ import annotations

from collections.abc import Sequence

from qviz.figures.layers_reach import Reach
from qviz.figures.numbers import decibels, integer, number, percent
from qviz.figures.theme import clean
from qviz.models.alone import Alone, Outcome, Sensitivity, ranked
from qviz.models.layers import LayerRow, worst_first

LITTLE = 0.01  # accuracy below which a loss is called none
LONG = 34  # characters of a name in a heading
NAMES = 4  # names in a line
MISLEADS = "A tensor's own SQNR misleads: what a layer costs shows at the output, under Alone."


def called(name: str) -> str:
    """A name, short enough for a heading."""
    return clean(name, LONG) or "(no name)"


def heading(rows: Sequence[LayerRow], cost: Sensitivity | None) -> str:
    """The layer that hurts and what it costs; without a run the lowest SQNR."""
    worst = costliest(cost)
    if cost is not None and worst is not None:
        return _at_the_output(cost, worst)
    lowest = next((row for row in worst_first(rows) if row.sqnr is not None), None)
    if lowest is not None:
        return f"{called(lowest.name)} has the lowest SQNR of all: {decibels(lowest.sqnr)}"
    if rows and all(row.lossless for row in rows):
        return "Every tensor comes back exactly"
    return "No tensor can be judged under these schemes" if rows else "There is no tensor"


def costliest(cost: Sensitivity | None) -> Alone | None:
    """The tensor that costs most alone; None where nothing was judged."""
    judged = [row for row in ranked(cost.rows) if not row.note] if cost is not None else []
    return judged[0] if judged else None


def _at_the_output(cost: Sensitivity, worst: Alone) -> str:
    name, left = called(worst.name), worst.alone.accuracy
    if cost.accuracy is None or left is None:
        if worst.alone.sqnr is None:
            return "No tensor alone changes the output"
        return f"{name} hurts most: quantizing it alone leaves the output {_db(worst.alone)}"
    if cost.accuracy - left < LITTLE:
        return f"No layer alone costs a point: {percent(cost.accuracy)} stay right"
    return (
        f"{name} is the layer: quantizing it alone takes {percent(cost.accuracy)} right "
        f"to {percent(left)}"
    )


def _db(outcome: Outcome) -> str:
    return "exact" if outcome.lossless else decibels(outcome.sqnr)


def caption(rows: Sequence[LayerRow], cost: Sensitivity | None, about: str) -> str:
    """What was measured, and whether the SQNR of the worst layer told of it."""
    worst = costliest(cost)
    if cost is None or worst is None:
        return f"{about} {MISLEADS}"
    return f"{about} {integer(cost.samples)} samples. {_own(rows, worst)}".strip()


def _own(rows: Sequence[LayerRow], worst: Alone) -> str:
    row = next((r for r in rows if r.name == worst.name and r.sqnr is not None), None)
    if row is None or row.sqnr is None:
        return ""
    others = [r.sqnr for r in rows if r.role == row.role and r is not row and r.sqnr is not None]
    lower = sum(other < row.sqnr for other in others)
    if not lower:
        return ""
    many = f"that of {integer(lower)} of the {integer(len(others))} other {_plural(row.role)}"
    if lower == len(others):
        many = f"that of all other {_plural(row.role)}"
    return f"Its own SQNR, {decibels(row.sqnr)}, is above {many}: tensor SQNR misleads."


def _plural(role: str) -> str:
    return {"bias": "biases", "unknown": "tensors"}.get(role, f"{role}s")


def loud_line(channel: int, names: Sequence[str]) -> str:
    """A channel that stands out in several activations."""
    return f"Channel {channel} is loud in {len(names)} activations: {listed(names)}."


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    first = ", ".join(called(name) for name in names[:NAMES])
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
    told = f"{called(top.name)} reaches {number(top.ratio)} times its median magnitude"
    many = "the only one" if past == 1 else f"one of {integer(past)}"
    return f"{told}, {many} of {integer(len(reaches))} past the mark"


def alone_heading(cost: Sensitivity, beside: Sensitivity | None) -> str:
    """What the worst tensor costs alone, and what it costs with a step for each channel."""
    worst = costliest(cost)
    if worst is None:
        return "No tensor could be quantized alone"
    if cost.accuracy is None or worst.alone.accuracy is None:
        return _at_the_output(cost, worst)
    lost = cost.accuracy - worst.alone.accuracy
    start = f"{called(worst.name)} alone costs {_points(lost)}"
    if lost < LITTLE:
        return f"No layer alone costs a point; {called(worst.name)} comes closest"
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
