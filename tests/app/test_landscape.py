"""The landscape view: its numbers, its words, every control, every mode, what it cannot show."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from qviz.metrics.base import overall
from qviz.metrics.reading import read
from qviz.observers.manual import ManualObserver
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import QuantSpec
from tests.app.reading import (
    APP,
    caption,
    expected,
    figures,
    heading,
    noise,
    npy,
    numbers,
    payload,
    press,
    sample,
    table,
    upload,
    well,
)

WEIGHT, RELU = "teaching::gaussian", "teaching::relu"
FEW = "teaching::mixed_weight_ranges"


@pytest.fixture
def landscape():
    """Open the view: ``landscape(tensor=..., bits="4")``; its files go at the end."""
    sessions = []

    def opening(**query):
        at = AppTest.from_file(APP, default_timeout=60)
        at.query_params.update({"observers_view": "Landscape"} | query)
        sessions.append(at.switch_page("pages/1_Observers.py").run())
        return well(at)

    yield opening
    for at in sessions:
        folder = at.session_state["folder"] if "folder" in at.session_state else None
        if folder is not None:
            folder.cleanup()


def cards(at):
    return {card.label: card.value for card in at.metric}


def sliders(at):
    return [s for s in at.select_slider if s.label.startswith("Move the")]


def dots(figure):
    """Heights of the dots on the hill, by spelling."""
    trace = next(t for t in figure["data"] if "customdata" in t)
    return dict(zip(trace["customdata"], numbers(trace["y"]), strict=True))


def metric(row, name):
    return read(name, overall(row.totals))[0].value


def test_the_hill_of_symmetric_codes(landscape):
    at = landscape(tensor=WEIGHT, bits="4", symmetric="true")
    target = Target.of(QuantSpec(4, symmetric=True))
    rows = {row.spelling: row for row in expected(sample(WEIGHT), target, channel_axis=0).rows}
    shown = dots(figures(at)["landscape"])
    assert set(shown) == set(rows)
    for spelling, value in shown.items():
        assert value == metric(rows[spelling], "sqnr")
    assert heading(at).startswith("Keep ±")
    assert "within half a decibel" in caption(at)
    assert caption(at).endswith("Numbers are exact.")
    assert table(at).loc["MinMax", "SQNR dB"] == metric(rows["minmax"], "sqnr")


def test_moving_the_clip_shows_what_it_costs(landscape):
    at = landscape(tensor=WEIGHT, bits="4", symmetric="true")
    (slider,) = sliders(at)
    for place in (10, 90, 120):
        clip = slider.options[place].removeprefix("±")
        well(slider.set_value(float(clip)).run())
        (row,) = expected(
            sample(WEIGHT),
            Target.of(QuantSpec(4, symmetric=True)),
            observers=[ManualObserver(-float(clip), float(clip))],
        ).rows
        now = cards(at)
        assert now["You keep"] == f"±{clip}"
        assert now["SQNR"] == f"{metric(row, 'sqnr'):.1f} dB".replace("-", "−")
        share = metric(row, "clipped_share")
        assert now["Clipped"] == ("0 %" if not share else f"{100 * share:.3g} %")
        you = figures(at)["landscape"]["data"][-1]
        assert numbers(you["y"]).tolist() == [metric(row, "sqnr")]


def test_the_field_of_affine_codes(landscape):
    at = landscape(bits="4")
    assert set(figures(at)) == {"landscape-wide", "landscape-narrow"}
    wide = figures(at)["landscape-wide"]
    names = [note["text"] for note in wide["layout"]["annotations"]]
    assert any("Moving average · " in name for name in names)
    few = figures(at)["landscape-narrow"]["layout"]["annotations"]
    assert len(few) < len(names)
    assert "approximate" in caption(at)
    assert max(len(c.proto.spec) for c in at.get("plotly_chart")) < 83_000
    assert payload(at) < 200_000
    lower, _ = sliders(at)
    well(lower.set_value(float(lower.options[40].replace("−", ""))).run())
    assert cards(at)["You keep"].startswith(f"[{lower.options[40]}, ")
    assert cards(at)["SQNR"].startswith("≈ ")
    assert len(figures(at)["landscape-wide"]["data"]) == len(wide["data"])


def test_one_sided_tensors_have_a_hill_over_their_upper_bound(landscape):
    at = landscape(tensor=RELU)
    assert caption(at).startswith("All values lie on one side of 0, so only the far bound moves.")
    title = figures(at)["landscape"]["layout"]["xaxis"]["title"]["text"]
    assert title.startswith("upper bound kept")
    assert cards(at)["You keep"].startswith("[0, ")


def test_negative_tensors_have_a_hill_over_their_lower_bound(landscape):
    at = upload(landscape(), "below.npy", npy(-np.abs(noise(3, 40, 30))))
    title = figures(at)["landscape"]["layout"]["xaxis"]["title"]["text"]
    assert title.startswith("lower bound kept")
    assert cards(at)["You keep"].endswith(", 0]")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (np.full((4, 5), 2, np.float32), "all values are the same"),
        (np.zeros(7, np.float32), "all values are the same"),
        (np.full(6, np.nan, np.float32), "no finite value"),
        (np.array([-1e200, 3e199, 1.0]), "beyond float32"),
        (np.float32(3.5), "all values are the same"),
    ],
    ids=["constant", "zero", "nan", "huge", "single"],
)
def test_words_in_place_of_a_picture(landscape, content, words):
    at = upload(landscape(), "odd.npy", npy(content))
    assert any(words in box.value for box in at.info)
    assert figures(at) == {}
    assert heading(at)


@pytest.mark.parametrize("symmetric", ["false", "true"])
@pytest.mark.parametrize(
    "content",
    [
        np.arange(-20, 21, dtype=np.int8).reshape(1, 41),
        np.array([np.nan, -1, 2, np.inf, 3], np.float32),
        np.array([-1e-30, 2e-30, 3e-30], np.float32),
        np.array([-1e30, 2e30, 3e37], np.float32),
        np.array([-5.0, 1e-6]),
    ],
    ids=["int8", "non-finite", "tiny", "large", "lopsided"],
)
def test_odd_tensors_have_a_picture(landscape, content, symmetric):
    at = upload(landscape(symmetric=symmetric, bits="6"), "odd.npy", npy(content))
    assert heading(at).startswith("Keep ")
    assert figures(at)


def test_every_value_a_level(landscape):
    x = np.arange(-8, 8, dtype=np.float32).repeat(50)
    at = upload(landscape(bits="4"), "levels.npy", npy(x))
    assert heading(at) == "Keep [−8, 7]: nothing is lost"


@pytest.mark.parametrize("name", QUANTIZERS)
def test_every_mode_has_a_landscape_or_says_why_not(landscape, name):
    at = landscape(tensor=FEW)
    well(at.selectbox(key="mode").set_value(name).run())
    refused = Target.of(mode=name).mode.accepts(Target.of(mode=name))
    if refused:
        assert any("no observer serves" in box.value for box in at.info)
    else:
        assert heading(at).startswith("Keep ")
        assert "landscape-wide" in figures(at)


def test_several_ranges_are_shown_as_one_and_said(landscape):
    at = well(landscape(tensor=WEIGHT).selectbox(key="granularity").set_value("per_channel").run())
    assert any("per tensor" in box.value for box in at.info)
    assert "per channel" not in caption(at)
    press(at, "observers_view", "ranges")
    assert "per channel" in caption(at)


def test_counting_every_element_is_exact(landscape):
    at = well(landscape(bits="4").toggle(key="exact").set_value(True).run())
    assert caption(at).endswith("the numbers of the dots are exact.")
    assert not cards(at)["SQNR"].startswith("≈")


def test_highlights_follow_the_chips(landscape):
    at = landscape(tensor=WEIGHT, symmetric="true", show=["absmax"])
    said = [n["text"] for n in figures(at)["landscape"]["layout"]["annotations"]]
    assert "<b>AbsMax</b>" in said
    assert "<b>MinMax</b>" not in said


def test_heading_and_caption_name_the_same_region(landscape):
    at = landscape(tensor="teaching::narrow_far")
    assert heading(at).startswith("Keep [0, 1,004]: 60.7 dB")
    assert "No stretch is flat" in caption(at) and "1,363" not in caption(at)


def test_the_range_moved_by_hand_is_in_the_address_of_samples_only(landscape):
    at = landscape(tensor=WEIGHT, bits="4", symmetric="true")
    (slider,) = sliders(at)
    there = slider.options[30].removeprefix("±")
    assert "landscape_clip" not in at.query_params
    well(slider.set_value(float(there)).run())
    assert float(at.query_params["landscape_clip"]) == float(there)
    again = landscape(
        tensor=WEIGHT, bits="4", symmetric="true", landscape_clip=at.query_params["landscape_clip"]
    )
    assert cards(again)["You keep"] == f"±{there}"
    own = upload(again, "own.npy", npy(noise(3, 40, 30)))
    assert "landscape_clip" not in own.query_params


def test_both_views_are_one_press_apart(landscape):
    at = landscape(tensor=WEIGHT, observers_view="Ranges")
    assert set(figures(at)) == {"ranges"}
    press(at, "observers_view", "landscape")
    assert set(figures(at)) == {"landscape-wide", "landscape-narrow"}
    press(at, "observers_view", "ranges")
    assert set(figures(at)) == {"ranges"}
