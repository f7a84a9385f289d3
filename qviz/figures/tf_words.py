"""Headings and captions of the pictures of TensorFlow's modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from qviz.dialects.tensorflow.joining import Joined
from qviz.dialects.tensorflow.versions import Version
from qviz.dialects.tensorflow.views import Answer
from qviz.dialects.tensorflow.wide import OpQuantizer
from qviz.figures.numbers import (
    decibels,
    fixed,
    interval,
    number,
    percent,
)
from qviz.figures.tf_near_zero import STAYS
from qviz.pipeline.drift import Drift

Ends = tuple[float, float]
SEEN = 0.004  # share of the width from which a loss is worth a box
TENTH = 0.1  # dB
LAST_BITS = 4e-6  # of the width: ends of float32 differ by that anyway
CLAIMED = ("tf.min_combined",)  # what the documentation says gains error with every trip
CLAIM = "MIN_COMBINED gains error with every round trip and MIN_FIRST does not"


def listed(names: Sequence[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def ranges_heading(
    asked: Ends, adjusted: Ends, answers: Sequence[Answer], used: Mapping[str, int]
) -> str:
    """The adjustment where there was one, else the answer that differs most; who moves zero.

    ``used`` are codes used, by mode.
    """
    measured = [a for a in answers if a.quantizer is not None and not a.documented]
    if not measured:
        return f"No mode of TensorFlow serves {interval(*asked)} with these codes"
    far = max(measured, key=lambda a: _apart(a.output, asked))
    alike = [a.title for a in measured if not differ(a.output, far.output)]
    verb = f"answer{'s' * (len(alike) == 1)}"
    if differ(asked, adjusted):
        before, after = told_apart(asked, adjusted)
        heading = f"TensorFlow adjusts {before} to {after}"
        if not differ(far.output, adjusted):
            return f"{heading}, {_why(asked)}"
        one = " and leaves one value" if used.get(far.name) == 1 else ""
        return f"{heading}; {listed(alike)} {verb} {told_apart(far.output, adjusted)[0]}{one}"
    if not differ(far.output, asked):
        who = "Every mode answers" if _all_serve(answers) else f"{listed(alike)} {verb}"
        return f"{who} {interval(*asked)} as asked; {_movers(measured)}"
    answer, own = told_apart(far.output, asked)
    return f"{listed(alike)} {verb} {answer} to your {own}; {_movers(measured)}"


def _all_serve(answers: Sequence[Answer]) -> bool:
    return not any(a.refused for a in answers if not a.documented)


def _why(asked: Ends) -> str:
    return "so that 0 is inside" if asked[0] > 0 or asked[1] < 0 else "which was too narrow"


def _apart(a: Ends, b: Ends) -> float:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def differ(a: Ends, b: Ends) -> bool:
    """Whether more than float32's last bits sets two ranges apart; one of no width differs."""
    return _apart(a, b) > LAST_BITS * max(a[1] - a[0], b[1] - b[0])


def told_apart(a: Ends, b: Ends) -> tuple[str, str]:
    """Both ranges, with as many digits as it takes to tell them apart."""
    pairs = [(interval(*a, digits), interval(*b, digits)) for digits in range(3, 9)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def _movers(answers: Sequence[Answer]) -> str:
    moving = [a.title for a in answers if abs(a.moves) > STAYS]
    if not moving:
        return "none moves zero" if len(answers) > 1 else "zero stays zero"
    only = "only " if len(moving) < len(answers) else ""
    return f"{only}{listed(moving)} move{'s' * (len(moving) == 1)} zero"


def moved_note(one: Answer, asked: Ends, reach: Ends) -> str | None:
    """Why a range that was moved loses values; None where it was not, or none are lost.

    ``reach`` are the smallest and largest value.
    """
    (lo, hi), width = one.output, asked[1] - asked[0]
    same_width = abs((hi - lo) - width) <= SEEN * width
    if one.quantizer is None or not same_width or not differ(one.output, asked):
        return None
    lost = [f"above {number(hi)} comes back as {number(hi)}"] * (reach[1] > hi)
    lost += [f"below {number(lo)} comes back as {number(lo)}"] * (reach[0] < lo)
    within = max(reach[0], asked[0]), min(reach[1], asked[1])
    if not lost or max(within[1] - hi, lo - within[0]) <= SEEN * width:
        return None
    until = "inside" if asked[0] > 0 or asked[1] < 0 else "a level"
    moved = f"{one.title} keeps the width {number(width)} and moves the range until 0 is {until}"
    return f"{moved}: every value {' and every one '.join(lost)}."


def wrap_note(one: Answer, top: float) -> str | None:
    """That the largest value comes back at the other end; None where it does not.

    The codes of a wide type alone wrap round; ``top`` must lie above the middle of the range.
    """
    made, middle = one.quantizer, sum(one.output) / 2
    if not isinstance(made, OpQuantizer) or not middle < top:
        return None
    codes = made.quantize(np.array([[middle, top]], np.float32))
    if not codes[0, 1] < codes[0, 0]:
        return None
    ends = f"{number(top)} comes back as {number(float(made.dequantize(codes)[0, 1]))}"
    return f"{one.title}: the top code of this type wraps round to its lowest, and {ends}."


def drift_heading(found: Mapping[str, Drift], titles: Mapping[str, str], asked: Ends) -> str:
    """Which modes drift, which do not; published formulas only where no op does."""
    measured = {n: one for n, one in found.items() if "@" not in n}
    if not measured:
        return f"No mode of TensorFlow serves {interval(*asked)} with these codes"
    moving = {n: one for n, one in measured.items() if one.drifts}
    still = [titles[n] for n in measured if n not in moving]
    if not moving:
        formulas = [titles[n] for n, one in found.items() if one.drifts]
        more = f"; the formula {listed(formulas)} would" if formulas else ""
        return f"No mode drifts on {interval(*asked)}{more}"
    said = "; ".join(_way(titles[n], one) for n, one in moving.items())
    return f"{said}; {listed(still)} stay{'s' * (len(still) == 1)}" if still else said


def _way(title: str, one: Drift) -> str:
    if abs(abs(one.slope) - 1) < 0.05:
        return f"{title} {'climbs' if one.slope > 0 else 'sinks'} one step per round trip"
    sign = "+" if one.slope > 0 else ""
    return f"{title} drifts by {sign}{number(one.slope, 2)} steps per round trip"


def drift_caption(found: Mapping[str, Drift]) -> str:
    """What the documentation says, against what was measured."""
    moving = [n for n, one in found.items() if one.drifts and "@" not in n]
    if moving and not set(moving) & set(CLAIMED):
        return f"TensorFlow's documentation says it is the other way round: {CLAIM}."
    return f"TensorFlow's documentation says that {CLAIM}."


def versions_heading(found: Sequence[Version]) -> str:
    """Which versions serve, the range they use, and where gradients stop."""
    served = [v for v in found if v.gradient is not None]
    if not served:
        return "No version of quantize_and_dequantize takes these attributes"
    refused = [v.name for v in found if v.refused]
    stop = {v.name: 1 - float(v.gradient.mean()) for v in served if v.gradient is not None}
    halted = [f"{name} stops {percent(share)}" for name, share in stop.items() if share > 0]
    said = [f"The grid spans {interval(*served[0].used)}"]
    said += [f"{listed(halted)} of the gradients"] if halted else ["no gradient stops"]
    said += [f"{listed(refused)} refuse{'s' * (len(refused) == 1)}"] * bool(refused)
    return "; ".join(said)


def concat_heading(joined: Joined, ratios: Sequence[tuple[float | None, float | None]]) -> str:
    """How many inputs are requantized, and which one loses most; ``ratios`` in dB."""
    moved = [i for i, one in enumerate(joined.inputs) if one.requantized]
    count = len(joined.inputs)
    if not moved:
        return f"All {count} inputs have the joint range {interval(*joined.range)} and are copied"
    many = f"{len(moved)} of {count} inputs {'is' if len(moved) == 1 else 'are'} requantized"
    head = f"{many} to {interval(*joined.range)}"
    lost = {i: fall for i in moved if (fall := _fall(*ratios[i])) is not None}
    if not lost:
        return head
    worst = max(lost, key=lambda i: lost[i])
    before, after = ratios[worst]
    if lost[worst] < TENTH:
        return f"{head}; none of them loses a tenth of a decibel"
    one = f"{head}; input {worst + 1}"
    if before is None:
        return f"{one} was lossless and is left with {decibels(after)}"
    return f"{one} falls from {fixed(before)} to {decibels(after)}"


def _fall(before: float | None, after: float | None) -> float | None:
    """Decibels lost; None where nothing is lost after either, all of them where there were."""
    if after is None:
        return None
    return inf if before is None else before - after
