"""How many codes would flip under a slightly different arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from qviz.quantizers.arithmetic import TIE_WORDS, Arithmetic
from qviz.rosetta.answers import Answer
from qviz.rosetta.comparison import MOST, chunks, thinned

Change = Callable[[np.ndarray], np.ndarray]
OTHER_TIE = {"even": "away", "away": "even", "up": "even", "cut": "even"}


@dataclass(frozen=True)
class Flip:
    """Codes that change when one thing is done otherwise.

    ``flips`` of ``elements`` finite ones; ``exact`` says whether these are all there are.
    """

    name: str
    flips: int
    elements: int
    exact: bool


def fragility(answer: Answer, x: np.ndarray) -> tuple[Flip, ...]:
    """Count flips on all finite elements, of more than a million on evenly spaced ones.

    Empty where the rule has no grid, or does not say how it computes.
    """
    made = answer.quantizer
    how = None if made is None else made.arithmetic
    if made is None or how is None:
        return ()
    rows = thinned(x)
    low, high = made.ends
    flips = dict.fromkeys(variants(how), 0)
    for piece in chunks(rows):
        usual = np.clip(how.encode(piece[None]), low, high)
        for name, other in variants(how).items():
            codes = np.clip(other.encode(piece[None]), low, high)
            flips[name] += int((codes != usual).sum())
    return tuple(Flip(name, count, rows.size, x.size <= MOST) for name, count in flips.items())


def variants(how: Arithmetic) -> dict[str, Arithmetic]:
    """The arithmetic with one thing changed at a time, by what was changed."""
    tie = OTHER_TIE[how.tie]
    found = {f"ties {TIE_WORDS[tie]}": replace(how, tie=tie), **_other_quotient(how)}
    if how.added != "none":
        moved = "before" if how.added == "after" else "after"
        exchanged = replace(how, before=how.after, after=how.before, once=None)
        found[f"zero point added {moved} rounding"] = exchanged
    for name, change in CHANGES.items():
        found[f"scale {name}"] = _scaled(how, change)
    return found


@np.errstate(all="ignore")
def _other_quotient(how: Arithmetic) -> dict[str, Arithmetic]:
    one = np.ones(1, how.dtype)
    factor = one / how.factor.astype(how.dtype)
    if how.divides:
        other = replace(how, factor=factor, divides=False, inverts=True)
        return {"times 1 / scale instead of division": other}
    return {"division by the scale": replace(how, factor=factor, divides=True, once=None)}


@np.errstate(all="ignore")
def _scaled(how: Arithmetic, change: Change) -> Arithmetic:
    """The scale in another form; what multiplies with 1 / scale computes that anew."""
    kind = np.dtype(how.dtype).type
    if not how.inverts:
        return replace(how, factor=change(how.factor).astype(kind))
    scale = change(kind(1) / how.factor.astype(kind))
    return replace(how, factor=(kind(1) / scale.astype(kind)).astype(kind))


@np.errstate(all="ignore")
def as_float16(values: np.ndarray) -> np.ndarray:
    """Rounded to float16."""
    return values.astype(np.float16).astype(np.float32)


@np.errstate(all="ignore")
def as_bfloat16(values: np.ndarray) -> np.ndarray:
    """Rounded to bfloat16, half to even: the upper 16 bits of a float32."""
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32)


def _ulp(towards: float) -> Change:
    def moved(values: np.ndarray) -> np.ndarray:
        return np.nextafter(values.astype(np.float32), np.float32(towards))

    return moved


CHANGES: dict[str, Change] = {
    "one float32 larger": _ulp(np.inf),
    "one float32 smaller": _ulp(-np.inf),
    "in float16": as_float16,
    "in bfloat16": as_bfloat16,
}
