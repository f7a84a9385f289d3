import math

import numpy as np

from qviz.figures.bins import Bins
from qviz.figures.histogram import count_axis, steps
from qviz.figures.theme import LIGHT


def bins(counts, lo=0.0, hi=4.0):
    counts = np.asarray(counts, float)
    return Bins(np.linspace(lo, hi, counts.size + 1), counts)


def test_steps_start_at_each_edge_and_empty_bins_drop_out_of_sight():
    trace = steps(bins([1, 0, 5, 1000]), LIGHT)
    assert (trace["x0"], trace["dx"]) == (0, 1)
    assert trace["y"].tolist() == np.float32([1, 0.3, 5, 1000, 1000]).tolist()
    assert trace["line"]["shape"] == "hv"
    floor, _ = count_axis(bins([1, 0, 5, 1000]), LIGHT)["range"]
    assert math.log10(0.3) < floor < 0


def test_narrow_bins_far_from_zero_stay_apart():
    trace = steps(bins([1, 2], 1000.0, 1000.0 + 1e-9), LIGHT)
    assert trace["x0"] + trace["dx"] > trace["x0"]


def test_counts_have_ticks_at_powers_of_ten():
    made = count_axis(bins([1, 60_000]), LIGHT)
    assert made["title"]["text"] == "values per bin (log)"
    assert made["tickvals"] == [1, 100, 10_000]
    assert made["ticktext"] == ["1", "10²", "10⁴"]
    assert made["range"][1] > math.log10(60_000)


def test_a_single_element_reaches_into_the_panel():
    low, high = count_axis(bins([0, 1]), LIGHT)["range"]
    assert low < 0 < high
    assert count_axis(bins([0, 0]), LIGHT)["range"] == [low, high]
