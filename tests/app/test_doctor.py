"""The Doctor page: findings, pictures, repairs that are applied, and a whole file."""

import json
import re

import numpy as np
import pytest

from qviz.doctor import RULES
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
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


def at_key(at, start):
    """Key of the box that begins so; the rest of it stands for the tensor."""
    (key,) = [box.key for box in at.selectbox if (box.key or "").startswith(start)]
    return key


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
    assert "Tried and not offered, little or no gain: keep 99.99 % of the values" in said(at)
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
    assert at.button(key="doctor_transforms").proto.type == "primary"
    assert at.button(key="doctor_apply").proto.type == "secondary"
    other = at.selectbox(key=at_key(at, "doctor_operand-"))
    at = well(other.set_value("teaching::gaussian|0").run())
    assert at.button(key="doctor_transforms").proto.type == "secondary"  # a token's step gains more
    assert at.button(key="doctor_apply").proto.type == "primary"


def test_the_best_repair_is_the_blue_button_also_where_it_is_a_transform(open_page):
    at = open_page(tensor="teaching::narrow_far", **SYMMETRIC)
    assert figures(at)["doctor-repairs"]["layout"]["annotations"][0]["text"].startswith(
        "Take the mean"
    )
    assert at.button(key="doctor_transforms").proto.type == "primary"
    offered = [button for button in at.button if button.key == "doctor_apply"]
    assert all(button.proto.type == "secondary" for button in offered)


@pytest.mark.parametrize(
    ("scale", "zero", "title"),
    [
        ("1", "999", "Refused: zero point 999 is not one of the codes"),
        ("inf", "0", "Refused: scale inf is no finite number"),
        ("nan", "0", "Refused: scale nan is no finite number"),
        ("one", "0", "Refused: scale one is no finite number"),
    ],
)
@pytest.mark.parametrize("codes", [{}, SYMMETRIC])
def test_qparams_that_are_refused_head_the_page(open_page, scale, zero, title, codes):
    at = open_page(tensor="teaching::gaussian", doctor_scale=scale, doctor_zero=zero, **codes)
    assert heading(at) == title


def test_a_range_that_is_refused_is_no_clean_bill(open_page):
    x = np.full((8, 8), 3e38, np.float32) * np.where(noise(0, 8, 8) > 0, 1, -1)
    at = upload(open_page(), "large.npz", npz(x=x.astype(np.float32)))
    assert not heading(at).startswith("Nothing wrong")


def test_a_format_that_values_are_stored_in(open_page):
    at = open_page(tensor="teaching::narrow_far", doctor_stored_as="float8 e4m3fn")
    assert at.selectbox(key="doctor_stored_as").value == "float8_e4m3fn"
    assert ("fault", "FP8-OVERFLOW") in cards(at)
    shown = at.selectbox(key="doctor_stored_as").options
    assert shown[0] == "nothing else" and "MX fp4 e2m1" in shown and len(shown) == 10
    at = well(at.selectbox(key="doctor_stored_as").set_value("float8_e5m2").run())
    assert "FP8-OVERFLOW" not in [rule for _, rule in cards(at)]


def test_importance_weights_of_the_same_shape_or_of_an_axis(open_page):
    zero = {"same": np.zeros((4, 6), np.float32), "rows": np.zeros(4, np.float32)}
    at = upload(open_page(), "w.npz", npz(w=noise(0, 4, 6), other=noise(1, 6), **zero))
    at = choose(at, "w.npz::w")
    box = at.selectbox(key=at_key(at, "doctor_importance-"))
    assert {o for o in box.options if "w.npz" in o} == {
        "w.npz · same, 4 × 6", "w.npz · rows, 4, along axis 0", "w.npz · other, 6, along axis 1"
    }  # fmt: skip
    for chosen, fires in (("same", True), ("rows|0", True), ("other|1", False)):
        box = at.selectbox(key=at_key(at, "doctor_importance-"))
        at = well(box.set_value(f"w.npz::{chosen}").run())
        assert (("fault", "ZERO-WEIGHTS") in cards(at)) is fires


@pytest.fixture
def ran(tmp_path, monkeypatch, capsys):
    """What the page's code prints in a folder of these arrays: ``ran(at, tensor=x)``."""
    monkeypatch.chdir(tmp_path)

    def run(at, **files):
        (code,) = [c.value for c in at.code if "examine" in c.value]
        for name, array in files.items():
            np.save(f"{name}.npy", array)
        capsys.readouterr()
        exec(compile(code, "code", "exec"), {})
        return capsys.readouterr().out

    return run


CODED = {  # sample, parameters, and whether the best repair is a setting
    "loud": (LOUD, {"bits": "4", **SYMMETRIC}, True),
    "mixed": (MIXED, SYMMETRIC, True),
    "far": ("teaching::narrow_far", {"bits": "4", **SYMMETRIC}, False),
    "masked": ("teaching::masked_scores", {}, True),
    "affine": (MIXED, {"bits": "8"}, True),
    "softmax": ("teaching::softmax", SYMMETRIC, True),
    "peaks": ("teaching::rare_peaks", {"bits": "4", **SYMMETRIC}, True),
    "batches": ("minilm_acts::layer0.residual", {}, True),
}


@pytest.mark.parametrize("name", CODED)
def test_the_code_prints_the_numbers_of_the_page(open_page, ran, name):
    tensor, query, setting = CODED[name]
    at = open_page(tensor=tensor, **query)
    out = ran(at, tensor=sample(tensor))
    level, rule, _ = out.split(" ", 2)
    assert (rule, {"high": "fault", "medium": "fault", "low": "check"}[level]) == (
        cards(at)[0][1], cards(at)[0][0]
    )  # fmt: skip
    gains = re.findall(r"(?:^|\s)\+([\d.]+) dB [^.]* when repaired", said(at))
    assert gains and f": +{gains[0]} dB (" in out.splitlines()[1]
    now = re.search(r"The whole tensor has (\S+ dB) now", said(at))
    assert ("SQNR of the whole tensor repaired: " in out) is setting
    if setting and now:
        assert f"SQNR of the whole tensor now: {now[1]}\n" in out


def test_the_code_repairs_as_apply_does(open_page, ran):
    at = open_page(tensor=MIXED, **SYMMETRIC)
    out = ran(at, tensor=sample(MIXED))
    x = sample(MIXED).reshape(32, -1).astype(float)
    step = np.abs(x).max(axis=1, keepdims=True) / 127
    error = np.round(x / step).clip(-127, 127) * step - x
    repaired = 10 * np.log10((x**2).sum() / (error**2).sum())
    assert out.endswith(f"repaired: {repaired:.1f} dB\n")


def test_the_code_takes_all_that_is_known(open_page, ran):
    x, other = noise(1, 3, 16, 8) * np.geomspace(1, 40, 8, dtype=np.float32), noise(2, 5, 8)
    at = upload(open_page(bits="4", **SYMMETRIC), "acts.npz", npz(x=x, weight=other))
    at = choose(at, "acts.npz::x")
    at = well(at.selectbox(key=at_key(at, "batch-")).set_value(0).run())
    at = well(at.selectbox(key=at_key(at, "doctor_operand-")).set_value("acts.npz::weight|1").run())
    at = well(at.selectbox(key="doctor_stored_as").set_value("float8_e4m3fn").run())
    (code,) = [c.value for c in at.code if "examine" in c.value]
    for words_of_it in ('"batch_axis": 0', "\"stored_as\": 'float8_e4m3fn'", "acts.npz"):
        assert (words_of_it in code) is (words_of_it != "acts.npz")
    out = ran(at, tensor=x, operand=other)
    assert "dB (output)" in out
    assert re.search(r"\+([\d.]+) dB at the output when repaired", said(at))[1] in out


def test_the_code_of_stored_codes_runs(open_page, ran):
    q = np.where(noise(0, 8, 8) > 0, 127, -128).astype(np.int8)
    at = upload(open_page(doctor_scale="0.1"), "codes.npz", npz(q=q))
    (code,) = [c.value for c in at.code if "examine" in c.value]
    assert "Given.of(0.1, 0, (-128, 127))" in code and "codes.npz" not in code
    assert ran(at, tensor=q).startswith("medium SATURATED-CODES 100 % of the codes")


def test_the_code_of_a_bias_and_of_importance_runs(open_page, ran):
    w = noise(0, 4, 64) * np.array([1, 1e-8, 1, 1], np.float32)[:, None]
    b, seen = np.array([0.1, 5, 0.1, 0.1], np.float32), np.zeros(64, np.float32)
    at = upload(open_page(**SYMMETRIC), "layer.npz", npz(weight=w, b=b, seen=seen))
    at = choose(at, "layer.npz::weight")
    at = well(at.selectbox(key="granularity").set_value("per_channel").run())
    at = well(at.selectbox(key=at_key(at, "doctor_bias-")).set_value("layer.npz::b").run())
    at = well(at.number_input(key="doctor_input_scale").set_value(0.5).run())
    at = well(
        at.selectbox(key=at_key(at, "doctor_importance-")).set_value("layer.npz::seen|1").run()
    )
    assert ("fault", "ZERO-WEIGHTS") in cards(at)
    spread = np.broadcast_to(seen, w.shape)
    out = ran(at, tensor=w, bias=b, importance=spread)
    assert "high BIAS-OVERFLOW" in out and "high ZERO-WEIGHTS" in out


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
    "huge": (noise(1, 8, 8) * np.float32(1e37), "the whole tensor is out of scale"),
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


def twin_was_run(open_app):
    """The page, after Layers ran the twin."""
    at = open_app(page="7_Layers.py")
    at = settled(at.button(key="layers_sample-digits_cnn_rescaled").click().run())
    return well(at.switch_page("pages/8_Doctor.py").run())


def test_gains_at_the_output_of_a_network_that_was_run(open_app):
    at = twin_was_run(open_app)
    at = well(at.selectbox(key="tensor").set_value("Digits CNN, rescaled twin::relu").run())
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


def test_all_tensors_of_a_network_that_was_run(open_app):
    at = twin_was_run(open_app)
    at = well(at.button(key="doctor_of_model").click().run())
    assert at.selectbox(key="tensor").value.startswith("Digits CNN, rescaled twin::")
    assert "doctor_of_model" not in {button.key for button in at.button}
    while "doctor_go_on" in {button.key for button in at.button}:
        at = click(at, "doctor_go_on")
    assert re.search(r"The model ran for \d tensors", caption(at))
    (table,) = [d.value for d in at.dataframe if "Finding" in d.value.columns]
    by_name = table.set_index("Tensor")
    assert by_name.loc["bn1", "Right now %"] == pytest.approx(90.6, abs=0.05)
    assert by_name.loc["relu", "Right now %"] == pytest.approx(96.9, abs=0.05)
    assert table["Tensor"][0] == "bn1" and table["Level"][0] == "fault"  # it costs most
    right = table[table["Level"] == "fault"]["Right now %"].to_numpy()
    assert len(right) > 1 and (np.diff(right) >= 0).all()
    expected = table[table["Level"] == "expected"]["Right now %"]
    assert len(expected) and expected.isna().all()  # nothing to repair: the model is not run
    gain = by_name.loc["relu", "Gain dB"]
    at = well(at.toggle(key="doctor_output").set_value(False).run())
    (table,) = [d.value for d in at.dataframe if "Finding" in d.value.columns]
    assert "Right now %" not in table and "The model ran" not in caption(at)
    assert gain < table.set_index("Tensor").loc["relu", "Gain dB"]  # 37 dB there, 48 dB here
