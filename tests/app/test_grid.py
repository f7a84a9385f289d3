"""The Grid page: range, qparams, views, one element; what it says of odd tensors."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from qviz.metrics.reading import read
from qviz.pipeline import gather, judge
from qviz.pipeline.judging import ALWAYS
from qviz.quantizers.affine import typed
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import QuantSpec, Range
from qviz.stats.stream import Stream
from tests.app.reading import (
    APP,
    caption,
    choose,
    figures,
    heading,
    noise,
    npy,
    numbers,
    payload,
    press,
    sample,
    started,
    upload,
    well,
    words,
)

WEIGHT = "teaching::gaussian"
TIE = np.float32(0.052941177)  # 4.5 steps of the range [-0.5, 2.5] at 8 bits
MOST = 350_000  # bytes of charts in one rerun


@pytest.fixture
def grid():
    """Open the page at an address."""

    def opening(tensor=WEIGHT, **query):
        at = AppTest.from_file(APP, default_timeout=60)
        at.switch_page("pages/2_Grid.py")
        at.query_params.update({"tensor": tensor, **query})
        return well(at.run())

    return opening


def ask(at, lo, hi):
    at.number_input(key="grid_lo").set_value(lo)
    return well(at.number_input(key="grid_hi").set_value(hi).run())


def cards(at):
    return {m.label: m for m in at.metric}


def button(at, label):
    (found,) = [b for b in at.button if b.label == label]
    return well(found.click().run())


def show_why(at, index=0):
    press(at, "grid_show", "why")
    return well(at.number_input(key="grid_index").set_value(index).run())


def rules(at):
    (found,) = [d.value for d in at.dataframe if "Rule" in d.value.columns]
    return found


def refusals(at):
    return [words(box.value) for box in at.error]


def test_it_opens_on_all_values(grid):
    at = grid()
    x = sample(WEIGHT)
    assert at.number_input(key="grid_lo").value is None
    assert cards(at)["Clipped"].value == "0 %"
    assert caption(at).endswith("Numbers are exact.")
    asked = [t for t in figures(at)["grid"]["data"] if t.get("yaxis") == "y5"][1]
    assert (asked["x"][0], asked["x"][-1]) == (x.min(), x.max())


def test_a_typed_range_sets_numbers_and_picture(grid):
    at = press(ask(grid(), -0.1, 0.1), "bits", 4)
    x = sample(WEIGHT).reshape(-1)
    target = Target.of(QuantSpec(4))
    quantizer = target.mode.quantizer(Range(-0.1, 0.1).as_float32(), target.spec)
    tile = Stream.of(x).tiles[0]
    totals = judge(tile, gather(tile, ALWAYS), quantizer)
    assert cards(at)["SQNR"].value == f"{read('sqnr', totals)[0].value:.2f} dB"
    assert cards(at)["SQNR"].delta == "exact"
    assert cards(at)["Codes used"].value == "16 of 16"
    assert heading(at).startswith("Asked for [−0.1, 0.1]; the grid covers [")
    stairs = [t for t in figures(at)["grid"]["data"] if t.get("yaxis") == "y2"][1]
    assert set(numbers(stairs["y"])) == set(np.float32(quantizer.levels()[0]))


def test_the_slider_writes_the_range(grid):
    at = grid()
    (slider,) = at.slider
    assert slider.min < sample(WEIGHT).min() and slider.max > sample(WEIGHT).max()
    well(slider.set_value((-0.05, 0.05)).run())
    assert at.number_input(key="grid_lo").value == -0.05
    assert at.number_input(key="grid_hi").value == 0.05
    assert ask(at, -9.0, 9.0).slider[0].value == (slider.min, slider.max)
    well(at.slider[0].set_value((-0.05, slider.max)).run())
    assert at.number_input(key="grid_hi").value == 9.0  # its handle was not dragged


def test_qparams_can_be_typed(grid):
    at = press(grid(signed="true"), "grid_by", "qparams")
    at.number_input(key="grid_scale").set_value(0.25)
    well(at.number_input(key="grid_zero").set_value(-3).run())
    assert (cards(at)["Step"].value, cards(at)["Step"].delta) == ("0.25", "zero point −3")
    levels = typed(0.25, -3, -128, 127).levels()[0]
    ends = [t for t in figures(at)["grid"]["data"] if t.get("yaxis") == "y5"]
    assert [(t["x"][0], t["x"][-1]) for t in ends] == [(levels[0], levels[-1])]
    well(at.number_input(key="grid_scale").set_value(-1.0).run())
    assert "A scale of -1 is no step size" in refusals(at)[0]
    assert at.number_input(key="grid_scale").value == -1.0  # the control stays


def test_a_range_upside_down(grid):
    at = ask(grid(), 1.0, -1.0)
    assert refusals(at) == ["The range runs from 1 down to -1. Exchange its ends."]
    assert not figures(at)
    ask(at, -1.0, 1.0)
    assert not refusals(at) and figures(at)


def test_ready_ranges(grid):
    at = grid(tensor="teaching::laplace", bits="4")
    before = float(cards(at)["SQNR"].value.removesuffix(" dB"))
    button(at, "Least error")
    assert float(cards(at)["SQNR"].value.removesuffix(" dB")) > before + 1
    button(at, "All values")
    assert cards(at)["Clipped"].value == "0 %"


def test_parts_of_the_picture(grid):
    at = grid()
    assert "256 levels are too close" in " ".join(words(c.value) for c in at.main.caption)
    press(at, "grid_part", "close")
    (window,) = [s for s in at.slider if s.label == "Lowest code in the picture"]
    well(window.set_value(100).run())
    codes = [t for t in figures(at)["grid"]["data"] if t.get("yaxis") == "y4"]
    assert sorted(c for t in codes for c in numbers(t["customdata"])) == list(range(100, 117))
    press(at, "grid_part", "all")
    lo, hi = figures(at)["grid"]["layout"]["xaxis"]["range"]
    assert lo < sample(WEIGHT).min() and hi > sample(WEIGHT).max()


def test_another_tensor_forgets_the_range(grid):
    at = ask(grid(), -0.01, 0.01)
    show_why(at, 5)
    press(at, "grid_show", "grid")
    choose(at, "teaching::relu")
    assert at.number_input(key="grid_lo").value is None
    assert cards(at)["Clipped"].value == "0 %"


def test_refusals_speak_of_what_was_chosen(grid):
    at = grid()
    well(at.selectbox(key="mode").set_value("mindspore.learned_scale@doc").run())
    assert refusals(at)[0].startswith("MS learned doc does not serve these codes: ")
    assert "Observer" not in refusals(at)[0]


def test_values_near_the_end_of_float32_are_drawn(open_app):
    x = np.float32([0.0, 1e38, 3e38, -3e38])
    at = upload(open_app(page="2_Grid.py"), "x.npy", npy(x))
    lo, hi = figures(at)["grid"]["layout"]["xaxis"]["range"]
    assert -3.41e38 < lo < -3.4e38 and 3.4e38 < hi < 3.41e38
    upload(at, "far.npy", npy(np.float64([0.0, 1e300])))
    told = " ".join(words(box.value) for box in at.info)
    assert "There is no picture of a range from 0 to 1e+300." in told and not figures(at)


def test_large_results_stand_in_the_table_as_text(open_app):
    x = np.float64([-300, 3e38, 1e-40])
    at = upload(open_app(page="2_Grid.py"), "x.npy", npy(x))
    show_why(at, 1)
    assert "3×10³⁸" in set(rules(at)["Result"])
    show_why(at, 2)
    assert "−10⁻⁴⁰" in set(rules(at)["Error"]) and "and within 0.01 step of it in 3" in heading(at)


def test_typed_qparams_say_that_the_mode_is_not_used(grid):
    at = grid()
    well(at.selectbox(key="mode").set_value("torch.affine").run())
    press(at, "grid_by", "qparams")
    said = "typed scale and zero point make a uniform grid, torch Affine has no say in it"
    assert said in caption(at)
    assert said in caption(show_why(at, 3))
    assert "no say" not in caption(press(at, "grid_by", "range"))


@pytest.mark.parametrize("name", QUANTIZERS)
def test_every_mode_in_both_views(grid, name):
    at = grid()
    well(at.selectbox(key="mode").set_value(name).run())
    reason = QUANTIZERS[name]().accepts(Target.of(mode=name))
    if reason:
        assert reason in refusals(at)[0]
        return
    assert figures(at)["grid"]["data"] and payload(at) < MOST
    show_why(at, 7)
    assert "comes back as" in heading(at) and len(rules(at)) > 10


def test_groups(grid):
    at = grid(tensor="teaching::mixed_weight_ranges", granularity="per_channel")
    x = sample("teaching::mixed_weight_ranges")
    (box,) = [n for n in at.number_input if n.label == "Group"]
    assert box.max == x.shape[0] - 1
    well(box.set_value(3).run())
    asked = [t for t in figures(at)["grid"]["data"] if t.get("yaxis") == "y5"][1]
    assert (asked["x"][0], asked["x"][-1]) == (x[3].min(), x[3].max())
    assert "group 3 of" in caption(at)
    show_why(at, 5 * x[0].size + 1)
    assert f"[−{abs(x[5].min()):.3g}"[:5] in caption(at)


@pytest.fixture(scope="module")
def odd():
    """A page on few strange values, the range [-0.5, 2.5] asked for."""
    x = np.float32([np.nan, np.inf, 0.0, TIE, 0.7, 3e38, 0.052, 1e-40])
    at = upload(started(), "odd.npy", npy(x))
    at = well(at.switch_page("pages/2_Grid.py").run())
    yield ask(at, -0.5, 2.5)
    at.session_state["folder"].cleanup()


@pytest.mark.parametrize(
    ("index", "says"),
    [
        (0, "Element 0 is NaN: "),
        (1, "Element 1 is infinite: "),
        (2, "Element 2 comes back as 0 in "),
        (3, "Element 3 is exactly half-way: "),
        (5, "Element 5 is clipped: 2.55×10⁴⁰ steps beyond the last level"),
    ],
)
def test_verdicts(odd, index, says):
    at = show_why(ask(odd, -0.5, 2.5), index)
    assert heading(at).startswith(says)
    assert ("grid-line" in figures(at)) == (index > 1)
    assert ("grid-ulps" in figures(at)) == (index in (2, 3))
    table = rules(at)
    assert len(table) > 15 and table["Rule"].str.startswith("● ").sum() == 1
    assert not table.isna().any(axis=None)
    by_rule = table.set_index(table["Rule"].str.removeprefix("● "))
    ways = by_rule["How it gets there"]
    assert ways["Uniform"] != ways["Uniform tie away"]


def test_ways_to_an_element(odd):
    at = show_why(ask(odd, -0.5, 2.5), 0)
    button(at, "Next tie")
    assert at.number_input(key="grid_index").value == 3
    button(at, "Largest error")
    assert at.number_input(key="grid_index").value == 5
    well(at.number_input(key="grid_value").set_value(0.69).run())
    assert at.number_input(key="grid_index").value == 4


def test_an_index_too_far_is_told_and_the_controls_stay(grid):
    at = grid(grid_show="Why this element?", grid_index="9999", grid_lo="-0.5")
    told = [words(box.value) for box in at.info]
    assert "There is no element 9,999: use 0 to 4,095." in told
    box = at.number_input(key="grid_index")
    assert (box.value, box.max) == (0, 4095) and heading(at).startswith("Element 0 ")
    assert {"Next tie", "Largest error"} <= {b.label for b in at.button}
    assert at.number_input(key="grid_lo").value == -0.5 and not refusals(at)


def test_no_tie_is_said(grid):
    at = show_why(grid())
    button(at, "Next tie")
    assert words(at.info[0].value) == "No way of dividing makes a tie among 4,096 elements."


@pytest.mark.parametrize(
    ("x", "says"),
    [
        (np.zeros((0, 3), np.float32), "no finite element"),
        (np.full(9, np.nan, np.float32), "no finite element"),
    ],
)
def test_nothing_to_quantize(open_app, x, says):
    at = upload(open_app(page="2_Grid.py"), "x.npy", npy(x))
    assert says in refusals(at)[0]
    press(at, "grid_show", "why")
    assert refusals(at)


@pytest.mark.parametrize(
    "x",
    [
        np.full((4, 4), 2.0, np.float32),
        np.zeros(5, np.float32),
        np.array(3.5, np.float32),
        np.arange(-100, 100, dtype=np.int8),
        noise(1, 6, 7).astype(np.float16),
        noise(2, 50).astype(np.float64) * 1e-60,
        np.float32([1e-44, -2e-44]),
        np.float32([3e38, -3e38]),
        np.float64([1e300, -1e200]),
        np.asfortranarray(noise(3, 8, 9)),
    ],
    ids=["constant", "zeros", "one", "int8", "half", "tiny", "subnormal", "huge", "beyond", "F"],
)
def test_odd_tensors_open_in_both_views(open_app, x):
    at = upload(open_app(page="2_Grid.py"), "x.npy", npy(x))
    assert heading(at) and len(at.metric) == 6
    for part in ("all", "close"):
        if not any("no picture" in box.value for box in at.info):
            press(at, "grid_part", part)
    show_why(at, x.size - 1)
    assert heading(at).startswith(f"Element {x.size - 1}")


def test_what_travels_stays_small(grid):
    at = grid(tensor="synthetic::student_t")
    assert 5_000 < payload(at) < 80_000
    assert cards(at)["SQNR"].value.startswith("≈ ")
    well(at.toggle(key="grid_exact").set_value(True).run())
    assert cards(at)["SQNR"].delta == "exact"
    assert payload(show_why(at)) < 60_000


def test_both_themes(grid):
    at = grid()
    light = figures(at)["grid"]
    at.context["theme"] = "dark"
    dark = figures(well(at.run()))["grid"]
    assert light["layout"]["font"]["color"] != dark["layout"]["font"]["color"]
