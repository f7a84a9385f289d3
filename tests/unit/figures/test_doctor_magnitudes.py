"""Magnitudes over powers of ten."""

import numpy as np
import plotly.graph_objects as go
import pytest

from qviz.figures.bins import Bins
from qviz.figures.doctor_bars import Mark
from qviz.figures.doctor_magnitudes import crowded, magnitudes
from qviz.figures.theme import LIGHT

POWERS, COUNTS = (-2.0, -1.5, -1.0, -0.5), (5, 0, 1)


def test_one_bin_that_holds_nearly_all():
    edges = np.arange(3.0)
    assert crowded(Bins(edges, np.array([996.0, 4.0])))
    assert not crowded(Bins(edges, np.array([98.0, 2.0])))


def test_bins_marks_and_what_becomes_0():
    marks = [Mark(0.05, "half", bold=True), Mark(0.2, "usual"), Mark(0.0, "no"), Mark(9.0, "far")]
    figure = magnitudes(POWERS, COUNTS, marks, LIGHT)
    (trace,) = figure["data"]
    assert trace["x0"] == -2 and trace["dx"] == pytest.approx(0.5)
    assert trace["y"][[0, 2]].tolist() == [5, 1] and trace["y"][1] < 1
    shade, half, usual = figure["layout"]["shapes"]
    assert (shade["x0"], shade["x1"]) == (-2, pytest.approx(np.log10(0.05)))
    assert (half["x0"], usual["x0"]) == (
        pytest.approx(np.log10(0.05)),
        pytest.approx(np.log10(0.2)),
    )
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts == ["<b>half</b>", "usual"]
    assert len(go.Figure(figure).update_layout(template=None).to_json()) < 4_000


def test_ticks_are_values_at_their_powers():
    ticks = magnitudes(POWERS, COUNTS, (), LIGHT)["layout"]["xaxis"]
    assert dict(zip(ticks["ticktext"], ticks["tickvals"], strict=True))["0.05"] == pytest.approx(
        np.log10(0.05)
    )
