"""Lesson 6: one loud channel."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from qviz.figures.lesson_loud import channel_sqnr, channel_values
from qviz.figures.numbers import decibels
from qviz.figures.theme import Palette
from qviz.ui.lessons.base import (
    LESSONS,
    SOURCE,
    SYMMETRIC,
    Control,
    Known,
    Lesson,
    Link,
    Picture,
    Question,
    State,
)
from qviz.ui.lessons.engine import codes, decibel, returned, step_of, symmetric
from qviz.ui.lessons.tensors import LOUD, loud_channel

PER = {"tensor": "per tensor", "channel": "per channel", "token": "per token"}
KEEP = {"largest": "largest magnitude", "p99": "percentile 99"}


def clip(rows: np.ndarray, keep: str) -> float:
    """Largest magnitude, or the 99th percentile of the magnitudes."""
    return float(np.percentile(np.abs(rows), 100 if keep == "largest" else 99))


@cache
def back(per: str, keep: str, factor: float = 60.0) -> np.ndarray:
    """What comes back of the tensor, symmetric 8 bit."""
    x = loud_channel(factor)
    if per == "tensor":
        return returned(x, symmetric(clip(x, keep)))
    rows = x.T if per == "channel" else x
    made = np.stack([returned(row, symmetric(clip(row, keep))) for row in rows])
    return made.T if per == "channel" else made


def quiet(x: np.ndarray) -> np.ndarray:
    """All channels but the loud one."""
    return np.delete(x, LOUD, axis=1)


def sqnr(per: str, keep: str) -> tuple[float, float]:
    """SQNR in dB over all, and over the quiet channels."""
    x, y = loud_channel(), back(per, keep)
    return decibel(x, y), decibel(quiet(x), quiet(y))


def quiet_codes(factor: float) -> int:
    """Distinct codes of the quiet channels, one step for the whole tensor."""
    x = loud_channel(factor)
    return np.unique(quiet(codes(x, symmetric(clip(x, "largest"))))).size


def vanishing_factor() -> float:
    """How much louder the loud channel must be for all others to become 0."""
    x, rest = np.abs(loud_channel(1.0)), np.abs(quiet(loud_channel(1.0)))
    return float(2 * 127 * rest.max() / x[:, LOUD].max())


def shared_step(per: str, keep: str) -> float | None:
    """The step that all values share; None where each channel or token has its own."""
    if per != "tensor":
        return None
    return step_of(symmetric(clip(loud_channel(), keep)))


@LESSONS.register("loud_channel", title="Lesson 6", source=SOURCE)
class LoudChannel(Lesson):
    """The loudest channel sets the step, and the quiet ones pay."""

    number = 6
    title = "One loud channel"
    before = "25.8 dB looks fine. How many codes are left for the other 63 channels?"
    idea = (
        "One step for a whole tensor is set by its loudest channel, and the quiet ones pay. A "
        "single average hides it. Percentile clipping trades one victim for another."
    )
    attempt = (
        "Is this a weight or an activation? A weight can have one step per output channel. An "
        "activation's channels are summed in one accumulator, so a step per channel cannot be "
        "undone after the sum: per token, moving the factor into the weight, or more bits can."
    )
    say = (
        "Show the overall number first. Ask who is happy with it; then show it channel by channel."
    )
    controls = (
        Control("per", "One step", "tensor", options=tuple(PER), words=PER.__getitem__),
        Control("keep", "Observer", "largest", options=tuple(KEEP), words=KEEP.__getitem__),
    )
    link = Link("pages/6_Channels.py", "Channels of your own tensor", SYMMETRIC)

    def question(self, variant: bool = False) -> Question:
        factor = 20.0 if variant else 60.0
        count = quiet_codes(factor)
        x = loud_channel(factor)
        share = float((x[:, LOUD] ** 2).sum() / (x**2).sum())
        zeros = float((quiet(codes(x, symmetric(clip(x, "largest")))) == 0).mean())
        whole = decibel(x, back("tensor", "largest", factor))
        side, vanish = (count - 1) // 2, vanishing_factor()
        return Question(
            f"Channel {LOUD} is {factor:g} times louder. Symmetric 8 bit, one step: "
            f"{decibels(whole)} overall. How many different codes do the other 63 channels use?",
            count,
            1,
            f"From -{side} to {side}: {count} codes, and {zeros:.0%} of their values become 0.",
            (
                Known(
                    255,
                    f"The overall number is no help: channel {LOUD} holds {share:.1%} of the "
                    "energy, so it is the overall number.",
                    1,
                ),
                Known(side + 1, "That counts one side only.", 0),
                Known(1, f"They do not vanish; that would need a factor of about {vanish:.0f}."),
            ),
        )

    def heading(self, state: State) -> str:
        whole, rest = sqnr(state["per"], state["keep"])
        words = f"{PER[state['per']].capitalize()}, {KEEP[state['keep']]}"
        return f"{words}: {decibels(whole)} overall, {decibels(rest)} in the quiet channels"

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        x, y = loud_channel(), back(state["per"], state["keep"])
        step = shared_step(state["per"], state["keep"])
        each = np.array([decibel(a, b) for a, b in zip(x.T, y.T, strict=True)])
        right = channel_sqnr(each, decibel(x, y), LOUD, palette, shown)
        alt: Any = "SQNR of each channel beside the overall value"
        return (
            Picture(channel_values(x, step, palette), "Counts of channel and value", 3),
            Picture(right, alt, 2),
        )
