import numpy as np
import pytest

from qviz.figures.batches import faint, range_by_batch
from qviz.figures.theme import LIGHT
from tests.unit.figures.small import drawable, texts

LO, HI = [-1.0, -1.5, -1.25], [2.0, 3.0, 2.5]
BATCH_LO, BATCH_HI = [-1.0, -2.0, -1.0], [2.0, 4.0, 2.0]


def test_the_band_runs_to_the_present_batch_and_is_pale_beyond():
    figure = range_by_batch(LO, HI, BATCH_LO, BATCH_HI, LIGHT, upto=2)
    pale_lo, _, lo, hi, _ = figure["data"]
    assert (lo["x"], lo["y"].tolist()) == ([1, 2], [-1, -1.5])
    assert (hi["x"], hi["y"].tolist()) == ([1, 2], [2, 3])
    assert hi["fill"] == "tonexty"
    assert (pale_lo["x"], pale_lo["line"]["color"]) == ([2, 3], LIGHT.rest)
    assert figure["layout"]["xaxis"]["title"]["text"] == "batch"
    assert figure["layout"]["yaxis"]["title"]["text"] == "tensor value"
    drawable(figure)


def test_every_batch_has_a_tick_at_its_extremes():
    ticks = range_by_batch(LO, HI, BATCH_LO, BATCH_HI, LIGHT, upto=3)["data"][-1]
    assert ticks["x"] == [1, 2, 3, 1, 2, 3]
    assert ticks["y"].tolist() == BATCH_LO + BATCH_HI


def test_the_present_batch_is_marked_and_its_range_written():
    figure = range_by_batch(LO, HI, BATCH_LO, BATCH_HI, LIGHT, upto=2)
    (mark,) = figure["layout"]["shapes"]
    assert mark["x0"] == mark["x1"] == 2
    assert "<b>after batch 2 of 3: [−1.5, 3]</b>" in texts(figure)


def test_lines_are_named_at_their_end():
    assert {"<b>lo</b>", "<b>hi</b>"} <= set(
        texts(range_by_batch(LO, HI, BATCH_LO, BATCH_HI, LIGHT, upto=3))
    )


def test_batches_without_a_value_are_left_out():
    figure = range_by_batch([None, -1.0], [None, 1.0], [np.inf, -1.0], [-np.inf, 1.0], LIGHT, 1)
    assert "<b>after batch 1 of 2: no range yet</b>" in texts(figure)
    assert figure["data"][-1]["x"] == [2, 2]
    drawable(figure)
    drawable(range_by_batch([], [], [], [], LIGHT, 1))


def test_many_batches_are_thinned():
    many = np.linspace(0, 1, 5000)
    figure = range_by_batch(-many, many, -many, many, LIGHT, upto=5000)
    assert max(len(trace["x"]) for trace in figure["data"]) <= 2 * 2048
    assert figure["data"][-2]["x"][-1] == 5000


@pytest.mark.parametrize(("asked", "shown"), [(0, 1), (9, 3)])
def test_a_batch_that_does_not_exist_is_the_nearest(asked, shown):
    (mark,) = range_by_batch(LO, HI, BATCH_LO, BATCH_HI, LIGHT, upto=asked)["layout"]["shapes"]
    assert mark["x0"] == shown


def test_faint_keeps_the_hue():
    assert faint("#0072B2") == "rgba(0,114,178,0.16)"
