"""Lesson 7: what the observer remembers."""

from __future__ import annotations

from functools import cache

import numpy as np

from qviz.figures.lesson_memory import upper_ends
from qviz.figures.numbers import number
from qviz.figures.theme import Palette
from qviz.observers.base import OBSERVERS
from qviz.pipeline import gather, settle
from qviz.pipeline.comparing import needs_of
from qviz.quantizers.base import Target
from qviz.stats.stream import Stream
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

BATCHES = 4
RULES = {  # words on screen -> observer; the order is that of the lesson
    "min/max": "minmax",
    "average 0.01": "torch.moving_average",
    "last batch": "mindspore.default",
    "MS documented": "mindspore.ema@doc",
    "MS GPU kernel": "mindspore.ema@gpu",
}
AVERAGE, RATE = "average 0.01", 0.01
BELOW = 2.0


@cache
def upper(spelling: str, largest: tuple[float, ...]) -> np.ndarray:
    """Upper end of the range after each of the batches ``linspace(0, M, 256)``."""
    observer, target = OBSERVERS.make(spelling), Target.of()
    batches = [np.linspace(0, m, 256).astype(np.float32) for m in largest]
    ends = []
    for count in range(1, len(batches) + 1):
        seen = gather(Stream.of(batches[:count]).tiles[0], needs_of([observer], target))
        settled = settle(observer, seen, target)
        kept = settled.range or settled.covered
        ends.append(float(kept.hi[0]))
    return np.array(ends)


def maxima(first: float, *, reverse: bool = False) -> tuple[float, ...]:
    """Largest value of each batch: one large, the others 1."""
    given = (first, *[1.0] * (BATCHES - 1))
    return given[::-1] if reverse else given


def batches_until_below(limit: float) -> int:
    """Batches of 1 after one of 100 until the moving average stands below the limit."""
    stands, count = np.float32(100.0), 0
    while stands >= limit:
        stands = stands + np.float32(RATE) * (np.float32(1.0) - stands)
        count += 1
    return count


@LESSONS.register("memory", title="Lesson 7", source=SOURCE)
class Memory(Lesson):
    """Rules differ in what they remember of the batches."""

    number = 7
    title = "What the observer remembers"
    before = "Where does a moving average stand after one large batch and three small ones?"
    idea = (
        "The range comes from batches, and rules differ in memory: the largest ever, a slow "
        "average, only the last. Order and start value matter: MindSpore's starts at ±6."
    )
    attempt = (
        f"How many batches of 1 after the 100 until the average is below {BELOW:g}? "
        f"{batches_until_below(BELOW)}. A short calibration never leaves its first batch."
    )
    say = "Draw the four batch maxima. Ask for the range after each, rule by rule."
    controls = (
        Control("upto", "Batches seen", BATCHES, low=1, high=BATCHES, step=1),
        Control("reverse", "Reverse the order", False),
    )
    link = Link(
        "pages/1_Observers.py",
        "Batch by batch on your own tensor",
        AFFINE | {"panel": "Batch by batch"},
    )

    def question(self, variant: bool = False) -> Question:
        first = 10.0 if variant else 100.0
        given = maxima(first)
        end = float(upper(RULES[AVERAGE], given)[-1])
        back = float(upper(RULES[AVERAGE], given[::-1])[-1])
        earlier = upper(RULES[AVERAGE], given)[1:-1]
        listed = ", ".join(f"{m:g}" for m in given)
        return Question(
            f"Four batches, each from 0 to {listed}. Where does the upper end of a moving average "
            f"with constant {RATE} stand at the end?",
            end,
            0.002 * first,
            f"The first batch is copied; each later one moves it by {RATE} of the way to 1: "
            f"{', '.join(number(v, 4) for v in upper(RULES[AVERAGE], given))}.",
            (
                Known(
                    float(np.mean(given)), "That is the plain mean of the batches.", 0.01 * first
                ),
                Known(first, "A running maximum. The average has started to move, slowly.", 1e-6),
                *(
                    Known(v, f"Weights swapped: {RATE} belongs to the new batch.", 0.02)
                    for v in (1.0, back)
                ),
                *(
                    Known(
                        float(v),
                        "One or two updates only; the first batch is copied and three follow.",
                        0.0003 * first,
                    )
                    for v in earlier
                ),
            ),
        )

    def heading(self, state: State) -> str:
        given = maxima(100.0, reverse=state["reverse"])
        at = int(state["upto"]) - 1
        slow, fast = (upper(RULES[n], given)[at] for n in (AVERAGE, "last batch"))
        told = f"After batch {at + 1} the average stands at {number(slow, 4)}"
        return f"{told}, the last batch at {number(fast, 4)}"

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        given = maxima(100.0, reverse=state["reverse"])
        lines = {name: upper(spelling, given) for name, spelling in RULES.items()}
        figure = upper_ends(lines, np.array(given), int(state["upto"]), palette, shown)
        return (Picture(figure, "Upper end of the range after each batch"),)
