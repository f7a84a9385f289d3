"""Three closing tasks; the engine grades them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from qviz.figures.numbers import decibels, interval
from qviz.sources.distributions import normal
from qviz.ui.lessons.base import Known, Question
from qviz.ui.lessons.engine import affine, decibel, metric, returned, symmetric, zero_point
from qviz.ui.lessons.tensors import loud_channel, next_weight

KEEPS = (100.0, 99.99, 99.9, 99.0)  # % of the magnitudes that survive
NAMES = ("largest magnitude", "percentile 99.99", "percentile 99.9", "percentile 99")


@dataclass(frozen=True)
class Task:
    """One closing task: its story and its questions."""

    name: str
    title: str
    text: str
    questions: Callable[[], tuple[Question, ...]]


def _cut(low: float, high: float) -> tuple[float, float, int, float]:
    """Both cut-offs at percentiles of the normal values; zero point and SQNR of 8 affine bits."""
    x = normal(20001)
    lo, hi = np.percentile(x, [low, high])
    grid = affine(float(lo), float(hi))
    return float(lo), float(hi), zero_point(grid), metric("sqnr", x, grid)


@cache
def _one_tail() -> tuple[Question, ...]:
    lo, hi, zero, sqnr = _cut(0.005, 99.995)
    kept = f"The cut-offs 0.005 and 99.995 keep {interval(lo, hi)}: zero point {zero}, "
    happened = Question(
        "What happened?",
        1,
        0,
        "Both cut-offs lie in the lower tail, so everything above 0 is lost: the share to "
        "keep was taken for the share to drop.",
        (
            Known(0, "Clipping 0.01 % could not cost that much; look at which side is lost."),
            Known(2, "8 bits give 40 dB and more on normal values. Look at the zero point."),
            Known(3, "A wrong rounding moves codes by one; here half of the data is gone."),
        ),
        choices=(
            "too much was clipped on both sides",
            "both cut-offs were taken from the lower tail",
            "8 bits are too few for normal values",
            "the zero point was rounded the wrong way",
        ),
    )
    repaired = Question(
        "What SQNR in dB should it be, with 0.005 % cut from each side?",
        sqnr,
        0.2,
        f"{kept}{decibels(sqnr)}.",
    )
    return happened, repaired


@cache
def output_sqnr(keep: float) -> float:
    """SQNR in dB of activation × weight when both are quantized; the weight per output channel."""
    x, w = loud_channel(), next_weight()
    clip = float(np.percentile(np.abs(x), keep))
    columns = [returned(c, symmetric(float(np.abs(c).max()))) for c in w.T]
    true, got = x @ w, returned(x, symmetric(clip)) @ np.stack(columns, axis=1)
    return decibel(true, got)


@cache
def quiet_sqnr(keep: float) -> float:
    """SQNR in dB of all channels but the loud one."""
    x = loud_channel()
    back = returned(x, symmetric(float(np.percentile(np.abs(x), keep))))
    quiet = np.arange(x.shape[1]) != 7
    return decibel(x[:, quiet], back[:, quiet])


@cache
def _ranking() -> tuple[Question, ...]:
    out = [output_sqnr(keep) for keep in KEEPS]
    quiet = [quiet_sqnr(keep) for keep in KEEPS]
    best, misled = int(np.argmax(out)), int(np.argmax(quiet))
    told = ", ".join(f"{n} {decibels(v)}" for n, v in zip(NAMES, out, strict=True))
    others = ", ".join(decibels(v) for v in quiet)
    choice = Question(
        "Which observer do you take for the activation?",
        best,
        0,
        f"At the output: {told}.",
        (
            Known(
                misled,
                f"That has the best quiet channels ({others} in this order), and the worst output: "
                "what it clips carries the energy.",
            ),
        ),
        choices=NAMES,
    )
    decides = Question(
        "Which number decides?",
        2,
        0,
        "The layer's output is what the next layer sees.",
        (
            Known(0, "It is the loud channel's number: it hides the other 63."),
            Known(1, "It ranks the observers the other way round than the output does."),
        ),
        choices=(
            "the activation's own SQNR",
            "the SQNR of the quiet channels",
            "the SQNR of the layer's output",
        ),
    )
    return choice, decides


@cache
def _places() -> tuple[Question, ...]:
    return (
        Question(
            "Which three places do you look at?",
            1,
            0,
            "Each moves a code by one at most. Two roundings instead of one in the output "
            "factor is a fourth.",
            (
                Known(0, "Another range moves nearly every code, and by more than one."),
                Known(2, "These change what is quantized; the codes would differ everywhere."),
            ),
            choices=(
                "the range, the observer, the number of batches",
                "the tie rule, where the zero point is added, the step's precision or reciprocal",
                "the preprocessing, the weights, the order of the layers",
            ),
        ),
    )


TASKS = (
    Task(
        "one-tail",
        "1.",
        "20,001 even quantiles of a normal distribution, affine 8 bit. A percentile observer cuts "
        "at the 0.005th and the 0.01th percentile: zero point 255, SQNR 3.0 dB. Half of the data "
        "is positive.",
        _one_tail,
    ),
    Task(
        "ranking",
        "2.",
        "The tensor with one loud channel feeds a matrix, symmetric 8 bit per output channel. "
        "Four observers stand to choose for the activation.",
        _ranking,
    ),
    Task(
        "places",
        "3.",
        "A device differs from the reference by one code in a few outputs, never by more.",
        _places,
    ),
)
