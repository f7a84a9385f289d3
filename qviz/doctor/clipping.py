"""What it gains to clip less: counted on all values that are data, of which some were clipped."""

from __future__ import annotations

from dataclasses import replace

from qviz.doctor.base import OTHERS, OUTPUT, TENSOR
from qviz.doctor.case import Case
from qviz.doctor.gains import Ways, remedies, whole
from qviz.doctor.masks import data, reach, unmasked
from qviz.doctor.remedies import Remedies, ranked
from qviz.doctor.settings import Setting, changed
from qviz.doctor.ways import observers
from qviz.doctor.words import interval
from qviz.observers.manual import ManualObserver


def undone(case: Case, *names: str) -> Remedies:
    """Other observers tried, the named ones or the usual; beside masks the range without them."""
    return widened(case, without_masks(case) or observers(case, *names))


def widened(case: Case, ways: Ways) -> Remedies:
    """Ways to clip less, measured at the output, else on the tensor, or on all but its masks.

    What is clipped lies in the loud channels where some are loud: the quiet ones, of which
    nothing is, tell only that a finer step is better for them.
    """
    if case.runs is not None and whole(case) == OUTPUT:
        return remedies(case, ways, OUTPUT)
    bare = unmasked(case)
    if bare is case:
        return remedies(case, ways, whole(case))
    made = remedies(bare, ways, TENSOR)
    return ranked(replace(fix, measured_at=OTHERS) for fix in (*made.fixes, *made.tried))


def without_masks(case: Case) -> list[tuple[str, Setting]]:
    """The range of what is data, widened to hold 0, where the case has masks; else nothing."""
    usual = data(case)
    if usual is None:
        return []
    lo, hi = reach(case, usual)
    near = min(lo, 0.0), max(hi, 0.0)
    return [(f"keep {interval(*near)}", changed(case, observer=ManualObserver(*near)))]
