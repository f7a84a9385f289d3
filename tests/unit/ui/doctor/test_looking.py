"""Tensors worst first: by level, by what is lost at the model's output, by gain."""

import pytest

from qviz.doctor import Examined, Finding, Fix
from qviz.figures.doctor_facts import Facts
from qviz.models.alone import Outcome
from qviz.ui.doctor.looking import worst_first
from qviz.ui.doctor.subject import Seeing


def one(name, severity, gain=0.0, now=None):
    """A tensor with one finding, or none where there is no severity."""
    fixes = (Fix("use 8 bits", gain),) if gain else ()
    findings = (Finding(severity, "It is so.", fixes=fixes, rule="A"),) if severity else ()
    return Seeing(Examined(name, findings, {}, 1, now), Facts(now=now))


CASES = {
    "level first": (one("a", "low", 9, Outcome(5.0, 0.1)), one("b", "high", 1, Outcome(60.0, 1.0))),
    "accuracy lost": (
        one("a", "high", 48, Outcome(9.0, 0.97)),
        one("b", "high", 2, Outcome(20.0, 0.9)),
    ),
    "then decibels": (
        one("a", "low", 9, Outcome(30.0, 0.9)),
        one("b", "low", 1, Outcome(20.0, 0.9)),
    ),
    "without labels": (one("a", "low", 9, Outcome(30.0)), one("b", "low", 1, Outcome(20.0))),
    "lossless last": (
        one("a", "low", 9, Outcome(lossless=True)),
        one("b", "low", 1, Outcome(90.0)),
    ),
    "known before gain": (one("a", "low", 9), one("b", "low", 1, Outcome(20.0, 0.9))),
    "gain else": (one("a", "low", 1), one("b", "low", 9)),
    "nothing last": (one("a", ""), one("b", "note")),
}


@pytest.mark.parametrize("name", CASES)
def test_the_second_is_worse(name):
    assert [seen.found.name for seen in worst_first(CASES[name])] == ["b", "a"]


def test_alike_ones_stand_by_name():
    seen = [one("b", ""), one("a", ""), one("d", "low", 1), one("c", "low", 1)]
    assert [made.found.name for made in worst_first(seen)] == ["c", "d", "a", "b"]
