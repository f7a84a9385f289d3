import time
from dataclasses import replace

import numpy as np
import pytest

from qviz.doctor import RULES, Case, Given, examine, examined, ranked
from qviz.doctor.base import Examined, Finding, Fix, milder, severity
from qviz.errors import QvizError
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


@pytest.mark.parametrize("granularity", ["per_tensor", "per_channel:0", "per_token"])
@pytest.mark.parametrize("name", ODD)
def test_whatever_it_is_no_rule_raises(name, granularity):
    for spec in SPECS:
        for role in ("weight", "activation"):
            made = examined(Case.of(ODD[name], spec, granularity=granularity, role=role))
            assert made.looked == len(RULES) >= len(made.findings) + len(made.skipped)


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
    assert [f.rule for f in found][:2] == ["OUTLIER-CHANNEL", "NON-FINITE"]
    assert [f.expected for f in found] == sorted(f.expected for f in found)


def test_many_are_ranked_by_their_worst():
    good, bad = Case.of(generators.normal(), name="good"), generators.far()
    one, two = ranked([good, replace(bad, name="bad")])
    assert (one.name, two.name) == ("bad", "good")
    assert one.reaches("high") and not two.reaches("low")
    with pytest.raises(QvizError, match="note, low, medium, high"):
        one.reaches("fatal")
    assert not Examined("none", (), {}, 1).reaches("note")


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
    start = time.perf_counter()
    assert examine(case)[0].rule == "OUTLIER-CHANNEL"
    assert time.perf_counter() - start < 5  # five times what it may take: machines differ
