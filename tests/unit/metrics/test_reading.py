import math
from dataclasses import replace

import numpy as np
import pytest

from qviz.errors import UnknownName
from qviz.metrics.base import METRICS
from qviz.metrics.producers import Frame, of_rows
from qviz.metrics.reading import Reading, read, read_all
from qviz.quantizers.affine import typed
from tests.unit.metrics.grids import Codebook, Numberless


def totals(rows, quantizer=None):
    rows = np.atleast_2d(np.array(rows, np.float64))
    there = np.isfinite(rows)
    lo = rows.min(axis=1, initial=np.inf, where=there)
    hi = rows.max(axis=1, initial=-np.inf, where=there)
    return of_rows(rows, quantizer or typed(1.0, 0, -2, 2), Frame(lo, hi))


def test_one_reading_per_group():
    assert read("mse", totals([[0.5, 0.0], [1.0, 2.0]])) == (Reading(0.125), Reading(0.0))


def test_an_unknown_metric():
    with pytest.raises(UnknownName, match="Did you mean mse"):
        read("mze", totals([1.0]))


REASONS = {
    ("sqnr", "exact"): [1.0, 2.0],
    ("psnr", "exact"): [1.0, 2.0],
    ("sqnr", "x has no energy"): [0.0, 0.0],
    ("sqnr", "there is no finite element"): [np.nan],
    ("mse", "there is no finite element"): [],
    ("mse", "sums overflow float64"): [1e200],
    ("sqnr_centered", "x is constant"): [0.3, 0.3],
    ("zeroed_share", "every x is 0"): [0.0],
}


@pytest.mark.parametrize(("name", "reason"), REASONS)
def test_why_there_is_no_number(name, reason):
    assert read(name, totals([REASONS[name, reason]])) == (Reading(None, reason),)


def test_grids_that_lack_something():
    uneven, nothing = totals([1.0, 0.3], Codebook()), totals([1.0, 0.3], Numberless())
    assert read("bias_steps", uneven)[0].reason == "the grid has no even step"
    assert read("mse", nothing)[0].reason == "what comes back is not a number"
    assert "4 million" in read("codes_used", replace(uneven, codes=None))[0].reason


def test_channels():
    whole, channels = totals([1.0, 0.25]), totals([[0.25, 1.0], [0.0, 0.0]])
    lowest = 10 * math.log10(1.0625 / 0.0625)
    assert read("worst_channel", whole, channels) == (Reading(pytest.approx(lowest)),)
    assert read("worst_channel", channels, channels) == (Reading(pytest.approx(lowest)),) * 2
    assert read("below_10_db", whole, channels) == (Reading(0.0),)
    assert read("worst_channel", whole) == (Reading(None, "channels were not judged"),)
    dead = totals([[0.0], [0.0]])
    assert read("worst_channel", whole, dead)[0].reason == "no channel has energy"
    assert read("worst_channel", whole, totals([[1.0], [2.0]]))[0].reason == "exact"


def test_marks():
    exact = totals([0.5, 1.2])
    sketch = replace(exact, made="sketch")
    assert (read("mse", exact)[0].mark, read("mse", exact)[0].made) == ("exact", "exact")
    assert (read("mse", sketch)[0].mark, read("mse", sketch)[0].made) == ("sketch", "sketch")
    assert (read("clipped", exact)[0].mark, read("clipped", sketch)[0].mark) == ("exact", "rough")
    rough = {n for n, r in read_all(sketch, exact).items() if r[0].mark == "rough"}
    assert rough == {
        *("clipped", "clipped_low", "clipped_high", "clipped_share", "clipped_energy"),
        *("clip_mse", "codes_used", "code_entropy", "zeroed_share", "js", "max_abs_error"),
    }
    assert read("worst_channel", sketch, exact)[0].mark == "exact"


def test_counts_of_a_sketch_are_whole():
    sketch = replace(totals([0.5]), clipped_low=np.array([1.7]), made="sketch")
    assert read("clipped_low", sketch)[0].value == 2.0


HOSTILE = {
    "nothing": [],
    "nan": [np.nan, np.nan],
    "infinite": [np.inf, -np.inf, 1.0],
    "zeros": [0.0, -0.0],
    "constant": [0.1, 0.1],
    "single": [7.0],
    "huge": [1.7e308, -1.7e308],
    "large": [1e200, 1.0],
    "tiny": [1e-200, -1e-310],
    "subnormal": [1e-45, 5e-324],
}
GRIDS = (
    typed(1.0, 0, -2, 2),
    typed(1e-300, 1, 0, 3),
    typed(1.7e308, 1, 0, 3),
    Codebook(),
    Numberless(),
)


@pytest.mark.parametrize("grid", GRIDS, ids=str)
@pytest.mark.parametrize("values", HOSTILE.values(), ids=HOSTILE)
def test_never_nan_never_infinite(values, grid):
    t = totals([values], grid)
    for name, readings in read_all(t, t).items():
        for reading in readings:
            finite = reading.value is not None and math.isfinite(reading.value)
            assert finite != bool(reading.reason), name


@pytest.mark.parametrize("name", list(METRICS))
def test_what_a_metric_says_of_itself(name):
    entry = METRICS.entry(name)
    help_text = entry.made.__doc__.splitlines()[0]
    assert 0 < len(entry.title) <= 18
    assert entry.notes["better"] in ("low", "high", "")
    unit = entry.notes["unit"]
    words = {"": "without unit", "units": "input units", "units²": "squared input units"}
    shown = {"elements": "Number of elements", "codes": "codes", "channels": "channels"}
    assert words.get(unit, shown.get(unit, unit)) in help_text.replace("1, without", "without")
