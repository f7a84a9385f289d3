"""Lesson 5: codes nobody uses."""

from __future__ import annotations

import numpy as np

from qviz.figures.lesson_zero import codes_used
from qviz.figures.numbers import decibels
from qviz.figures.theme import Palette
from qviz.quantizers.base import Quantizer
from qviz.sources.distributions import even
from qviz.ui.lessons.base import (
    AFFINE,
    LESSONS,
    SOURCE,
    Control,
    Known,
    Lesson,
    Link,
    Picture,
    Question,
    State,
)
from qviz.ui.lessons.engine import affine, codes, metric, symmetric

N, WIDTH, START = 4096, 2.0, 4.0


def tensor(low: float, width: float) -> np.ndarray:
    """4,096 values evenly over [low, low + width]."""
    return low + width * even(N)


def grid(low: float, width: float, scheme: str) -> Quantizer:
    """8 bits over [low, low + width]: affine, or symmetric over its largest magnitude."""
    if scheme == "symmetric":
        return symmetric(max(abs(low), abs(low + width)))
    return affine(low, low + width)


def used(low: float, width: float, scheme: str = "affine") -> int:
    """How many codes occur."""
    return np.unique(codes(tensor(low, width), grid(low, width, scheme))).size


@LESSONS.register("unused_codes", title="Lesson 5", source=SOURCE)
class UnusedCodes(Lesson):
    """Codes are spent on the way from 0 to the data."""

    number = 5
    title = "Codes nobody uses"
    before = "How many of 256 codes does a tensor over [4, 6] use?"
    idea = (
        "0 must be a level, so codes are spent on [0, hi] even if the data lives in [4, 6]. A "
        "symmetric grid spends half of them on a sign the data never has."
    )
    attempt = (
        "Which number warned you, the plain SQNR or the codes? A plain SQNR rewards a large mean. "
        "Then set the lower end to 0 and compare affine with symmetric: 6 dB, one bit."
    )
    say = "Show the SQNR first: 57 dB looks superb. Then ask how many codes are in use."
    controls = (
        Control("low", "Values start at", START, low=0.0, high=20.0, step=1.0),
        Control("scheme", "Scheme", "affine", options=("affine", "symmetric")),
    )
    link = Link("pages/2_Grid.py", "Codes of your own tensor", AFFINE)

    def question(self, variant: bool = False) -> Question:
        low, width = (3.0, 1.0) if variant else (START, WIDTH)
        count, high = used(low, width), low + width
        return Question(
            f"4,096 values evenly over [{low:g}, {high:g}], affine 8 bit. "
            "How many different codes occur?",
            count,
            1,
            f"The step is {high:g}/255, because 0 must be a level. Only the codes from "
            f"{256 - count} to 255 lie in [{low:g}, {high:g}]: {count} of 256.",
            (
                Known(256, "The range is not [min, max] of the data: it reaches down to 0.", 1),
                Known(count - 1, f"Nearly: both ends count, so it is {count}.", accepted=True),
                Known(256 - count, "That counts the unused ones.", 1),
                Known(
                    128,
                    "Half is lost when a symmetric grid meets data of one sign; here more is.",
                    1,
                ),
            ),
        )

    def heading(self, state: State) -> str:
        low, scheme = state["low"], state["scheme"]
        x, made = tensor(low, WIDTH), grid(low, WIDTH, scheme)
        plain, centred = (metric(name, x, made) for name in ("sqnr", "sqnr_centered"))
        return (
            f"{used(low, WIDTH, scheme)} of 256 codes are used: {decibels(plain)}, but "
            f"{decibels(centred)} without the mean"
        )

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        low, scheme = state["low"], state["scheme"]
        made = grid(low, WIDTH, scheme)
        first, last = made.ends
        at = codes(tensor(low, WIDTH), made).astype(np.int64) - first
        counts = np.bincount(at, minlength=last - first + 1)
        return (Picture(codes_used(counts, palette, shown), "Elements per code"),)
