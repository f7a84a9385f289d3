"""Lesson 3: where to put the clip."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

import numpy as np

from qviz.figures.lesson_clip import clip_or_round, error_against_clip
from qviz.figures.numbers import decibels, number, percent
from qviz.figures.theme import Palette
from qviz.metrics.reading import read
from qviz.sources.distributions import laplace
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
from qviz.ui.lessons.engine import judged, symmetric

N = 20001
COARSE = np.geomspace(0.5, 9.9, 90)


@cache
def tensor() -> np.ndarray:
    """The 20,001 even quantiles of the Laplace distribution of scale 1."""
    return laplace(N)


@cache
def parts(bits: int, clips: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clipping part and rounding part of the MSE, and SQNR in dB, at each clip."""
    totals = judged(tensor(), [symmetric(clip, bits) for clip in clips])
    names = ("clip_mse", "round_mse", "sqnr")
    rows = [[read(name, t)[0].value for t in totals] for name in names]
    clip, rounding, sqnr = (np.array(row, np.float64) for row in rows)
    return clip, rounding, sqnr


@cache
def best(bits: int) -> tuple[float, float]:
    """The clip with the highest SQNR, to 0.01, and its SQNR."""
    near = COARSE[int(np.argmax(parts(bits, tuple(COARSE))[2]))]
    fine = np.round(np.arange(near - 0.4, min(near + 0.4, 9.9), 0.01), 2)
    sqnr = parts(bits, tuple(fine))[2]
    at = int(np.argmax(sqnr))
    return float(fine[at]), float(sqnr[at])


@LESSONS.register("clip_or_round", title="Lesson 3", source=SOURCE)
class ClipOrRound(Lesson):
    """A narrow range clips, a wide one rounds coarsely; their sum has a minimum."""

    number = 3
    title = "Clip or round"
    before = "How far out should the clip be?"
    idea: ClassVar[str] = (
        "A narrow range clips few large values badly. A wide range rounds all values coarsely. "
        "Their sum has a minimum, and it moves outwards with more bits."
    )
    attempt = (
        "Go to 8 bits and watch the valley become flat: clipping advice for 4 bits is not advice "
        "for 8."
    )
    say = (
        "Let everybody place the clip before the curve is seen. Ask which part grows when the "
        "clip moves left, and which when it moves right."
    )
    controls = (
        Control("clip", "Clip at ±", 3.0, low=0.5, high=9.9, step=0.1),
        Control("bits", "Bits", 4, options=(2, 3, 4, 6, 8)),
    )
    link = Link(
        "pages/1_Observers.py",
        "Error against clip on your own tensor",
        SYMMETRIC | {"bits": "4", "observers_view": "Landscape"},
    )

    def question(self, variant: bool = False) -> Question:
        bits = 3 if variant else 4
        clip, top = best(bits)
        amax = float(np.abs(tensor()).max())
        ends = parts(bits, (amax,))[2][0]
        lost = top - parts(bits, (1.0,))[2][0]
        fewer = {b: best(b)[0] for b in range(2, bits)}
        told = ", ".join(f"±{number(c)} at {b} bits" for b, c in fewer.items())
        return Question(
            f"Where would you put the clip at {bits} bits?",
            clip,
            0.35,
            f"The lowest error is at ±{number(clip)}: {decibels(top, 2)}. Without clipping it "
            f"would be {decibels(ends, 2)}.",
            (
                Known(amax, self._never_clip(top - ends), 0.3),
                Known(
                    1.0,
                    f"That keeps the bulk only and costs {decibels(lost)}: a few clipped values "
                    "carry much energy.",
                    0.2,
                ),
                *(
                    Known(c, f"A clip that narrow suits fewer bits: {told}.", 0.4)
                    for c in (*fewer.values(), 2.8)
                ),
                Known(
                    2.0 ** (bits - 1) - 1,
                    "That is the largest code. The clip is a value, in the tensor's units.",
                    0.1,
                ),
            ),
        )

    def _never_clip(self, lost: float) -> str:
        clip, top = best(8)
        gain = top - parts(8, (float(np.abs(tensor()).max()),))[2][0]
        return (
            f"Never clipping pays {decibels(lost)} here. At 8 bits it would be nearly right: "
            f"the best clip is ±{number(clip, 2)} and gains {decibels(gain)}. The answer depends "
            "on the bits."
        )

    def heading(self, state: State) -> str:
        clip, rounding = (v[0] for v in parts(state["bits"], (state["clip"],))[:2])
        share = clip / (clip + rounding)
        side = "too much is cut off" if share > 0.6 else "the steps are coarse"
        if 0.15 < share <= 0.6:
            side = "both parts weigh"
        return f"At ±{number(state['clip'])}, {percent(share)} of the error is clipping: {side}"

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        bits, at = state["bits"], state["clip"]
        clip, rounding, _ = parts(bits, tuple(COARSE))
        here = tuple(float(v[0]) for v in parts(bits, (at,))[:2])
        left = clip_or_round(tensor(), symmetric(at, bits), at, palette)
        right = error_against_clip(COARSE, clip, rounding, (at, sum(here)), palette, shown)
        alt = self.heading(state)
        return (Picture(left, alt, 3), Picture(right, "Mean squared error over the clip", 2))
