"""Shares of few samples: intervals, tiers, and the order of what costs most."""

import pytest

from qviz.models.alone import Alone, Outcome, ranked
from qviz.models.shares import tiers, wilson


def test_the_interval_of_few_samples():
    # 10 of 100: (0.1 + 1.9208/100 +- 1.96 sqrt(0.09/100 + 0.9604/10^4)) / (1 + 3.8415/100)
    assert wilson(0.1, 100) == pytest.approx((0.05523, 0.17437), abs=1e-4)
    assert wilson(1.0, 4)[1] == 1.0 and wilson(0.0, 4)[0] == 0.0


def test_shares_inside_the_interval_of_the_lowest_are_one_tier():
    # of 128: 13 right reach up to 16.6 %, 125 right up to 99.2 %
    assert tiers([0.99, 13 / 128, 125 / 128, 20 / 128], 128) == [1, 0, 1, 0]
    assert tiers([0.5, 0.6, 0.5], 0) == [0, 1, 0]
    assert tiers([], 5) == []


def row(name, sqnr, right=None, note=""):
    return Alone(name, "weight", "Op", Outcome(sqnr, None if right is None else right / 128),
                 note=note)  # fmt: skip


def test_one_image_more_or_less_does_not_decide_the_order():
    rows = [row("fc2", 50.9, 126), row("relu6", 21.0, 127), row("relu", 30.0, 15), row("no", 1, 1,
            "refused")]  # fmt: skip
    assert [r.name for r in ranked(rows, 128)] == ["relu", "relu6", "fc2", "no"]
    assert [r.name for r in ranked(rows)] == ["relu", "fc2", "relu6", "no"]


def test_without_labels_the_output_decides():
    rows = [row("a", 30.0), row("b", None), row("c", 10.0)]
    assert [r.name for r in ranked(rows, 16)] == ["c", "a", "b"]
