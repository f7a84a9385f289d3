"""Qparams of an observer that never saw data."""

from __future__ import annotations

from qviz.doctor.base import HIGH, LOW, NOTE, Finding, rule
from qviz.doctor.case import Case
from qviz.doctor.gains import remedies
from qviz.doctor.ways import observers


@rule(
    "UNCALIBRATED",
    title="Never calibrated",
    fires="exactly scale 1 and zero point 0, or no finite element to take a range from",
    rated="the gain of a range of this data; low without data, high where there is none to see",
    reports=("pytorch/pytorch#100654", "pytorch/pytorch#28951", "alibaba/TinyNeuralNetwork#375"),
)
def uncalibrated(case: Case) -> Finding | None:
    """The default qparams, against a range of the data."""
    if case.stream is not None and (not case.stream.size or not case.facts.finite[0]):
        what = "empty" if not case.stream.size else "without a finite value"
        message = f"The tensor is {what} (1 is needed): an observer keeps min = inf, max = -inf."
        return Finding(HIGH, message, {"finite": 0, "elements": case.stream.size})
    given = case.given
    if given is None or not ((given.scale == 1) & (given.zero_point == 0)).all():
        return None
    evidence = {"scale": 1.0, "zero_point": 0}
    message = "Scale is exactly 1 and zero point 0, the values of an observer that never saw data."
    if case.stream is None:
        return Finding(LOW, message, evidence)
    found = remedies(case, observers(case, "minmax"))
    made = found.finding(message, evidence)
    return made if found.fixes and made.severity != NOTE else None
