"""An error in steps that rounding alone does not explain."""

from __future__ import annotations

from qviz.doctor.base import FROM, HIGH, LOW, MEDIUM, NOTE, RULES, Finding, milder, rule
from qviz.doctor.case import Case
from qviz.doctor.clipping import undone
from qviz.doctor.masks import unmasked
from qviz.doctor.paid import spared
from qviz.doctor.words import number, percent
from qviz.errors import QvizError

ROUNDING = 0.2887  # steps: 1 / sqrt(12)
MUCH = 0.5  # steps
CAUSES = (  # rules that explain clipping, and offer what repairs it
    *("UNCALIBRATED", "SYMMETRIC-WITH-OFFSET", "ZP-AT-EDGE", "NUDGE-MOVED-WINDOW"),
    *("SATURATED-CODES", "SLOW-AVERAGE", "RANGE-JUMP", "CLIPPED-TAIL-MATTERS"),
)


@rule(
    "ERROR-YARDSTICK",
    title="More error than rounding",
    fires="the root mean square error is over 0.5 steps; rounding alone gives 0.289",
    rated="the gain of clipping less, at most medium; a note where a rule names the cause",
    reports=(
        *("tensorflow/tensorflow#58633", "tensorflow/tensorflow#58206"),
        *("OpenPPL/ppq#416", "OpenPPL/ppq#411"),
    ),
)
def error_yardstick(case: Case) -> Finding | None:
    """The error in steps, and how much of it is clipping, of what is data."""
    bare = unmasked(case)
    steps = bare.metric("rmse_steps")
    if steps is None or steps <= MUCH:
        return None
    whole, clip = bare.metric("mse") or 0.0, bare.metric("clip_mse") or 0.0
    share = clip / whole if whole > 0 else 0.0
    evidence = {"rmse_steps": steps, "rounding": ROUNDING, "threshold": MUCH}
    evidence["clipping_share"] = share
    message = (
        f"The error is {number(steps)} steps (rounding alone gives {ROUNDING}, over {MUCH} is "
        f"more): {percent(share)} of it is clipping"
    )
    found, paid = spared(case, undone(case))
    if paid is not None and found.severity != HIGH:
        said = f"{message}, and that pays: {paid.words}."
        return Finding(NOTE, said, evidence, found.fixes, found.tried, expected=True)
    if found.severity == NOTE:
        better = f"gains {FROM[LOW]:g} dB" if found.fixes else "does better"
        pays = f"{message}, and that pays: no wider range {better}."
        return Finding(NOTE, pays, evidence, found.fixes, found.tried, expected=True)
    cause = _cause(case)
    if cause:
        return Finding(NOTE, f"{message}; {cause} says why.", evidence | {"cause": cause})
    level = milder(found.severity, MEDIUM)
    return Finding(level, f"{message}.", evidence, found.fixes, found.tried)


def _cause(case: Case) -> str:
    """The rule that explains the clipping; empty where none does."""
    return next((name for name in CAUSES if _fires(name, case)), "")


def _fires(name: str, case: Case) -> bool:
    try:
        return RULES.entry(name).made(case) is not None
    except QvizError:
        return False
