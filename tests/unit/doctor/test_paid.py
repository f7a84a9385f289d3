"""Clipping that pays, and fixes that do not undo one another."""

from dataclasses import replace

import numpy as np
import pytest

from qviz.doctor import Case, examine, examined
from qviz.models.alone import Outcome
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from tests.unit.samples import sqnr

INT8 = QuantSpec(8, signed=True, symmetric=True)
NOTED = ("CLIPPED-TAIL-MATTERS", "ERROR-YARDSTICK")


def few(seed):
    """Normal values, a few of them 20 to 200 times as large."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(int(rng.integers(5000, 10_000)))
    x[: int(rng.integers(1, 1 + len(x) // 1500))] *= float(rng.uniform(20, 200))
    return x


def faults(case):
    return [f for f in examine(case) if f.severity != "note"]


def applied(case, fix):
    """The case under a fix's setting."""
    how = dict(fix.how)
    observer = OBSERVERS.make(how.pop("observer")) if "observer" in how else case.used
    shared = case.target.granularity
    shared = Granularity.parse(how.pop("granularity")) if "granularity" in how else shared
    target = Target(replace(case.target.spec, **how), shared, case.target.mode)
    return replace(case, observer=observer, target=target, known={})


def steps(case, most=4):
    """How often the first fix is taken until nothing above a note is left."""
    for step in range(most):
        fixes = [fix for found in faults(case) for fix in found.fixes if fix.how]
        if not fixes:
            return step
        case = applied(case, fixes[0])
    return most


@pytest.mark.parametrize("seed", range(30))
def test_taking_the_first_fix_again_and_again_ends(seed):
    case = Case.of(few(seed), INT8 if seed % 2 else QuantSpec(8))
    assert steps(case) <= 3
    if any(found.rule == "OUTLIERS-SET-RANGE" for found in faults(case)):
        cut = replace(case, observer=OBSERVERS.make("percentile:keep=99.9"), known={})
        assert not [f.rule for f in faults(cut) if f.rule in NOTED]


@pytest.mark.parametrize("kind", ["lone", "minority", "lognormal", "t1.5", "t2 weight", "relu"])
def test_so_it_does_for_other_tails(kind):
    rng, known, spec = np.random.default_rng(5), {}, INT8
    if kind == "lone":
        x = np.r_[rng.standard_normal(4000), 400.0]
    elif kind == "minority":
        x = np.where(rng.random(20_000) < 0.03, 200.0, 1.0) * rng.standard_normal(20_000)
    elif kind == "lognormal":
        x, spec = rng.lognormal(0, 2, 100_000), QuantSpec(8)
    elif kind == "t1.5":
        x = rng.standard_t(1.5, 20_000)
    elif kind == "relu":
        x, spec = np.maximum(rng.standard_normal(20_000), 0), QuantSpec(4)
        x[:8] *= 60
    else:
        x, known = rng.standard_t(2, (512, 256)), {"role": "weight"}
    assert 1 <= steps(Case.of(x, spec, **known)) <= 3


def test_what_it_pays_is_told_and_no_way_back_is_offered():
    x = np.random.default_rng(10).standard_normal(100_000)
    x[:12] *= 80
    cut = float(np.sort(np.abs(x))[-1000])
    found = {f.rule: f for f in examine(Case.of(x, INT8, observer=f"manual:lo={-cut},hi={cut}"))}
    usual = x[np.abs(x) <= np.sort(np.abs(x))[99_899]]
    for name in NOTED:
        assert found[name].severity == "note" and found[name].expected
        assert [f.how["observer"] for f in found[name].fixes] in ([], ["percentile:keep=99.99"])
        assert "the few far values pay for the usual ones" in found[name].message
    step = cut / 127
    now = sqnr(usual, np.clip(np.rint(usual / step), -128, 127) * step)
    said = found["CLIPPED-TAIL-MATTERS"].message.split("the usual ones: ")[1]
    gain, then = (float(part.split(" dB")[0]) for part in said.split("there ("))
    assert gain + then == pytest.approx(now, abs=0.11) and gain > 3 and then < 20


def test_peaks_that_cost_the_others_little_are_the_signal():
    x = np.abs(np.random.default_rng(0).normal(0, 0.02, 50_000))
    x[:10] = np.random.default_rng(1).uniform(0.6, 1, 10)
    (found,) = (
        f for f in faults(Case.of(x, observer="manual:lo=0,hi=0.078")) if f.rule == NOTED[0]
    )
    assert found.severity == "high"
    assert found.fixes[0].how["observer"] in ("mse", "minmax")


def test_where_an_output_is_known_it_decides():
    from_output = Case.of(few(1), INT8, observer="percentile:keep=99.9")
    noise = replace(from_output, runs=lambda x: Outcome(float(np.abs(x).max())))
    found = next(f for f in examined(noise).findings if f.rule == NOTED[0])
    assert found.fixes and found.fixes[0].measured_at == "output"


def test_batches_that_would_set_the_range_of_all_others_pay_too():
    batches = [np.random.default_rng(i).uniform(-1, 1, 2000) for i in range(6)]
    batches[5] *= 150
    case = Case.of(batches, observer="manual:lo=-1,hi=1")
    found = next(f for f in examine(case) if f.rule == "ERROR-YARDSTICK")
    assert found.severity == "note" and "the far batches pay for the others" in found.message
    others = np.concatenate(batches[:5])
    width = np.ptp(batches[5])
    zero = np.rint(-batches[5].min() / width * 255)
    wide = (np.clip(np.rint(others / width * 255) + zero, 0, 255) - zero) * width / 255
    told = float(found.message.split("there (")[1].split(" dB")[0])
    assert told == pytest.approx(sqnr(others, wide), abs=0.2)  # a cut of 0.01 % is told
