"""Columns of the table: which there are, how wide, and what is marked as approximate."""

import pytest

from qviz.models.alone import Alone, Outcome, Sensitivity
from qviz.models.layers import LayerRow
from qviz.ui.layers.columns import ALL, ROUGH, bar_ends, columns, few_columns, frame_of, names_of


def layer(name, sqnr=20.0, *, exact=True, note="", op="Conv"):
    return LayerRow(
        name, op, "weight", (2, 3), "float32", sqnr=sqnr, codes_used=4, levels=16, exact=exact,
        note=note,
    )  # fmt: skip


ROWS = [layer("encoder.layer.0.output.dense.weight"), layer("b", 3.0, exact=False)]


def cost(accuracy):
    rows = (Alone("b", "weight", "Conv", Outcome(-3.0, 0.5 if accuracy else None)),)
    return Sensitivity(rows, accuracy, 8, "y")


@pytest.mark.parametrize("found", [None, cost(None), cost(0.9)])
@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], [layer("a", None, note="refused", op="")]])
def test_all_columns_together_fit(rows, found):
    labels = names_of(rows, found).labels
    frame = frame_of(rows, labels, found)
    made = columns(frame, rows, found)
    assert set(made) == set(frame)
    assert sum(column["width"] for column in made.values()) <= ALL
    assert made["Layer"]["width"] >= 110
    few = few_columns(rows, found)
    assert sum(few[name]["width"] for name in few if name in frame) <= 340


def test_what_is_read_off_a_sketch_is_marked():
    def told(rows):
        frame = frame_of(rows, {row.name: row.name for row in rows}, None)
        return frame, columns(frame, rows, None)["SQNR"]

    mixed, column = told(ROWS)
    assert mixed[ROUGH].tolist() == ["", "≈"] and column["label"] == "SQNR dB"
    assert "leading bits" in column["help"]
    rough, column = told(ROWS[1:])
    assert ROUGH not in rough and column["label"] == "SQNR ≈"
    exact, column = told(ROWS[:1])
    assert ROUGH not in exact and "leading bits" not in column["help"]


def test_what_is_left_of_the_output_in_percent_or_db():
    labels = {row.name: row.name for row in ROWS}
    assert frame_of(ROWS, labels, cost(0.9))["Alone"].tolist()[1] == 50.0
    assert frame_of(ROWS, labels, cost(None))["Alone"].tolist()[1] == -3.0


def test_every_bar_is_seen():
    low, high = bar_ends([-5.0, None, 95.0])
    assert high == 95.0 and low == pytest.approx(-10.0)  # a stub of a twentieth
    low, high = bar_ends([0.1, 100.0])
    assert low == pytest.approx(-5.0)
    assert bar_ends([]) == (pytest.approx(-0.05), 1.0)
