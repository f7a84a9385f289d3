"""The small multiple of a mode: its corners, its strip, its shade, its words, its size."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from qviz.figures.fake_quant import divisor, small_multiple
from qviz.figures.fake_quant_frame import Frame, framed, ticks
from qviz.figures.theme import DARK, LIGHT
from qviz.pipeline.training_gradients import apart, picked, portrait
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec, Range
from tests.unit.figures.small import drawable, texts

FRAME = Frame(-0.8, 2.2, (-2.0, 3.4), data=(-5.0, 1.0))
SYMMETRIC = QuantSpec(4, signed=True, symmetric=True, narrow_range=True)


def grid(mode, bits=3):
    made = QUANTIZERS.make(mode)
    return made.quantizer(Range(np.full(1, -0.8), np.full(1, 2.2)), QuantSpec(bits))


def drawn(mode="tf.fake_quant", bits=3, palette=LIGHT, **more):
    return small_multiple(portrait(grid(mode, bits), *FRAME.view), mode, FRAME, palette, **more)


def size(figure):
    """Bytes of the figure without the template that Plotly adds."""
    whole = json.loads(go.Figure(figure).to_json())
    whole["layout"].pop("template", None)
    return len(json.dumps(whole))


def traces(figure, axis):
    return [t for t in figure["data"] if t.get("yaxis", "y") == axis and t["mode"] == "lines"]


def shades(figure):
    return [s for s in figure["layout"]["shapes"] if s["type"] == "rect"]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
@pytest.mark.parametrize("mode", ["affine", "torch.learnable", "tf.quantize_and_dequantize"])
def test_it_can_be_drawn(mode, palette):
    drawable(drawn(mode, palette=palette, mark=picked(grid(mode), 2.5)))


def test_the_staircase_has_the_levels_of_the_grid():
    same, stairs = traces(drawn(), "y")
    assert same["x"].tolist() == same["y"].tolist() == pytest.approx([-2.0, 3.4])
    step = 3 / 7  # zero point round(1.867) = 2: levels -2 to 5 steps
    assert sorted(set(stairs["y"].tolist())) == pytest.approx([step * k for k in range(-2, 6)])
    jumps = stairs["x"][1:-1:2]
    assert jumps.tolist() == pytest.approx([step * (k + 0.5) for k in range(-2, 5)], abs=1e-5)


def test_each_gradient_has_its_line():
    to_x, to_min, to_max = traces(drawn(), "y2")
    assert to_x["fill"] == "tozeroy"
    assert np.interp([-1.5, 0.0, 3.0], to_x["x"], to_x["y"]).tolist() == [0, 1, 0]
    assert np.interp([-1.5, 0.0, 3.0], to_min["x"], to_min["y"]).tolist() == [1, 0, 0]
    assert np.interp([-1.5, 0.0, 3.0], to_max["x"], to_max["y"]).tolist() == [0, 0, 1]
    assert {"to x", "to min", "to max"} <= set(texts(drawn()))
    assert to_min["line"]["color"] != to_max["line"]["color"]
    assert to_min["line"]["dash"] != to_max["line"]["dash"]


def test_names_stand_where_the_gradients_act():
    at = {n["text"]: n["x"] for n in drawn()["layout"]["annotations"]}
    assert at["to min"] < at["to x"] < at["to max"]


def test_a_gradient_far_above_1_is_divided_and_says_so():
    figure = drawn("torch.learnable")
    scale = traces(figure, "y2")[1]
    assert np.abs(scale["y"]).max() == pytest.approx(1.0)
    assert np.abs(scale["customdata"]).max() == pytest.approx(5.0)  # code 7 less zero point 2
    assert "to scale ÷ 5" in texts(figure)
    assert divisor(np.array([1.5, -0.2])) == 1.0


def test_shaded_where_x_gets_no_gradient():
    step = 3 / 7
    left, right = shades(drawn())
    assert (left["x0"], left["x1"]) == pytest.approx((-2.0, -2 * step), abs=1e-5)
    assert (right["x0"], right["x1"]) == pytest.approx((5 * step, 3.4), abs=1e-5)
    assert shades(drawn("tf.quantize_and_dequantize")) == []


def test_words_name_mode_levels_and_covered_range():
    said = texts(drawn())
    assert {"<b>tf.fake_quant</b>", "8 levels", "[−0.857, 2.14]"} <= set(said)


def test_the_data_is_a_stroke_inside_the_view():
    (stroke,) = [s for s in drawn()["layout"]["shapes"] if s["type"] == "line"]
    assert (stroke["x0"], stroke["x1"]) == (-2.0, 1.0)


def test_the_picked_element_is_marked_on_both_panels():
    dots = [t for t in drawn(mark=picked(grid("tf.fake_quant"), 2.5))["data"]
            if t["mode"] == "markers"]  # fmt: skip
    assert [(t["x"], t["y"]) for t in dots] == [
        ([2.5], [pytest.approx(15 / 7)]),
        ([2.5], [0.0]),
    ]
    outside = drawn(mark=picked(grid("tf.fake_quant"), 9.0))
    assert all(t["mode"] == "lines" for t in outside["data"])


def test_the_difference_takes_the_place_of_the_staircase():
    first = portrait(grid("tf.fake_quant"), *FRAME.view)
    other = portrait(grid("tf.quantize_and_dequantize"), *FRAME.view)
    line = apart(other.stairs, first.stairs)
    most = float(np.abs(line[1]).max())
    figure = small_multiple(other, "other", FRAME, LIGHT, difference=(line, most))
    (only,) = traces(figure, "y")
    assert only["y"].tolist() == pytest.approx(line[1].tolist())
    assert figure["layout"]["yaxis"]["range"][1] == pytest.approx(1.15 * most)
    assert f"at most {most:.2g}" in texts(figure)
    drawable(figure)


def test_no_difference_is_said():
    first = portrait(grid("tf.fake_quant"), *FRAME.view)
    zero = apart(first.stairs, first.stairs)
    figure = small_multiple(first, "same", FRAME, LIGHT, difference=(zero, 0.0))
    assert "the same" in texts(figure)
    drawable(figure)


def test_a_name_is_text_and_nothing_else():
    shown = portrait(grid("affine"), *FRAME.view)
    assert "<b>&lt;i&gt;</b>" in texts(small_multiple(shown, "<i>", FRAME, LIGHT))


def test_six_figures_are_small():
    six = ("affine", "torch.learnable", "tf.fake_quant", "mindspore.default@doc", "ti.pact2",
           "tf.quantize_and_dequantize")  # fmt: skip
    assert sum(size(drawn(mode, bits=8)) for mode in six) < 70_000


def test_the_view_holds_what_was_asked_0_and_what_is_covered():
    frame = framed((0.07, 0.13), [(0.0, 0.06), (0.0, 0.13)])
    assert frame.view == pytest.approx((0 - 0.22 * 0.06, 0.13 + 0.22 * 0.06))
    wide = framed((-1.0, 1.0), [(-50.0, 50.0)])
    assert wide.view == pytest.approx((-4 - 0.44, 4 + 0.44))
    one = framed((2.0, 2.0), [])
    assert one.view[0] < 0 < 2 < one.view[1]


def test_ticks_leave_out_what_would_crowd():
    assert ticks(FRAME)["tickvals"] == [-0.8, 0.0, 2.2]
    assert ticks(Frame(0.01, 2.0, (-0.5, 2.5)))["tickvals"] == [0.01, 2.0]
    assert ticks(Frame(2.0, 2.0, (-0.5, 2.5)))["tickvals"] == [0.0, 2.0]
