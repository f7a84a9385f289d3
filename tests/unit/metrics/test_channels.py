import math

import numpy as np
import pytest

from qviz.metrics.channels import ChannelSummary, below_10_db, channel_summary, worst_channel
from qviz.metrics.producers import Frame, of_rows
from qviz.quantizers.affine import typed


def totals(rows):
    """Step 1, codes -100..100, one group's qparams for all rows."""
    rows = np.array(rows, np.float64)
    return of_rows(rows, typed(1.0, 0, -100, 100), Frame(rows.min(1), rows.max(1)))


FINE, POOR, DEAD, SAME = [10.0, 20.25], [0.25, 1.25], [0.0, 0.0], [3.0, -4.0]


def test_by_hand():
    t = totals([FINE, POOR, DEAD, SAME])
    lowest = 10 * math.log10((0.0625 + 1.5625) / 0.125)
    assert worst_channel(t).tolist() == [pytest.approx(lowest)]
    assert channel_summary(t) == ChannelSummary(pytest.approx(lowest), 1, 0, 1)


def test_channels_below_ten_decibels():
    t = totals([[0.4, 0.4], POOR, [0.5, 0.1], DEAD, FINE])
    assert below_10_db(t).tolist() == [2]
    summary = channel_summary(t)
    assert (summary.below_10_db, summary.dead) == (2, 1)
    assert summary.index == 0  # 0.4 and 0.5 both vanish: the first of the two
    assert summary.worst == 0.0


def test_dead_channels_are_not_the_worst():
    assert channel_summary(totals([DEAD, FINE])).index == 1


def test_only_dead_channels():
    t = totals([DEAD, DEAD])
    assert np.isnan(worst_channel(t)[0])
    assert below_10_db(t).tolist() == [0]
    assert channel_summary(t) == ChannelSummary(None, None, 0, 2)


def test_channels_that_lose_nothing():
    t = totals([SAME, DEAD])
    assert worst_channel(t).tolist() == [np.inf]
    assert channel_summary(t) == ChannelSummary(None, None, 0, 1)


def test_a_channel_without_finite_elements_is_dead():
    rows = np.array([[np.nan, np.inf], FINE])
    t = of_rows(
        rows, typed(1.0, 0, -100, 100), Frame(np.array([np.inf, 10]), np.array([-np.inf, 20.25]))
    )
    assert channel_summary(t).dead == 1
    assert channel_summary(t).index == 1
