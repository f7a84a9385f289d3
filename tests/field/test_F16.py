"""lanpa/tensorboardX#1: a bin rule that asks for 6.7e10 bins."""

import time

import numpy as np
import pytest

from qviz.doctor import Case
from qviz.figures.doctor import picture
from qviz.figures.doctor_facts import facts_of
from qviz.figures.theme import LIGHT
from qviz.stats.gather import gather
from qviz.stats.linear_histogram import LinearHistogram
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream
from tests.field.asked import first, named

X = np.r_[np.random.default_rng(0).normal(0, 1e-6, 1000), 1e3]


def test_numbers():
    low, high = np.percentile(X, [25, 75])
    width = 2 * (high - low) / len(X) ** (1 / 3)
    assert (X.max() - X.min()) / width == pytest.approx(3.8e9, rel=0.02)


def test_bins_stay_few():
    start = time.process_time()
    seen = gather(Stream.of(X).tiles[0], (LinearHistogram(), Sketch(16)))
    assert time.process_time() - start < 0.5  # ten times what it takes: machines differ
    assert seen[LinearHistogram()].counts.shape == (1, 2048)
    assert seen[LinearHistogram()].counts.sum() == 1001


def test_one_value_sets_the_range_of_all():
    assert "OUTLIERS-SET-RANGE" in first(Case.of(X))
    found = named(Case.of(X), "OUTLIERS-SET-RANGE")
    assert found.evidence["zeroed_share"] == pytest.approx(1000 / 1001)
    assert found.evidence["usual_sqnr"] == pytest.approx(0) and "number to trust" in found.message
    assert found.severity == "high"


def test_a_cut_is_told_with_what_it_gives_and_takes():
    (fix,) = named(Case.of(X), "OUTLIERS-SET-RANGE").fixes
    usual = X[np.abs(X) <= np.sort(np.abs(X))[999]]  # 99.9 % of the values
    lo, hi = X[:-1].min(), X[:-1].max()
    step = (hi - lo) / 255
    zero = np.rint(-lo / step)
    back = (np.clip(np.rint(usual / step) + zero, 0, 255) - zero) * step
    gain = 10 * np.log10((usual**2).sum() / ((back - usual) ** 2).sum())
    assert fix.gain_db == pytest.approx(gain, abs=0.01)  # of 0 dB: nothing was left
    assert "to 0.0 dB)" in fix.action and fix.measured_at == "usual values"


def test_the_picture_shows_the_body_and_the_one_value_apart():
    case = Case.of(X)
    figure = picture(named(case, "OUTLIERS-SET-RANGE"), facts_of(case), LIGHT)
    (trace,) = figure["data"]
    counts = trace["y"][:-1][trace["y"][:-1] >= 1]
    assert counts.sum() == 1001 and len(counts) > 5 and counts.max() < 600
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert len(set(texts)) == len(texts) == 3
