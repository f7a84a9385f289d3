"""The Channels page: every control, every state, every rule, and a channel opened as a tensor."""

import re

import numpy as np
import pytest

from qviz.observers.base import OBSERVERS
from qviz.pipeline.channel_map import channel_map
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import QuantSpec
from qviz.stats.stream import Stream
from qviz.transforms import TRANSFORMS
from tests.app.reading import (
    caption,
    choose,
    figures,
    heading,
    noise,
    npy,
    npz,
    numbers,
    payload,
    press,
    sample,
    upload,
    well,
    words,
)

LOUD = "teaching::outlier_channel"
WEIGHT = "synthetic::loud_channel_weight"
SYMMETRIC = {"signed": "true", "symmetric": "true"}
PANELS = ("granularity", "clipping", "transforms", "lists")
TARGET = Target.of(QuantSpec(8, signed=True, symmetric=True))


@pytest.fixture
def open_page(open_app):
    """Open the page: ``open_page(tensor=..., bits="4")``."""

    return lambda **query: open_app(page="6_Channels.py", **query)


def infos(at):
    return words(" ".join(box.value for box in at.main.info))


def frame(at, column):
    """The one table on the page with this column."""
    (found,) = [d.value for d in at.dataframe if column in d.value.columns]
    return found


def dots(at):
    """dB of each channel under the shared step, by channel."""
    trace = figures(at)["channels-dots"]["data"][-1]
    return dict(
        zip(numbers(trace["customdata"]).tolist(), numbers(trace["x"]).tolist(), strict=True)
    )


def gains(at):
    """The line of granularities."""
    (line,) = [words(c.value) for c in at.main.caption if c.value.startswith("dB ")]
    return dict(re.findall(r"([a-z][a-z0-9 ]*?) \*\*([\d.]+)\*\*", line.removeprefix("dB ")))


def test_the_loud_channel_at_first_sight(open_page):
    at = open_page(tensor=LOUD, **SYMMETRIC)
    assert heading(at).startswith("Channel 7 sets the step: 63 of 64 channels fall below 20 dB")
    assert "per token, 43 still do" in heading(at)
    assert (
        "Overall 25.8 dB per tensor hides this: the other 63 get 8.2 dB and use 7 codes"
        in caption(at)
    )
    assert gains(at) == {
        "tensor": "25.8",
        "token": "35.2",
        "groups of 32": "38.4",
        "channel": "43.7",
    }
    found = channel_map(Stream.of(sample(LOUD)), 1, OBSERVERS.make("absmax"), TARGET)
    shown = dots(at)
    assert len(shown) == 64
    for channel, value in shown.items():
        assert value == pytest.approx(found.shared.sqnr[int(channel)], abs=1e-4)
    assert payload(at) < 120_000


def test_the_page_without_a_choice_starts_with_the_loud_channel(open_page):
    assert heading(open_page()).startswith("Channel 7 sets the step")


def test_a_percentile_loses_the_loud_channel_instead(open_page):
    at = open_page(tensor=LOUD, **SYMMETRIC)
    at = well(at.selectbox(key="channels_rule").set_value("percentile").run())
    (knob,) = [n for n in at.number_input if n.key == "channels_knob-percentile-keep"]
    at = well(knob.set_value(99.0).run())
    assert heading(at).startswith("Channel 7 is clipped: 1 of 64 channels falls below 20 dB")
    assert "Overall 3.6 dB" in caption(at) and "24.0 dB" in caption(at)
    at = press(at, "channels_panel", "clipping")
    text = words(" ".join(m.value for m in at.main.markdown))
    assert "82 elements are clipped, 1 % of all; with them goes 43.9 % of" in text
    assert "channels-clipping-0" in figures(at) and "channels-clipping-1" in figures(at)
    notes = words(" ".join(c.value for c in at.main.caption))
    assert "Axis 1: index 7 of 64 holds 100 % of the clipped energy in 82 of 82" in notes


def test_nothing_clipped_says_so(open_page):
    at = press(open_page(tensor=LOUD, **SYMMETRIC), "channels_panel", "clipping")
    assert "Nothing is clipped" in infos(at)


def test_granularities_say_what_can_be_deployed(open_page):
    at = press(open_page(tensor=LOUD, **SYMMETRIC), "channels_panel", "granularity")
    assert "is for analysis" in infos(at) and "a step per token" in infos(at)
    costs = frame(at, "Ranges").set_index("Granularity")
    assert costs.loc["per token", "Ranges"] == 128 and costs.loc["per token", "Bytes"] == 512
    assert costs.loc["per channel (analysis)", "Deployed"] == "no: analysis"
    assert any("Groups of 128 do not divide" in words(c.value) for c in at.main.caption)


def test_a_weight_may_have_a_step_for_each_channel(open_page):
    at = press(open_page(tensor="teaching::mixed_weight_ranges"), "channels_panel", "granularity")
    assert "for analysis" not in infos(at)
    names = frame(at, "Ranges")["Granularity"].tolist()
    assert names[:2] == ["per tensor", "per channel"] and "per token" not in names
    assert "per channel, none does" in heading(at)


def test_transforms_with_and_without_the_other_operand(open_page):
    at = open_page(tensor=LOUD, narrow_range="true", **SYMMETRIC)
    at = press(at, "channels_panel", "transforms")
    table = frame(at, "Transform").set_index("Transform")
    assert table.loc["Per token", "Tensor dB"] == pytest.approx(35.24, abs=0.01)
    assert np.isnan(table.loc["Moved factor", "Tensor dB"])
    assert any("needs the weight" in words(c.value) for c in at.main.caption)
    (other,) = [s for s in at.selectbox if s.label == "Multiplied with"]
    at = well(other.set_value(f"{WEIGHT}|0").run())
    table = frame(at, "Transform").set_index("Transform")
    shown = table["Product dB"].round(1).to_dict()
    assert (shown["As it is"], shown["Per token"], shown["Moved factor"]) == (32.5, 40.7, 40.2)


def test_two_weights_can_be_equalized(open_page):
    at = press(open_page(tensor=WEIGHT), "channels_panel", "transforms")
    titles = set(frame(at, "Transform")["Transform"])
    assert "Cross-layer equalization" in titles and "Moved factor" not in titles
    assert all(TRANSFORMS.entry(name).title for name in TRANSFORMS)


def test_a_channel_opens_as_a_tensor_and_back(open_page):
    at = open_page(tensor=LOUD, **SYMMETRIC)
    (number,) = [n for n in at.number_input if n.label == "Channel"]
    at = well(number.set_value(7).run())
    (button,) = [b for b in at.button if b.label == "Open channel 7 as a tensor"]
    at = well(button.click().run())
    assert at.selectbox(key="tensor").value == "One loud channel, channel 7"
    assert "tensor" not in at.query_params
    assert "One loud channel, channel 7, 128" in caption(at)
    assert any("taken as groups instead" in words(c.value) for c in at.main.caption)
    (back,) = [b for b in at.button if b.label == "Back to the whole tensor"]
    at = well(back.click().run())
    assert at.selectbox(key="tensor").value == LOUD
    assert heading(at).startswith("Channel 7 sets the step")


def test_axis_sort_threshold_and_filter(open_page):
    at = open_page(tensor=LOUD, **SYMMETRIC)
    (axis,) = [s for s in at.segmented_control if s.label == "Channel axis"]
    at = well(axis.set_value(0).run())
    assert "channels along axis 0" in caption(at)
    assert any("Axis 1 spreads more" in words(c.value) for c in at.main.caption)
    (axis,) = [s for s in at.segmented_control if s.label == "Channel axis"]
    at = well(axis.set_value(1).run())
    for sort, first in (("range", 7), ("index", 0), ("error", 7)):
        at = press(at, "channels_sort", sort)
        assert next(iter(dots(at))) == first
    at = well(at.slider(key="channels_threshold").set_value(5).run())
    assert heading(at).startswith("Channel 7 sets the step, yet none falls below 5 dB")
    at = well(at.text_input(key="channels_only").set_value("0-3, 9").run())
    assert sorted(dots(at)) == [0, 1, 2, 3, 9]
    at = well(at.toggle(key="channels_low").set_value(True).run())
    assert "No channel lies below 5 dB" in infos(at)
    at = well(at.text_input(key="channels_only").set_value("x").run())
    assert "names no channel" in infos(at)


def test_a_filter_that_leaves_nothing_keeps_the_page_and_can_be_taken_off(open_page):
    at = open_page(tensor=LOUD, channels_low="true", channels_threshold="0", **SYMMETRIC)
    assert "No channel lies below 0 dB" in infos(at)
    assert len(frame(at, "Codes used")) == 64  # the panels stay
    press(at, "channels_panel", "granularity")
    (button,) = [b for b in at.button if b.label == "Take off the filter"]
    at = well(button.click().run())
    assert len(dots(at)) == 64 and not at.toggle(key="channels_low").value
    at = well(at.text_input(key="channels_only").set_value("9999").run())
    assert "They are 0 to 63." in infos(at) and len(dots(at)) == 64
    at = well(at.text_input(key="channels_only").set_value("5-3").run())
    assert sorted(dots(at)) == [3, 4, 5]


def test_dead_channels_stay_below_the_threshold(open_page):
    at = open_page(tensor="teaching::dead_channel", channels_low="true")
    assert sorted(dots(at)) == [0, 1]  # one is all 0, one comes back as 0


def test_a_channel_of_nan_is_not_called_dead(open_page):
    x = noise(4, 4, 64)
    x[1], x[3] = np.nan, 0
    at = upload(open_page(), "gone.npy", npy(x))
    assert "1 channel is dead. 1 channel has no finite value." in caption(at)
    table = frame(at, "Codes used").set_index("Channel")
    assert table["Note"][[1, 3]].tolist() == ["no finite value", "dead"]
    assert np.isnan(float(table["Codes used"].astype(float)[1]))
    (number,) = [n for n in at.number_input if n.label == "Channel"]
    at = well(number.set_value(1).run())
    assert any("no finite value: 64 elements" in words(m.value) for m in at.main.markdown)


def test_the_address_holds_axis_rule_and_picked_channel(open_page):
    at = open_page(
        tensor=LOUD, channels_axis="0", channels_rule="percentile:keep=99", channels_pick="5",
        **SYMMETRIC,
    )  # fmt: skip
    assert "channels along axis 0" in caption(at) and "Percentile 99" in caption(at)
    (number,) = [n for n in at.number_input if n.label == "Channel"]
    assert number.value == 5
    (knob,) = [n for n in at.number_input if n.key == "channels_knob-percentile-keep"]
    at = well(knob.set_value(98.0).run())
    (axis,) = [s for s in at.segmented_control if s.label == "Channel axis"]
    at = well(axis.set_value(1).run())
    asked = {name: at.query_params.get(name) for name in ("channels_rule", "channels_axis")}
    assert asked == {"channels_rule": "percentile:keep=98", "channels_axis": None}


def test_the_address_holds_a_transform_and_what_it_is_multiplied_with(open_page):
    query = {"channels_operand": f"{WEIGHT}|0", "channels_moved_factor": "moved_factor:alpha=0.75"}
    at = open_page(tensor=LOUD, channels_panel="Transforms", **SYMMETRIC, **query)
    (other,) = [s for s in at.selectbox if s.label == "Multiplied with"]
    assert other.value == f"{WEIGHT}|0"
    alpha = [w.value for w in (*at.slider, *at.number_input) if w.label == "alpha"]
    assert alpha == [0.75]
    assert {name: at.query_params[name] for name in query} == query


def test_a_private_tensor_leaves_nothing_of_it_in_the_address(open_page):
    at = upload(open_page(channels_axis="0", channels_pick="3"), "mine.npy", npy(noise(0, 8, 8)))
    (axis,) = [s for s in at.segmented_control if s.label == "Channel axis"]
    at = well(axis.set_value(1).run())
    (number,) = [n for n in at.number_input if n.label == "Channel"]
    at = well(number.set_value(2).run())
    assert {"channels_axis", "channels_pick", "tensor"}.isdisjoint(at.query_params)


def test_nothing_is_ringed_until_a_channel_is_picked(open_page):
    at = press(open_page(tensor=LOUD, **SYMMETRIC), "channels_sort", "index")
    assert "chosen" not in [t["name"] for t in figures(at)["channels-dots"]["data"]]
    (number,) = [n for n in at.number_input if n.label == "Channel"]
    at = well(number.set_value(9).run())
    assert "chosen" in [t["name"] for t in figures(at)["channels-dots"]["data"]]


def test_the_chosen_size_of_groups_is_among_the_gains(open_page):
    at = upload(open_page(channels_threshold="1"), "row.npy", npy(noise(3, 128)))
    (size,) = [s for s in at.segmented_control if s.label == "Group size"]
    at = well(size.set_value(16).run())
    assert "groups of 16" in gains(at)
    title = figures(at)["channels-dots"]["layout"]["xaxis"]["title"]["text"]
    assert title == "SQNR of the group in dB"


def test_many_channels_are_brought_together_then_zoomed(open_page):
    at = upload(open_page(), "wide.npy", npy(noise(0, 3000, 8)))
    assert len(dots(at)) == 128
    (zoom,) = [s for s in at.slider if s.label.startswith("Zoom")]
    assert "3,000 channels in 128 rows" in zoom.label
    at = well(zoom.set_value((1, 100)).run())
    assert len(dots(at)) == 100


@pytest.mark.parametrize("name", OBSERVERS)
def test_every_rule_can_be_chosen(open_page, name):
    at = open_page(
        tensor="digits_cnn.safetensors::conv1.weight", channels_rule=OBSERVERS.entry(name).title
    )
    at = well(at.selectbox(key="channels_rule").set_value(name).run())
    assert [m for m in at.main.markdown if m.value.startswith("### ")] or at.main.error


@pytest.mark.parametrize("name", QUANTIZERS)
def test_every_mode_can_be_chosen(open_page, name):
    at = open_page(tensor="digits_cnn.safetensors::conv1.weight")
    at = well(at.selectbox(key="mode").set_value(name).run())
    assert [m for m in at.main.markdown if m.value.startswith("### ")] or at.main.error


ODD = {
    "vector": (noise(1, 64), "group"),
    "prime": (noise(1, 61), "no group size divides 61"),
    "scalar": (np.float32(3), "A single value has no channels"),
    "empty": (np.ones((0, 4), np.float32), "There is no element"),
    "nan": (np.full((4, 4), np.nan, np.float32), "no finite element"),
    "zeros": (np.zeros((4, 4), np.float32), "Every channel is dead"),
    "constant": (np.full((4, 4), 2, np.float32), "Every channel comes back exactly"),
    "integers": (np.arange(64).reshape(8, 8), "channel"),
    "one": (np.ones((1, 1), np.float32), "comes back exactly"),
    "flat": (noise(1, 5, 1), "channel"),
    "huge": (noise(1, 8, 8) * np.float32(1e37), "channel"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tensors_each_get_a_sentence(open_page, name):
    x, sentence = ODD[name]
    at = upload(open_page(), "odd.npz", npz(x=x, other=noise(2, 4, 4)))
    at = choose(at, "odd.npz::x")
    boxes = [*at.main.info, *at.main.error, *at.main.markdown, *at.main.caption]
    assert sentence in words(" ".join(box.value for box in boxes))
    for panel in PANELS if [s for s in at.segmented_control if s.key == "channels_panel"] else ():
        press(at, "channels_panel", panel)


@pytest.mark.parametrize("bits", [2, 3, 4, 6, 8])
@pytest.mark.parametrize("tensor", ["teaching::dead_channel", "ppocr_acts", "teaching::non_finite"])
def test_every_width(open_page, tensor, bits):
    at = open_page(tensor=tensor, bits=str(bits))
    assert heading(at) and len(dots(at)) in (16, 32, 64)
