import time
from dataclasses import replace

import numpy as np
import pytest

from qviz.doctor import RULES, Case, Given, examine, examined, ranked
from qviz.doctor.base import HIGH, Examined, Finding, Fix, milder, severity
from qviz.doctor.examining import worst_first
from qviz.errors import QvizError
from qviz.models.alone import Outcome
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec
from qviz.stats.gather import gather
from tests.unit.doctor import generators

ODD = {
    "single": np.float32(3.0),
    "no rows": np.zeros((0, 5), np.float32),
    "no columns": np.zeros((5, 0), np.float32),
    "all NaN": np.full((4, 9), np.nan, np.float32),
    "infinite": np.full((9, 9), np.inf),
    "zeros": np.zeros((16, 16), np.float32),
    "constant": np.full((16, 16), -2.5),
    "integers": np.arange(-32, 32).reshape(8, 8),
    "bool": np.eye(16, dtype=bool),
    "half": np.linspace(-1, 1, 256, dtype=np.float16).reshape(16, 16),
    "huge": np.linspace(-1e300, 1e300, 256).reshape(16, 16),
    "subnormal": np.linspace(-1e-42, 1e-42, 256, dtype=np.float32).reshape(16, 16),
    "five axes": generators.normal(2, 3, 4, 5, 6),
    "batches of two sizes": [generators.normal(16, 8), generators.normal(3, 8)],
}
SPECS = (QuantSpec(8), QuantSpec(2), generators.INT8, QuantSpec(16, signed=True))
TURNS = (  # all four kinds of 8-bit codes in two turns
    (QuantSpec(8), QuantSpec(8, signed=True, symmetric=True)),
    (QuantSpec(8, signed=True), QuantSpec(8, symmetric=True)),
)


def few(*values, kind=np.float32):
    return np.array(values, kind)


HOSTILE = {
    **{name: x for name, x in ODD.items() if name not in ("five axes", "batches of two sizes")},
    "one zero": np.zeros(1),
    "minus zero": np.full((4, 4), -0.0, np.float32),
    "one subnormal": np.full((4, 4), 1e-45, np.float32),
    "subnormal float64": np.linspace(-5e-320, 5e-320, 64),
    "one step of float64": few(0, 5e-324, kind=np.float64),
    "tiny": 1e-38 * generators.normal(8, 8),
    "1e-310": few(-1e-310, 1e-310, kind=np.float64),
    "1e38": np.float32(1e38) * np.tanh(generators.normal(8, 8)),
    "largest float32": few(-3.4e38, 3.4e38),
    "largest float64": few(-1.7e308, 1.7e308, kind=np.float64),
    "constant largest": np.full((3, 3), 1.79e308),
    "zero and largest": few(0, 1.797e308, kind=np.float64),
    "negative": np.full(9, -1e-3),
    "one element": np.ones((1, 1), np.float32),
    "single zero": np.float64(0),
    "single minus": np.float64(-3),
    "no": np.zeros((3, 3), bool),
    "bytes": np.arange(-128, 128).astype(np.int8).reshape(16, 16),
    "unsigned": few(0, 2**64 - 1, kind=np.uint64),
    "integers of 64 bits": few(-(2**63), 2**63 - 1, kind=np.int64),
    "minus infinite": np.full(3, -np.inf, np.float32),
    "mix": few(np.nan, np.inf, -np.inf, 0, 1e-45, 1, -1, 3e38)[None],
    "mix of float64": few(np.nan, np.inf, -1e308, 1e308, 5e-324, 0, kind=np.float64),
    "one infinite": np.r_[generators.normal(63), np.float32(np.inf)].reshape(8, 8),
    "ends of float16": few(65504, -65504, 6e-8, 0, kind=np.float16),
    "empty": np.zeros(0),
    "loud channel": generators.normal(8, 8) * few(1e38, *[1e-38] * 7),
    "subnormal channel": generators.normal(8, 8) * few(1e-45, *[1] * 7),
    "far": np.float32(1e30) + generators.normal(64),
    "batch of zeros": [generators.normal(8, 8), np.zeros((3, 8), np.float32)],
    "batch of NaN": [np.full((2, 4), np.nan, np.float32), generators.normal(4, 4)],
}


@pytest.mark.parametrize("granularity", ["per_tensor", "per_channel:0", "per_token"])
@pytest.mark.parametrize("name", ODD)
def test_whatever_it_is_no_rule_raises(name, granularity):
    for spec in SPECS:
        for role in ("weight", "activation"):
            made = examined(Case.of(ODD[name], spec, granularity=granularity, role=role))
            assert made.looked == len(RULES) >= len(made.findings) + len(made.skipped)


@pytest.mark.parametrize("mode", QUANTIZERS)
def test_whatever_the_mode_no_rule_raises(mode):
    first = list(QUANTIZERS).index(mode)
    for turn, x in enumerate(HOSTILE.values(), first):
        for spec in TURNS[turn % 2]:
            made = examined(Case.of(x, spec, mode=mode))
            assert made.looked >= len(made.findings) + len(made.skipped)


def test_only_the_rules_that_are_named_are_asked():
    made = examined(generators.far(), ("NON-FINITE", "RANGE-FAR-FROM-ZERO"))
    assert (made.looked, [f.rule for f in made.findings]) == (2, ["RANGE-FAR-FROM-ZERO"])
    assert made.skipped == {}


def test_nothing_to_look_at_is_said():
    found = examine(Case.of(np.full((4, 4), np.nan)))
    assert {f.rule for f in found} == {"NON-FINITE", "UNCALIBRATED"}
    assert [f.rule for f in examine(Case.of(np.zeros((0, 4))))] == ["UNCALIBRATED"]


def test_a_rule_that_cannot_look_says_why():
    made = examined(Case.of(given=Given.of(0.1, 0)))
    assert made.skipped["NON-FINITE"] == "There are no values."
    assert made.findings == ()


def test_worst_first_and_what_is_expected_last():
    x = generators.normal(64, 32)
    x[:, 3] *= 40
    x[2, 2] = np.nan
    found = examine(Case.of(x, QuantSpec(8), role="activation"))
    assert [f.rule for f in found][:2] == ["NON-FINITE", "OUTLIER-CHANNEL"]
    assert [f.expected for f in found] == sorted(f.expected for f in found)


def test_many_are_ranked_by_their_worst():
    good, bad = Case.of(generators.normal(), name="good"), generators.far()
    one, two = ranked([good, replace(bad, name="bad")])
    assert (one.name, two.name) == ("bad", "good")
    assert one.reaches("high") and not two.reaches("low")
    with pytest.raises(QvizError, match="note, low, medium, high"):
        one.reaches("fatal")
    assert not Examined("none", (), {}, 1).reaches("note")


def test_of_one_level_what_costs_most_at_the_output_comes_first():
    def of(name, gain, now):
        finding = Finding(HIGH, "1 is bad.", fixes=(Fix("mend", gain),))
        return Examined(name, (finding,), {}, 1, now)

    told = [
        of("harmless", 47.0, Outcome(47.6)),
        of("bad", 30.0, Outcome(6.0)),
        of("wrong", 1.0, Outcome(20.0, accuracy=0.2)),
        of("not run", 99.0, None),
        of("exact", 9.0, Outcome(lossless=True)),
    ]
    assert [one.name for one in worst_first(told)] == [
        "wrong",
        "bad",
        "harmless",
        "exact",
        "not run",
    ]


def test_severity_follows_the_gain():
    assert [severity(g) for g in (0.4, 0.5, 2.9, 3, 11.9, 12)] == [
        *("note", "low", "low", "medium", "medium", "high")
    ]
    assert milder("high", "low") == "low"
    first, second = Fix("a", 2.0), Fix("b", 9.0)
    assert Finding("low", "", fixes=(first, second)).gain == 2


def test_what_was_gathered_before_is_not_read_again():
    x = generators.normal(64, 64)
    case = Case.of(x)
    seen = gather(case.values.tiles[0], case.needs)
    reads = []
    have = replace(case, have=seen)
    gather(case.values.tiles[0], have.needs, seen, lambda done, of: reads.append(done))
    assert reads == [] and examine(have)[0].rule == "NUDGED-ENDS"


@pytest.mark.slow
def test_ten_million_elements_take_a_second_after_the_statistics():
    x = np.random.default_rng(0).standard_normal((10_000, 1000), dtype=np.float32)
    x[:, 7] *= 60
    case = Case.of(x, generators.INT8, role="activation")
    assert case.seen and case.channels.count == 1000  # gathered
    start = time.process_time()
    assert examine(case)[0].rule == "OUTLIER-CHANNEL"
    assert time.process_time() - start < 5  # five times what it may take: machines differ
