"""Every rule fires where it should, and not where its neighbours do or nothing is wrong."""

import json

import pytest

from qviz.doctor import RULES, Case, examined
from qviz.doctor.base import LEVELS
from tests.unit.doctor.generators import GENERATORS
from tests.unit.doctor.healthy import LARGE, large, tensors


def test_every_rule_has_a_generator():
    assert set(GENERATORS) == set(RULES)


@pytest.mark.parametrize("name", GENERATORS)
def test_fires_alone(name):
    wanted = GENERATORS[name]
    made = examined(wanted.make())
    fired = {finding.rule for finding in made.findings if not finding.expected}
    every = {finding.rule for finding in made.findings}
    assert name in every, made.skipped.get(name)
    assert fired - {name} == set(wanted.also)


@pytest.mark.parametrize("name", GENERATORS)
def test_says_what_it_saw(name):
    found = {f.rule: f for f in examined(GENERATORS[name].make()).findings}[name]
    assert found.severity in LEVELS and found.source
    assert found.message.endswith(".") and any(c.isdigit() for c in found.message)
    assert json.loads(json.dumps(dict(found.evidence), allow_nan=False))
    assert all(fix.gain_db > 0 for fix in found.fixes)
    assert all(fix.gain_db < 0.5 for fix in found.tried)
    assert found.expected <= (found.severity == "note")


@pytest.mark.parametrize("name", RULES)
def test_registration_says_when_how_severe_and_who_met_it(name):
    notes = RULES.entry(name).notes
    assert name == name.upper() and " " not in name
    assert notes["fires"] and notes["rated"] and notes["reports"]
    assert all("#" in report for report in notes["reports"])


def test_ordinary_tensors_raise_nothing_but_what_is_expected():
    seen, worse = 0, []
    for name, x, spec, role in tensors():
        seen += 1
        made = examined(Case.of(x, spec, role=role))
        assert made.skipped == {} and made.looked == len(RULES)
        worse += [(name, f.rule, f.message) for f in made.findings if not f.expected]
    assert seen >= 100
    assert worse == []


@pytest.mark.parametrize("kind", LARGE)
def test_large_ordinary_tensors_raise_nothing_above_a_note(kind):
    """Of t with 5 degrees the tail alone is told, of which a cut is truly worth 9 dB."""
    tail = {"OUTLIERS-SET-RANGE"} if kind == "t5" else set()
    for name, x, spec, role in large(kind):
        made = examined(Case.of(x, spec, role=role))
        worse = [(f.rule, f.message) for f in made.findings if f.severity != "note"]
        assert [found for found in worse if found[0] not in tail] == [], name
        assert made.skipped == {}
