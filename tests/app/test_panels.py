"""What can be shown below the picture, and how much of it travels to the browser."""

import numpy as np
import pytest

from qviz.metrics.base import overall
from qviz.metrics.reading import read
from qviz.observers.base import OBSERVERS
from qviz.observers.selection import default_observers, select
from qviz.quantizers.base import Target
from qviz.spec import QuantSpec
from qviz.ui import panels
from tests.app.reading import (
    choose,
    expected,
    figures,
    noise,
    npy,
    numbers,
    payload,
    press,
    sample,
    table,
    upload,
    well,
    words,
)

WEIGHT, BATCHES = "teaching::gaussian", "teaching::drifting_batches"
MOST = 350_000  # bytes of charts in one rerun


def button(at, label):
    (found,) = [b for b in at.button if b.label == label]
    return found


def sqnr(row):
    return read("sqnr", overall(row.totals))[0].value


def test_bits_curve(open_app):
    at = open_app(tensor=WEIGHT, bits="4", show=["absmax", "minmax"])
    press(at, "panel", "bits")
    drawn = {tuple(numbers(t["y"])) for t in figures(at)["bits-curve"]["data"] if len(t["x"]) > 2}
    for name in ("absmax", "minmax"):
        made = [OBSERVERS.make(name)]
        rows = [
            expected(sample(WEIGHT), Target.of(QuantSpec(bits)), observers=made).rows[0]
            for bits in panels.WIDTHS
        ]
        assert tuple(map(sqnr, rows)) in drawn


def test_why_this_range(open_app):
    at = open_app(tensor=WEIGHT, show=["mse", "minmax"])
    press(at, "panel", "why")
    assert set(figures(at)) == {"ranges", "why-mse"}
    (row,) = expected(sample(WEIGHT), observers=[OBSERVERS.make("mse")]).rows
    marked = np.concatenate([numbers(t["x"]) for t in figures(at)["why-mse"]["data"]])
    ends = np.abs([row.range.lo[0], row.range.hi[0]])
    assert np.isclose(marked, ends[0], rtol=1e-6).any() or np.isclose(marked, ends[1]).any()


def test_nothing_was_weighed(open_app):
    at = press(open_app(tensor=WEIGHT, show="minmax"), "panel", "why")
    assert set(figures(at)) == {"ranges"}
    assert "weigh nothing" in at.info[0].value


@pytest.mark.parametrize("name", OBSERVERS)
def test_why_of_every_observer(open_app, name):
    spelling = OBSERVERS.spell(OBSERVERS[name]())
    at = press(open_app(tensor=WEIGHT, add=spelling, show=spelling), "panel", "why")
    assert f"why-{spelling}" in figures(at) or at.info


def test_why_of_groups_in_several_reads(open_app):
    at = upload(open_app(), "w.npy", npy(noise(5, 4, 300_000)))
    at = press(at, "panel", "why")
    at = well(at.selectbox(key="granularity").set_value("per_channel").run())
    assert any("Several groups" in box.value for box in at.info)
    assert set(figures(at)) == {"ranges"}


def test_batch_by_batch(open_app):
    at = open_app(tensor=BATCHES, show="moving_average")
    press(at, "panel", "batches")
    x = sample(BATCHES)
    lows, highs = [], []
    for count in range(1, len(x) + 1):
        rows = expected(x[:count], observers=[OBSERVERS.make("moving_average")], batch_axis=0).rows
        lows.append(rows[0].range.lo[0])
        highs.append(rows[0].range.hi[0])
    drawn = [numbers(t["y"]) for t in figures(at)["batch-curve"]["data"]]
    for ends in (lows, highs):
        assert any(y.size == 12 and np.allclose(y, ends, rtol=1e-6) for y in drawn)


def test_batch_by_batch_follows_one_range_only(open_app):
    at = press(open_app(tensor=BATCHES), "panel", "batches")
    at = well(at.selectbox(key="granularity").set_value("per_token").run())
    assert "choose per tensor" in at.info[-1].value
    assert set(figures(at)) == {"ranges"}


def test_a_tensor_without_batches_has_no_batch_panel(open_app):
    assert "Batch by batch" not in open_app(tensor=WEIGHT).segmented_control(key="panel").options
    with_batches = open_app(tensor=BATCHES).segmented_control(key="panel").options
    assert "Batch by batch" in with_batches


def test_the_batch_panel_survives_a_tensor_without_batches(open_app):
    at = press(open_app(tensor=BATCHES), "panel", "batches")
    choose(at, WEIGHT)
    assert "SQNR dB" in table(at)


def test_pins_and_their_difference(open_app):
    at = press(open_app(tensor=WEIGHT, show="minmax"), "panel", "pins")
    assert at.selectbox(key="pin_row").value == "minmax"
    well(button(at, "Pin A").click().run())
    press(at, "bits", 4)
    well(button(at, "Pin B").click().run())
    one = [OBSERVERS.make("minmax")]
    a, b = (
        sqnr(expected(sample(WEIGHT), Target.of(QuantSpec(n)), observers=one).rows[0])
        for n in (8, 4)
    )
    verdict = words(at.main.markdown[-1].value)
    assert verdict.startswith(f"**A is better by {a - b:.1f} dB**")
    shown = next(d.value for d in at.dataframe if "A" in d.value.columns).set_index("")
    assert shown.loc["SQNR"].tolist() == [f"{a:.1f} dB", f"{b:.1f} dB"]
    assert shown.loc["Scheme", "A"].startswith("8-bit")
    assert shown.loc["Scheme", "B"].startswith("4-bit")


def test_one_pin_against_itself(open_app):
    at = press(open_app(tensor=WEIGHT), "panel", "pins")
    for label in ("Pin A", "Pin B"):
        well(button(at, label).click().run())
    assert "A and B are alike" in at.main.markdown[-1].value


def test_pins_outlive_another_tensor_and_panel(open_app):
    at = press(open_app(tensor=WEIGHT), "panel", "pins")
    well(button(at, "Pin A").click().run())
    press(at, "panel", "table")
    choose(at, BATCHES)
    press(at, "panel", "pins")
    shown = next(d.value for d in at.dataframe if "A" in d.value.columns).set_index("")
    assert shown.loc["Tensor", "A"] == "Gaussian weights"


def test_a_variant_follows_its_sliders_and_can_be_kept(open_app):
    at = open_app(tensor=WEIGHT)
    well(at.selectbox(key="rule").set_value("sigma").run())
    well(at.slider(key="knob-sigma-k").set_value(5.0).run())
    live = "Sigma k 5"
    assert live in table(at).index
    well(button(at, "Add a variant").click().run())
    assert at.query_params["add"] == "sigma:k=5"
    assert "sigma:k=5" in at.multiselect(key="show").value
    well(at.slider(key="knob-sigma-k").set_value(6.0).run())
    assert live in table(at).index
    well(button(at, "Remove added rows").click().run())
    assert live not in table(at).index and "add" not in at.query_params


def test_the_observers_of_a_framework_can_be_listed(open_app):
    at = open_app(tensor=WEIGHT, sets="torch")
    wanted = {OBSERVERS.title_of(o) for o in select("torch.*")}
    assert wanted and wanted <= set(table(at).index)


def test_every_element_can_be_counted(open_app):
    at = open_app(tensor="synthetic::student_t")
    assert set(table(at)["Numbers"]) == {"sketch"}
    at = well(at.toggle(key="exact").set_value(True).run())
    assert set(table(at)["Numbers"]) == {"exact"}


def test_views(open_app):
    at = open_app(tensor="synthetic::student_t")
    full = figures(at)["ranges"]["layout"]["xaxis"]["range"]
    press(at, "view", "body")
    body = figures(at)["ranges"]["layout"]["xaxis"]["range"]
    assert full[0] < body[0] < body[1] < full[1]


@pytest.mark.parametrize("panel", panels.PANELS)
def test_what_travels_stays_small(open_app, panel):
    frameworks = sorted({n.split(".")[0] for n in OBSERVERS if "." in n})
    at = open_app(tensor=BATCHES, sets=frameworks, show=["mse", "percentile", "entropy", "shrink"])
    press(at, "panel", panel)
    assert len(table(at) if panel == "table" else default_observers()) > 10
    assert 5_000 < payload(at) <= MOST


def test_a_picture_of_each_theme(open_app):
    at = open_app(tensor=WEIGHT)
    light = figures(at)["ranges"]
    at.context["theme"] = "dark"
    dark = figures(well(at.run()))["ranges"]
    assert light["layout"]["font"]["color"] != dark["layout"]["font"]["color"]
    for one, other in zip(light["data"], dark["data"], strict=True):
        assert one.get("x") == other.get("x")
