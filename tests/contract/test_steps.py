"""Every mode shows its intermediate steps, and says truly how it computes."""

import dataclasses

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.metrics.boundaries import boundaries
from qviz.quantizers.arithmetic import ROUNDINGS, Arithmetic
from qviz.quantizers.base import QUANTIZERS
from qviz.quantizers.steps import NAMES, record, recording, step
from qviz.rosetta import answer, rules
from qviz.spec import QuantSpec, Range

RULES = {rule.name: rule for rule in rules()}
RANGES = ((-1.0, 1.0), (-0.5, 2.5), (1.0, 3.0), (-6.0, 6.0), (-22.0, -15.0))
UNIT = [(-n, m) for n in (64, 127, 127.5, 128) for m in (63, 127, 127.5, 128)]
TIES = np.arange(-40, 41, dtype=np.float32)[None] + np.float32(0.5)


def made_of(rule, lo, hi):
    """The rule's quantizer; its range is one that every rule serves."""
    made = answer(rule, lo, hi).quantizer
    assert made is not None
    return made


def test_every_member_is_listed_and_names_are_unique():
    assert {rule.member for rule in rules()} == set(QUANTIZERS)
    assert len({rule.name for rule in rules()}) == len({rule.title for rule in rules()})
    assert len(RULES) == len(rules())


@pytest.mark.parametrize("name", RULES)
def test_the_formula_and_the_arithmetic_are_declared(name):
    made = made_of(RULES[name], -1.0, 1.0)
    assert type(made).formula.startswith(("q", "x'"))
    how = made.arithmetic
    assert isinstance(how, Arithmetic)
    assert how.tie in ROUNDINGS and how.dtype in ("float32", "float64")
    assert how.quotient in ("division", "reciprocal", "multiplier")
    assert how.added in ("before", "after", "none")
    assert RULES[name].convention.startswith(f"codes {made.ends[0]} to {made.ends[1]}; ")


@pytest.mark.parametrize("name", RULES)
def test_codes_are_those_of_the_declared_arithmetic(name):
    for lo, hi in RANGES:
        made = made_of(RULES[name], lo, hi)
        with np.errstate(all="ignore"):
            edges = boundaries(made, 1).astype(np.float32)
            edges = edges[np.isfinite(edges)]
            x = np.concatenate([edges, np.nextafter(edges, np.float32(-np.inf)), TIES[0]])[None]
            declared = np.clip(made.arithmetic.encode(x), *made.ends)
            assert np.array_equal(declared, made.quantize(x)), (lo, hi)


@pytest.mark.parametrize("name", RULES)
def test_the_declared_tie_rule_is_what_happens_on_a_tie(name):
    seen = 0
    for lo, hi in UNIT:
        made = made_of(RULES[name], lo, hi)
        x = TIES if made.step[0] == 1 else TIES * np.float32(made.step[0])
        before = np.float64(made.arithmetic.unrounded(x))
        at = (before % 1 == 0.5) & (np.abs(before) < 2**20)
        codes = np.float64(made.encode(x))[at]
        after = made.arithmetic.after
        codes = codes if after is None else codes - np.float64(after[0])
        half = before[at]
        expected = {
            "even": 2 * np.rint(half / 2),
            "away": half + 0.5 * np.sign(half),
            "up": half + 0.5,
            "cut": half - 0.5 * np.sign(half),
        }[made.arithmetic.tie]
        assert np.array_equal(codes, expected)
        seen += int(at.sum())
    assert seen > 20


@pytest.mark.parametrize("name", RULES)
def test_steps_come_in_order_and_are_the_numbers_of_the_quantizer(name):
    rule = RULES[name]
    for lo, hi in RANGES:
        steps = rule.mode.steps(Range(lo, hi), rule.spec)
        names = [found.name for found in steps]
        assert names == sorted(set(names), key=NAMES.index)
        assert {"range", "scale", "codes", "precision", "quotient", "tie", "covered"} <= set(names)
        made, by_name = made_of(rule, lo, hi), {found.name: found for found in steps}
        assert by_name["scale"].values == (float(made.step[0]),)
        assert by_name["codes"].values == made.ends
        low, high = by_name["covered"].values
        assert (low, high) == (made.levels().min(), made.levels().max())
        zero = getattr(made, "zero_point", None)
        if zero is not None:
            assert by_name["zero point"].values == (float(np.ravel(zero)[0]),)
        assert all(found.dtype in ("", "float32", "float64") or "int" in found.dtype
                   for found in steps)  # fmt: skip


@pytest.mark.parametrize("name", [n for n, r in RULES.items() if r.kind == "framework"])
def test_a_raw_zero_point_rounds_to_the_zero_point(name):
    """What is recorded before rounding is within half a code of what was clamped."""
    for lo, hi in RANGES:
        found = answer(RULES[name], lo, hi)
        if found.raw_zero_point is None or found.ends is None:
            continue
        clamped = min(max(found.raw_zero_point, found.ends[0]), found.ends[1])
        assert abs(clamped - found.zero_point) <= 0.5 + 1e-9


def test_a_refused_range_keeps_the_steps_up_to_there():
    names = [s.name for s in QUANTIZERS.make("torch.affine").steps(Range(*NANS), QuantSpec(8))]
    assert names[:3] == ["range", "widened", "scale before floor"] and "scale" not in names


NANS = (np.array([np.nan]), np.array([np.nan]))


def test_nothing_is_kept_outside_a_recording():
    record("range", 1.0, 2.0)
    with recording() as found:
        record("scale", np.float32([0.5, 7.0]), note="halved")
    assert list(found) == ["scale"]
    assert dataclasses.astuple(found["scale"]) == ("scale", (0.5,), "float32", "halved")
    with pytest.raises(QvizError, match="No step is called 'slope'"):
        step("slope", 1.0)
