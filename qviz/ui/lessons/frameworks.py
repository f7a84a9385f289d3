"""Lesson 10: two frameworks, one range."""

from __future__ import annotations

from functools import cache

import numpy as np

from qviz.errors import QvizError
from qviz.figures.lesson_frameworks import grids
from qviz.figures.numbers import integer, interval, number
from qviz.figures.theme import Palette
from qviz.rosetta import Answer, answer, rules
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
from qviz.ui.lessons.tensors import far_from_zero

TORCH, TF = "torch.affine uint8", "tf.fake_quant uint8"
SHOWN = {
    "torch": TORCH,
    "TF fake_quant": TF,
    "ONNX Runtime": "ort.affine uint8",
    "MindSpore": "mindspore.default@doc int8",
}
ORDINARY, FAR = (-0.5, 2.5), (4.0, 6.0)


def asked(name: str, lo: float, hi: float) -> Answer:
    """A rule's answer to a range; the rule by its name."""
    return answer(next(rule for rule in rules() if rule.name == name), lo, hi)


def lowest_counted(made: Answer) -> int | None:
    """The code of 0 counted from the lowest code; None without one."""
    if made.zero_point is None or made.ends is None:
        return None
    return int(made.zero_point) - made.ends[0]


def told_zero(made: Answer) -> str:
    """``0 is code −85 (43)``: counted from the lowest code as well, where that differs."""
    zero, low = int(made.zero_point or 0), lowest_counted(made)
    word = f"0 is code {integer(zero)}"
    return word if zero == low else f"{word} ({low})"


@cache
def outputs(name: str, lo: float, hi: float) -> np.ndarray:
    """Distinct values that come back of the values over [4, 6]."""
    made = asked(name, lo, hi).quantizer
    if made is None:
        raise QvizError(f"{name} has no grid on [{lo}, {hi}].")
    rows = far_from_zero().astype(np.float32).reshape(1, -1)
    return np.unique(np.asarray(made.fake_quantize(rows), np.float64))


@LESSONS.register("frameworks", title="Lesson 10", source=SOURCE)
class Frameworks(Lesson):
    """Two correct programs differ, where the rules leave a choice."""

    number = 10
    title = "Two frameworks, one range"
    before = "What does TF's fake_quant make of a range that does not hold 0?"
    idea = (
        "Everything above leaves choices open: how ties round, whether the window is widened or "
        "shifted to hold 0, the smallest step, which end of the integers is used. Two correct "
        "programs differ."
    )
    attempt = (
        "Type [-0.5, 2.5], a tie, and then 2.505 for its upper end: all rows agree again. Type "
        "±1e-8 to see who has a smallest step. On [4, 6] all of the gradient goes to max, none to "
        "x: training would raise max."
    )
    say = "Ask what must happen to [4, 6] so that 0 is a level: widen it, or shift it?"
    controls = (
        Control("lo", "Lower end", 4.0, low=-1e6, high=1e6, typed=True),
        Control("hi", "Upper end", 6.0, low=-1e6, high=1e6, typed=True),
    )
    link = Link("pages/5_Rosetta.py", "Every rule on your own tensor", AFFINE)

    def question(self, variant: bool = False) -> Question:
        return self._zero_points() if variant else self._window()

    def _window(self) -> Question:
        out, torch = outputs(TF, *FAR), outputs(TORCH, *FAR)
        choices = (
            "the data, rounded (4 to 6)",
            f"{number(float(out[0]))} for every value" if out.size == 1 else "several values",
            f"{torch.size} levels from 4 to 6",
            "6 for every value",
            "an error",
        )
        return Question(
            "4,096 values over [4, 6] go through TF's fake_quant with min 4 and max 6. What comes "
            "out?",
            1,
            0,
            f"0 must be inside, so the window [4, 6] is shifted to [0, {number(float(out[-1]))}], "
            "and every value lies above it.",
            (
                Known(0, "The window is not used as given: 0 must be inside, so it is shifted."),
                Known(2, f"That is torch: it widens to [0, 6] and {torch.size} levels are left."),
                Known(3, "It clips to max, but max has moved."),
                Known(4, "No error is raised: it happens silently."),
            ),
            choices=choices,
        )

    def _zero_points(self) -> Question:
        torch, tf = (asked(name, *ORDINARY) for name in (TORCH, TF))
        a, b = int(torch.zero_point or 0), int(tf.zero_point or 0)
        pairs = ((a, a), (b, b), (a, b), (b, a))
        return Question(
            "Range [-0.5, 2.5], 8 bit. Which zero points have torch and TF?",
            pairs.index((a, b)),
            0,
            f"Real 0 lies at {number(torch.raw_zero_point, 4)} steps, a tie: torch takes the even "
            f"code {a}, TF rounds up to {b}.",
            (
                Known(0, "Both would agree if TF took the even code; it rounds a tie up."),
                Known(1, "Both would agree if torch rounded a tie up; it takes the even code."),
                Known(3, "The other way round: torch takes the even code."),
            ),
            choices=tuple(f"{one} and {other}" for one, other in pairs),
        )

    def heading(self, state: State) -> str:
        made = [asked(name, state["lo"], state["hi"]) for name in SHOWN.values()]
        if state["hi"] < state["lo"]:
            return "The upper end lies below the lower one: no rule has an answer"
        span = interval(state["lo"], state["hi"])
        if any(a.scale is None for a in made):
            return f"Not every rule has an answer on {span}"
        return f"{self._told(made)} on {span}"

    def _told(self, made: list[Answer]) -> str:
        """What parts the rules: the step, else the window, else the zero point."""
        parts = {
            "steps": {number(a.scale, 6) for a in made},
            "windows": {interval(*a.adjusted, 4) for a in made if a.adjusted},
            "zero points": {lowest_counted(a) for a in made},
        }
        found = next((n for n, values in parts.items() if len(values) > 1), None)
        if found is None:
            return (
                f"Four rules agree: 0 is code {lowest_counted(made[0])}, counted from the lowest,"
            )
        return f"Four rules, {len(parts[found])} {found}"

    def pictures(self, state: State, palette: Palette, shown: bool) -> tuple[Picture, ...]:
        lo, hi = state["lo"], state["hi"]
        rows = []
        for title, name in SHOWN.items():
            made = asked(name, lo, hi)
            word = "no answer" if made.zero_point is None else told_zero(made)
            rows.append((title, made.covered, word))
        return (Picture(grids(rows, (lo, hi), palette, shown), "What each rule's grid covers"),)
