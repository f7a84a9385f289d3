"""Headings are one line that names the consequence; badges are words."""

import pytest

from qviz.doctor import RULES, Case, Examined, Finding, Fix, examined
from qviz.doctor.base import OTHERS, OUTPUT, QUIET
from qviz.figures.doctor_facts import Facts
from qviz.figures.doctor_words import (
    WHERE,
    all_heading,
    badge,
    consequence,
    gain_of,
    heading,
    now_line,
    repair_line,
    tried_line,
)
from qviz.models.alone import Outcome
from tests.unit.doctor.generators import GENERATORS


@pytest.fixture(scope="module")
def every():
    """All findings of each rule's case."""
    return {name: examined(fires.make()).findings for name, fires in GENERATORS.items()}


@pytest.mark.parametrize("name", RULES)
def test_every_rule_has_a_heading_of_one_line(every, name):
    (finding,) = [f for f in every[name] if f.rule == name]
    said = consequence(finding)
    assert 10 < len(said) <= 92 and not said.endswith(".")
    assert "None" not in said and "nan" not in said


def one(severity="high", rule="OUTLIER-CHANNEL", *, expected=False, **evidence):
    return Finding(severity, "", evidence, expected=expected, rule=rule)


TOKEN = {"channels": [0], "unit": "token", "quiet_channels": 127, "quiet_codes": 1}
ALIKE = {"channels": [3, 5], "quiet_channels": 7, "quiet_codes": 9}
ALIKE |= {"times_median": 6.5, "next_times": 4.3}
FEW = {"times": 106.9, "codes_used": 3, "codes": 256}
LOUD = {"channels": [3], "quiet_channels": 7, "quiet_codes": 1}


def test_the_worst_finding_is_the_heading():
    found = Examined("x", (one(**LOUD), one("low", "POW2-WASTE")), {}, 35)
    assert heading(found) == "Channel 3 forces the step: the other 7 channels become 0"
    several = one(channels=[1, 2], quiet_channels=1, quiet_codes=5)
    assert (
        consequence(several) == "Channels 1 and 2 force the step: the other 1 channel uses 5 codes"
    )


def test_without_a_finding_and_with_only_expected_ones():
    assert heading(Examined("x", (), {"A": "no"}, 35)) == (
        "Nothing wrong: 34 rules looked, none fired"
    )
    meant = one("note", "HALF-UNUSED", expected=True)
    assert heading(Examined("x", (meant,), {}, 35)) == (
        "As expected: half of the codes are unused: the data has one sign"
    )


@pytest.mark.parametrize(
    ("severity", "word"),
    [("high", "fault"), ("medium", "fault"), ("low", "check"), ("note", "note")],
)
def test_badges(severity, word):
    assert badge(one(severity)) == word
    assert badge(one(severity, expected=True)) == "expected"


def test_gains_say_where_they_were_measured():
    fix = Fix("a", 23.21, measured_at="output")
    assert repair_line(Finding("high", "", fixes=(fix,))) == "+23.2 dB at the output when repaired"
    assert repair_line(Finding("low", "", tried=(fix,))) == "nothing tried gains"
    assert repair_line(Finding("low", "")) == "nothing to repair here"
    said = tried_line((Fix("cut", -0.56), Fix("keep", -0.01)))
    assert said == "Tried and not offered, little or no gain: cut (−0.6 dB), keep (+0.0 dB)."
    assert tried_line(()) == ""


@pytest.mark.parametrize(
    ("rule", "evidence", "said"),
    [
        ("HALF-UNUSED", {"unused": 101, "codes": 256}, "101 of 256 codes mirror data that is not"),
        ("RANGE-FAR-FROM-ZERO", {"unused": 77, "codes": 256}, "77 of 256 codes lie between 0 and"),
        ("COARSE-HISTOGRAM", {"fullest_bin": 2**24}, "16,777,216 values in one bin"),
        (
            "SCALE-FLOOR",
            {"count": 2, "largest_magnitude": 0.0},
            "2 scales at the floor of 2⁻²³: no",
        ),
        ("LEARNED-SCALE-DIVERGED", {"count": 1}, "1 scale: no step at all"),
        ("OUTLIER-CHANNEL", TOKEN, "Token 0 forces the step: the other 127 tokens become 0"),
        ("OUTLIER-CHANNEL", ALIKE, "Channels 3 and 5 set the step: the other 7 channels use 9 c"),
        ("DEAD-CHANNEL", {"count": 2, "near_dead": [9]}, "2 channels become 0 under one step"),
        ("DEAD-CHANNEL", {"count": 1, "near_dead": []}, "1 channel holds only 0"),
        ("STEP-TOO-LARGE", {"share": 0.97}, "97 % of the codes are the zero point: the step is"),
        (
            "STEP-TOO-LARGE",
            FEW,
            "The step is 107 times that of a range of this data: 3 codes of 256",
        ),
        (
            "STEP-TOO-LARGE",
            {"code": 7, "range_in_steps": 0.125},
            "One code for all values: the step is 8 times their range",
        ),
    ],
)
def test_headings_of_other_branches(rule, evidence, said):
    assert consequence(one(rule=rule, **evidence)).startswith(said)


def test_every_place_where_gains_are_measured_has_words():
    places = {OUTPUT, QUIET, OTHERS, "other batches", "typical batches", "usual values"}
    assert set(WHERE) == places | {"other tokens", "other samples"}
    said = "+1.0 dB for the typical batches"
    assert gain_of(Fix("a", 1.0, measured_at="typical batches")) == said


def test_the_heading_of_a_file():
    bad = Examined("file::w", (one(**LOUD),), {}, 35)
    good = Examined("file::v", (), {}, 35)
    assert all_heading((bad, good)) == (
        "1 of 2 tensors with a fault; worst: w, one channel or token forces the step"
    )
    assert all_heading((good,)) == "Nothing wrong: 1 tensor looked at, none with a fault"
    slight = Examined("file::u", (one("low"),), {}, 35)
    assert all_heading((slight, good)).startswith("1 of 2 tensors to check")


def test_a_case_without_values_is_told():
    assert heading(examined(Case())).startswith("Nothing wrong")


def test_what_there_is_now_at_the_tensor_and_at_the_output():
    assert now_line(Facts()) == ""
    assert now_line(Facts(sqnr=19.52)) == "The whole tensor has 19.5 dB now."
    both = Facts(sqnr=19.52, now=Outcome(-0.28, 0.15625))
    there = "at the model's output −0.3 dB arrive and 15.6 % are right."
    assert now_line(both) == f"The whole tensor has 19.5 dB now; {there}"
    assert now_line(Facts(now=Outcome(None, None, lossless=True))) == (
        "Now; at the model's output nothing is lost."
    )
