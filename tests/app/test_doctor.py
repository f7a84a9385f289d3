"""The Doctor page: findings, pictures, repairs that are applied, and a whole file."""

import json
import re

import numpy as np
import pytest

from qviz.doctor import RULES, Case, examine
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec
from tests.app.reading import (
    caption,
    choose,
    figures,
    heading,
    noise,
    npz,
    numbers,
    payload,
    press,
    sample,
    started,
    upload,
    well,
    words,
)
from tests.app.test_hostile_names import hostile, read_as_markup
from tests.app.test_layers import settled

LOUD, MIXED = "teaching::outlier_channel", "teaching::mixed_weight_ranges"
SYMMETRIC = {"signed": "true", "symmetric": "true"}
TWIN = "digits_cnn_rescaled.safetensors::depthwise.weight"


@pytest.fixture
def open_page(open_app):
    """Open the page: ``open_page(tensor=..., bits="4")``."""
    return lambda **query: open_app(page="8_Doctor.py", **query)


def cards(at):
    """Badge and rule of each card, in their order."""
    found = [m.value for m in at.main.markdown if "-badge[" in m.value]
    return [(m.partition("badge[")[2].partition("]")[0], m.split("**")[1]) for m in found]


def said(at):
    """All text of the page's main part."""
    boxes = [*at.main.markdown, *at.main.caption, *at.main.info, *at.main.error]
    return words(" ".join(box.value for box in boxes))


def click(at, key):
    """Press a button."""
    return well(at.button(key=key).click().run())


def test_the_loud_channel_at_first_sight(open_page):
    at = open_page(bits="4", **SYMMETRIC)
    assert heading(at) == "Channel 7 forces the step: the other 63 channels become 0"
    assert "128 × 64; 4-bit signed symmetric, MinMax" in caption(at)
    assert cards(at)[0][1] == "OUTLIER-CHANNEL"
    (bars,) = figures(at)["doctor-picture"]["data"]
    amax = np.abs(sample(LOUD)).max(axis=0)
    assert bars["base"] + numbers(bars["x"])[0] == pytest.approx(amax[7])
    names = figures(at)["doctor-picture"]["layout"]["yaxis"]["ticktext"]
    assert names[0] == "channel 7" and len(names) == 10
    assert "+1.6 dB for the quiet channels when repaired" in said(at)
    assert "Tried and not offered, no gain: keep 99.99 % of the values" in said(at)
    assert payload(at) < 40_000


def test_nothing_wrong_says_what_was_looked_at(open_page):
    at = open_page(tensor="teaching::gaussian", **SYMMETRIC)
    looked = len(RULES)
    assert heading(at) == f"Nothing wrong: {looked} rules looked, none fired"
    assert "Gaussian weights, 64 × 64" in caption(at)
    assert "doctor-picture" in figures(at) and cards(at) == []
    assert all(f"{name}: " in said(at) for name in RULES)


def test_only_what_is_expected_is_said_so(open_page):
    at = open_page(tensor="teaching::gaussian")
    assert heading(at).startswith("As expected: the ends moved by")
    assert cards(at) == [("expected", "NUDGED-ENDS")]
    assert "doctor_apply" not in {button.key for button in at.button}


def test_another_finding_is_shown_and_kept_in_the_address(open_page):
    at = open_page(tensor="teaching::narrow_far", bits="4", **SYMMETRIC)
    assert [rule for _, rule in cards(at)] == ["RANGE-FAR-FROM-ZERO", "HALF-UNUSED"]
    at = click(at, "doctor_show-HALF-UNUSED")
    assert "HALF-UNUSED" in at.query_params["doctor_shown"]
    assert at.button(key="doctor_show-HALF-UNUSED").disabled
    assert figures(at)["doctor-picture"]["layout"]["xaxis"]["title"]["text"] == "code"
    again = open_page(
        tensor="teaching::narrow_far", bits="4", doctor_shown="HALF-UNUSED", **SYMMETRIC
    )
    assert again.button(key="doctor_show-HALF-UNUSED").disabled


def test_a_repair_is_applied_to_the_sidebar_and_repairs(open_page):
    at = open_page(tensor=MIXED, **SYMMETRIC)
    assert cards(at)[0] == ("fault", "MIXED-RANGES")
    assert at.button(key="doctor_apply").label == "Apply: give each channel its own step"
    at = click(at, "doctor_apply")
    assert at.selectbox(key="granularity").value == "per_channel"
    assert at.selectbox(key="axis").value == 0
    assert "MIXED-RANGES" not in [rule for _, rule in cards(at)]


def test_a_range_that_is_applied_is_highlighted_on_observers(open_page):
    at = open_page(tensor="teaching::masked_scores")
    assert cards(at)[0] == ("fault", "NON-FINITE")
    at = click(at, "doctor_apply")
    chosen = at.selectbox(key="doctor_rule").value
    assert chosen.startswith("manual:lo=")
    assert at.session_state["show"][0] == chosen and at.session_state["touched"]
    at = well(at.switch_page("pages/1_Observers.py").run())
    assert at.multiselect(key="show").value[0] == chosen
    at = well(at.switch_page("pages/8_Doctor.py").run())
    assert at.selectbox(key="doctor_rule").value == chosen


def test_a_step_for_each_channel_of_an_activation_is_never_applied(open_page):
    at = open_page(tensor=LOUD, bits="4", **SYMMETRIC)
    labels = [button.label for button in at.button if (button.key or "").startswith("doctor_apply")]
    assert labels == ["Apply: give each token its own step", "use 8 bits"]
    assert "A step for each channel of an activation is for analysis" in said(at)


def test_typed_qparams_take_the_place_of_the_range(open_page):
    at = open_page(tensor="teaching::gaussian", **SYMMETRIC)
    at = well(at.number_input(key="doctor_scale").set_value(1.0).run())
    assert heading(at) == "Scale 1 and zero point 0: these qparams never saw data"
    assert "scale and zero point as typed" in caption(at)
    at = well(at.number_input(key="doctor_scale").set_value(-0.5).run())
    assert ("fault", "LEARNED-SCALE-DIVERGED") in cards(at)
    at = well(at.number_input(key="doctor_scale").set_value(1.0).run())
    at = click(at, "doctor_apply")
    assert at.number_input(key="doctor_scale").value is None
    assert "UNCALIBRATED" not in [rule for _, rule in cards(at)]


def test_stored_codes_are_not_quantized_again(open_page):
    q = np.where(noise(0, 64, 64) > 0, 127, -128).astype(np.int8)
    at = upload(open_page(), "codes.npz", npz(q=q))
    assert heading(at) == "100 % of the codes are at the ends: the data does not fit the scale"
    assert "taken as codes" in caption(at)
    (toggle,) = [t for t in at.toggle if t.label == "These are codes"]
    at = well(toggle.set_value(False).run())
    assert "SATURATED-CODES" not in [rule for _, rule in cards(at)]


def test_a_bias_with_its_input_scale(open_page):
    w = noise(0, 4, 64) * np.array([1, 1e-8, 1, 1], np.float32)[:, None]
    b = np.array([0.1, 5, 0.1, 0.1], np.float32)
    at = upload(open_page(granularity="per_channel", **SYMMETRIC), "layer.npz", npz(weight=w, b=b))
    at = choose(at, "layer.npz::weight")
    at = well(at.selectbox(key="granularity").set_value("per_channel").run())
    (bias,) = [s for s in at.selectbox if s.label == "The layer's bias"]
    at = well(bias.set_value("layer.npz::b").run())
    at = well(at.number_input(key="doctor_input_scale").set_value(0.5).run())
    assert heading(at) == "1 bias value beyond int32: another number comes back"
    assert "layer" not in json.dumps(at.query_params)


def test_the_other_operand_moves_the_yardstick_to_the_output(open_page):
    at = open_page(tensor=LOUD, bits="4", **SYMMETRIC)
    (other,) = [s for s in at.selectbox if s.label == "Multiplied with"]
    at = well(other.set_value("synthetic::loud_channel_weight|0").run())
    assert "measured at the output" in said(at)
    assert "move a factor of each channel into the weight" in json.dumps(
        figures(at)["doctor-repairs"]["layout"]["annotations"]
    ).replace("Move", "move")
    assert "Transforms on the Channels page" in said(at)


def test_the_code_runs_and_finds_what_is_left(open_page, tmp_path, monkeypatch, capsys):
    at = open_page(tensor=MIXED, **SYMMETRIC)
    (code,) = [c.value for c in at.code if "examine" in c.value]
    monkeypatch.chdir(tmp_path)
    np.save("tensor.npy", sample(MIXED))
    exec(compile(code, "code", "exec"), {})
    shown = capsys.readouterr().out
    spec = QuantSpec(8, signed=True, symmetric=True)
    left = examine(Case.of(sample(MIXED), spec, granularity="per_channel:0", role="weight"))
    assert shown.splitlines() == [f"{f.severity} {f.rule} {f.message}" for f in left]


def test_the_code_of_stored_codes_runs(open_page, tmp_path, monkeypatch, capsys):
    q = np.where(noise(0, 8, 8) > 0, 127, -128).astype(np.int8)
    at = upload(open_page(doctor_scale="0.1"), "codes.npz", npz(q=q))
    (code,) = [c.value for c in at.code if "examine" in c.value]
    assert "Given.of(0.1, 0, (-128, 127))" in code and "codes.npz" not in code
    monkeypatch.chdir(tmp_path)
    np.save("tensor.npy", q)
    exec(compile(code, "code", "exec"), {})
    assert capsys.readouterr().out.startswith("medium SATURATED-CODES 100 % of the codes")


def test_all_tensors_of_a_file_worst_first(open_page):
    at = open_page(tensor=TWIN, doctor_view="All tensors", **SYMMETRIC)
    assert heading(at).startswith("1 of 18 tensors with a fault; worst: depthwise.weight, ")
    (table,) = [d.value for d in at.dataframe if "Finding" in d.value.columns]
    assert table["Tensor"][0] == "depthwise.weight" and table["Rule"][0] == "MIXED-RANGES"
    assert len(table) == 18
    at = press(at, "doctor_view", "one")
    assert cards(at)[0] == ("fault", "MIXED-RANGES")


def test_hostile_names_in_the_table_of_all_tensors(open_page):
    at = upload(open_page(), "hostile.safetensors", hostile())
    at = press(at, "doctor_view", "all")
    shown = list(read_as_markup(at))
    assert shown and not any("<img" in text or "<a href" in text for _, text in shown)
    (table,) = [d.value for d in at.dataframe if "Finding" in d.value.columns]
    assert not any(name.startswith(("=", "+", "-", "@")) for name in table["Tensor"])


ODD = {
    "vector": (noise(1, 64), "the ends moved by"),
    "scalar": (np.float32(3), "Every value is 3"),
    "empty": (np.ones((0, 4), np.float32), "The tensor is empty"),
    "nan": (np.full((4, 4), np.nan, np.float32), "16 NaN values: a naive range is NaN"),
    "zeros": (np.zeros((4, 4), np.float32), "Every value is 0"),
    "constant": (np.full((4, 4), 2, np.float32), "Every value is 2"),
    "integers": (np.arange(64).reshape(8, 8), "Nothing wrong"),
    "huge": (noise(1, 8, 8) * np.float32(1e37), "stretch the range"),
    "infinite": (np.array([[1, np.inf], [2, 3]], np.float32), "1 infinite value"),
    "cube": (noise(1, 4, 5, 6), "4 × 5 × 6"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tensors_each_get_a_sentence(open_page, name):
    x, sentence = ODD[name]
    at = upload(open_page(), "odd.npz", npz(x=x, other=noise(2, 4, 4)))
    at = choose(at, "odd.npz::x")
    assert len(heading(at)) > 20
    assert sentence in said(at)
    if [s for s in at.segmented_control if s.key == "doctor_view"]:
        press(at, "doctor_view", "all")


@pytest.fixture(scope="module")
def session():
    """One session for all observers and modes."""
    return well(started(page="8_Doctor.py", tensor="teaching::relu", bits="4"))


@pytest.mark.parametrize("name", OBSERVERS)
def test_every_observer_can_be_chosen(session, name):
    at = well(session.selectbox(key="doctor_rule").set_value(name).run())
    assert heading(at) and OBSERVERS.title_of(OBSERVERS.make(name)) in caption(at)


@pytest.mark.parametrize("name", QUANTIZERS)
def test_every_mode_can_be_chosen(session, name):
    at = well(session.selectbox(key="mode").set_value(name).run())
    assert heading(at)


def test_typed_qparams_are_in_the_address_until_a_repair_is_applied(open_page):
    at = open_page(
        tensor="teaching::gaussian", doctor_scale="1", doctor_low="-128", doctor_high="127"
    )
    assert heading(at) == "Scale 1 and zero point 0: these qparams never saw data"
    at = click(at, "doctor_apply")
    assert not {"doctor_scale", "doctor_low", "doctor_high"} & set(at.query_params)
    assert "UNCALIBRATED" not in [rule for _, rule in cards(at)]


def test_gains_at_the_output_of_a_network_that_was_run(open_app):
    at = open_app(page="7_Layers.py")
    at = settled(at.button(key="layers_sample-digits_cnn_rescaled").click().run())
    at = well(at.selectbox(key="tensor").set_value("Digits CNN, rescaled twin::relu").run())
    at = well(at.switch_page("pages/8_Doctor.py").run())
    for key, value in (("signed", True), ("symmetric", True)):
        at = well(at.toggle(key=key).set_value(value).run())
    at = press(at, "bits", 4)
    assert at.toggle(key="doctor_output").value
    assert "measured at the output" in said(at)
    texts = [n["text"] for n in figures(at)["doctor-repairs"]["layout"]["annotations"]]
    assert texts[0] == "Move a factor of each channel into the weight"
    assert float(texts[1].removeprefix("<b>+").removesuffix(" dB</b>")) > 15
    assert texts[2] == "96.9 % right"
    assert "Give each channel its own step, for analysis only" in texts
    assert re.search(r"at the model's output \S+ dB arrive and 1\d\.\d % are right", said(at))
    at = well(at.toggle(key="doctor_output").set_value(False).run())
    assert "measured for the quiet channels" in said(at) and "are right" not in said(at)
    other = well(at.selectbox(key="tensor").set_value(LOUD).run())
    assert "doctor_output" not in {toggle.key for toggle in other.toggle}
