"""The Fake quant page in words: its finding, and what becomes of one element."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence

import numpy as np

from qviz.figures.numbers import count, integer, interval, number, percent
from qviz.pipeline.training_gradients import Picked, Portrait, Sums
from qviz.quantizers.base import Quantizer

FLOAT32 = 9  # digits that tell every float32 from every other one
ALIKE = 1e-4  # of the width: corners nearer than this are the same corner
MOVED = 0.01  # of the width: a grid wider or narrower by less was shifted, not stretched
Range = tuple[float, float]


def distinct(shown: Sequence[Portrait]) -> int:
    """How many staircases differ by more than the last bits."""
    kept: list[Portrait] = []
    for one in shown:
        if not any(_alike(one, other) for other in kept):
            kept.append(one)
    return len(kept)


def _alike(a: Portrait, b: Portrait) -> bool:
    if a.stairs[0].size != b.stairs[0].size:
        return False
    width = float(a.stairs[0][-1] - a.stairs[0][0])
    apart = max(float(np.abs(p - q).max()) for p, q in zip(a.stairs, b.stairs, strict=True))
    return apart < ALIKE * width


def movable(shown: Portrait) -> bool:
    """Whether training moves a parameter of this mode."""
    return any(bool(np.abs(y).max()) for _, y in shown.parameters.values())


def heading(shown: Sequence[Portrait]) -> str:
    """``One range asked for, 3 grids delivered; 3 of 6 modes let training move it``."""
    if not shown:
        return "No mode serves this range and these codes"
    grids, moved = distinct(shown), sum(movable(one) for one in shown)
    delivered = f"{grids} grid{'' if grids == 1 else 's'} delivered"
    who = f"{moved} of {len(shown)} modes" if len(shown) > 1 else "its mode" if moved else "no mode"
    verb = "let" if moved != 1 and len(shown) > 1 else "lets"
    return f"One range asked for, {delivered}; {who} {verb} training move it"


def first_sentence(member: object) -> str:
    """The first sentence of a member's docstring, on one line."""
    text = " ".join((inspect.getdoc(member) or "").split("\n\n", maxsplit=1)[0].split())
    return text.split(". ", maxsplit=1)[0].rstrip(".") + "." if text else ""


def gradient_sentence(quantizer: Quantizer) -> str:
    """What the mode says of its own backward pass; empty where it says nothing."""
    own = type(quantizer).backward
    if own is Quantizer.backward:
        return ""
    return first_sentence(own).replace("``", "") if own.__doc__ else ""


def one_value(sums: Sums, shown: Portrait) -> str:
    """What there is to say where all values lie on one side of the grid; else empty."""
    if not sums.count or max(sums.above, sums.below) < sums.count:
        return ""
    side, end = ("above", shown.hi) if sums.above else ("below", shown.lo)
    window = interval(shown.lo, shown.hi)
    return f"Every value lies {side} the window {window} and comes back as {number(end)}."


def shifted(asked: Range, shown: Portrait) -> str:
    """Why a window lies beside the range asked for: it was moved until 0 is a level of it."""
    width, moved = asked[1] - asked[0], (shown.hi - shown.lo) - (asked[1] - asked[0])
    if asked[0] <= 0 <= asked[1] or not width or abs(moved) > MOVED * width:
        return ""
    stretched = interval(min(asked[0], 0.0), max(asked[1], 0.0))
    return (
        f"0 must be a level: this rule shifts {interval(*asked)} to {interval(shown.lo, shown.hi)} "
        f"and keeps its width, where stretching would give {stretched}."
    )


def element(title: str, picked: Picked) -> str:
    """Forward and gradient of one element under one mode, in a sentence."""
    x, back = told_apart(picked.x), number(picked.back, 4)
    if picked.clipped:
        forward = f"{x} is clipped and comes back as {back}"
    else:
        forward = f"{x} gets code {integer(round(picked.code))} and comes back as {back}"
    return f"{title}: {forward}; {_where(picked)}."


def told_apart(x: float) -> str:
    """A float32 with four digits, or as many as tell it from its neighbours.

    >>> told_apart(float(np.float32(-1.1))), told_apart(float(np.float32(-1.0999999)))
    ('−1.1', '−1.0999999')
    """
    enough = (d for d in range(4, FLOAT32) if np.float32(f"{x:.{d - 1}e}") == np.float32(x))
    return number(x, next(enough, FLOAT32))


def _where(picked: Picked) -> str:
    """Where its gradient goes, an upstream gradient of 1."""
    given = [f"{name} {signed(v)}" for name, v in picked.parameters.items() if v]
    if picked.to_x:
        passes = "its gradient passes to x" + (" all the same" if picked.clipped else "")
        return passes + (f", and gives {' and '.join(given)}" if given else "")
    if given:
        return f"none of its gradient reaches x: it goes to {' and '.join(given)}"
    return "its gradient is lost: neither x nor a parameter gets any"


def signed(x: float, digits: int = 3) -> str:
    """A number with its sign: ``+0.884``."""
    return ("+" if x > 0 else "") + number(x, digits)


def sums_text(sums: Sums) -> str:
    """``maxq +0.884``; a dash where nothing is learned."""
    return ", ".join(f"{k} {signed(v, 4)}" for k, v in sums.parameters.items()) or "–"


def share_text(part: float, sums: Sums) -> str:
    """A share of the elements in percent."""
    return percent(part / sums.count) if sums.count else "–"


def caption(about: str, asked: Range, sampled: int | None) -> str:
    """What it was measured on, and how to read the picture; ``sampled`` of how many values."""
    said = f"{about}. Asked for {interval(*asked)}. Dotted: unchanged value. Shaded: x gets no"
    said += " gradient. Grey stroke: where the values lie."
    if sampled is None:
        return said + " Sums are exact."
    return said + f" Sums are estimated from a sample of {count(sampled)} values."


def frameworks(configurations: Mapping[str, str]) -> str:
    """Version and configuration of each framework on screen."""
    return " · ".join(f"{title}: {text}" for title, text in configurations.items())
