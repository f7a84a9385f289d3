"""TF Quantize without a browser: every control, every mode, and what cannot be."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.members import members, roundings
from qviz.dialects.tensorflow.round_trip import ROUND_MODES
from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.types import TYPES
from qviz.dialects.tensorflow.views import answer
from qviz.spec import QuantSpec
from tests.app.reading import (
    caption,
    choose,
    figures,
    heading,
    npy,
    numbers,
    payload,
    press,
    upload,
    well,
    words,
)

PAGE = "4_TF_Quantize.py"
PEAKS, MILLION = "teaching::bimodal", "synthetic::student_t"
CONFIGURATION = "TensorFlow 2.21.0 CPU, x86-64, oneDNN off"


@pytest.fixture
def open_page(open_app):
    """Open the page at an address."""
    return lambda **query: open_app(page=PAGE, **{"tensor": PEAKS} | query)


def rows(at, key="mode"):
    """The table of the view, by its first column."""
    found = [d.value for d in at.dataframe if key in d.value.columns]
    assert len(found) == 1
    return found[0].set_index(key)


def told(at):
    """All captions and boxes."""
    return words(" ".join(e.value for e in (*at.main.caption, *at.error, *at.info, *at.warning)))


def set_range(at, lo, hi):
    at.number_input(key="tf_lo").set_value(lo)
    return well(at.number_input(key="tf_hi").set_value(hi).run())


def button(at, label):
    (found,) = [b for b in at.button if b.label == label]
    return well(found.click().run())


def test_ranges(open_page):
    at = open_page(tf_lo="-0.5", tf_hi="2.5", signed="true")
    assert heading(at) == (
        "SCALED and QDQ answer [−2.52, 2.5] to your [−0.5, 2.5]; only MIN_COMBINED moves zero"
    )
    assert CONFIGURATION in caption(at) and "qint8" in caption(at)
    drawn = [t for t in figures(at)["tf-brackets"]["data"] if t["mode"] == "lines+markers"]
    assert [t["x"] for t in drawn[:2]] == [[-0.5, 2.5], [-0.5, 2.5]]
    assert numbers(drawn[4]["x"]) == pytest.approx([-2.5197, 2.5], abs=1e-4)
    assert "fake_quant has unsigned codes only" in told(at)
    assert rows(at).loc["MIN_FIRST", "levels"] == "[−0.5059, 2.494]"
    assert rows(at).loc["MIN_COMBINED", "0 comes back as"] == "−0.005882"
    assert set(figures(at)) >= {f"tf-zero-{n}" for n in members() if n != "tf.fake_quant"}


def test_an_empty_box_takes_the_tensors_own_end(open_page):
    at = open_page()
    x = next(t for t in figures(at)["tf-brackets"]["data"] if t["mode"] == "lines+markers")["x"]
    lo, hi = numbers(x)
    at = set_range(at, lo, None)
    again = next(t for t in figures(at)["tf-brackets"]["data"] if t["mode"] == "lines+markers")
    assert numbers(again["x"]) == pytest.approx([lo, hi]) and lo < -1 and hi > 1


def test_one_value_is_left_and_why(open_page):
    at = button(open_page(), "[0.07, 0.13]")
    assert heading(at) == (
        "TensorFlow adjusts [0.07, 0.13] to [0, 0.13]; "
        "fake_quant answers [0, 0.06] and leaves one value"
    )
    assert "keeps the width 0.06 and moves the range until 0 is inside" in told(at)
    assert rows(at).loc["fake_quant", "used"] == 1
    assert rows(at).loc["MIN_FIRST", "used"] == 7
    adjusted = [t for t in figures(at)["tf-brackets"]["data"] if t["mode"] == "lines+markers"][1]
    assert adjusted["line"]["color"] == "#B34700"


def test_another_range_takes_back_what_a_button_typed(open_page):
    def typed(at):
        return at.toggle(key="tf_typed").value, at.text_input(key="tf_values").value

    at = open_page(tf_values="1, 2")
    assert typed(at) == (False, "1, 2")
    at = button(at, "[0.07, 0.13]")
    assert typed(at) == (True, "0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13")
    at = button(button(at, "[0.07, 0.13]"), "[−1, 1]")
    assert typed(at) == (False, "1, 2") and "Typed by hand" not in caption(at)
    at = button(at, "[0.07, 0.13]")
    at = button(well(at.text_input(key="tf_values").set_value("3, 4").run()), "[−1, 1]")
    assert typed(at) == (True, "3, 4")  # changed since: they are the reader's own


def test_typed_values_are_counted_once(open_page):
    # 1 has the top code, which wraps round and comes back as -1: an error of 2 in six values
    ratio = 10 * np.log10((1 + 0.0625 + 0.01 + 0.49 + 1) / 4)
    at = open_page(tf_type="qint32", tf_lo="-1", tf_hi="1", tf_typed="true")
    for mode in ("MIN_COMBINED", "SCALED"):
        assert rows(at).loc[mode, "SQNR dB"] == pytest.approx(ratio, abs=1e-4)
    assert rows(at).loc["MIN_FIRST", "SQNR dB"] == pytest.approx(148.58, abs=0.01)
    at = set_range(press(at, "tf_view", "Round trip"), None, None)
    assert "V4 stops 83.3 % of the gradients" in heading(at)  # five of six lie beside [0, 0]
    names = list(rows(at, "").index)
    assert len(names) == len(set(names)) and "1 comes back as" in names


def test_nothing_wraps_where_a_step_underflows(open_page):
    at = open_page(tf_lo="-2", tf_hi="-1", tf_typed="true", tf_values="-2, -1, 0, 1")
    assert "wraps round" not in told(at)


def test_symmetric_codes_say_what_to_switch_off(open_page):
    at = open_page(symmetric="true")
    assert told(at).count("Switch Symmetric off at the left.") >= 3


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_rounding_and_narrow_range(open_page, kind):
    at = press(open_page(tf_lo="-1", tf_hi="1", tf_doc="true"), "tf_type_shown", kind)
    spec = QuantSpec(min(TYPES[kind].bits, 16), signed=TYPES[kind].signed)
    wide = kind if TYPES[kind].bits > 16 else None
    for narrow in (False, True):
        well(at.toggle(key="tf_narrow").set_value(narrow).run())
        assert at.toggle(key="narrow_range").value == narrow
        for rounding in roundings():
            at = well(at.selectbox(key="tf_round").set_value(rounding).run())
            here = QuantSpec(spec.bits, spec.signed, narrow_range=narrow)
            setting = Setting(here, round_mode=rounding, wide=wide)
            answers = [answer(name, -1.0, 1.0, setting) for name in members(documented=True)]
            assert set(rows(at).index) == {a.title for a in answers if not a.refused}
            assert all(a.refused in told(at) for a in answers if a.refused)
            assert f"{kind}{', narrow_range' * narrow}." in caption(at)


def test_the_type_is_the_sidebars_bits_and_sign(open_page):
    at = press(open_page(), "tf_type_shown", "qint16")
    assert at.segmented_control(key="bits").value == 16 and at.toggle(key="signed").value
    at = press(at, "bits", 4)
    assert at.segmented_control(key="tf_type_shown").value is None
    assert "8 and 16 bits" in told(at)
    assert set(rows(at).index) == {"QDQ"}  # fake_quant has no signed codes
    at = press(at, "tf_type_shown", "qint32")
    assert at.query_params["tf_type"] in ("qint32", ["qint32"])
    assert "wraps round to its lowest" in told(at) and "65,536" in caption(at)
    at = well(at.toggle(key="signed").set_value(False).run())
    assert "tf_type" not in at.query_params


def test_a_link_to_the_wide_type(open_page):
    assert "qint32" in caption(open_page(tf_type="qint32", tf_lo="-1", tf_hi="1"))


def test_an_axis_has_a_range_per_slice(open_page):
    at = open_page()
    (box,) = [s for s in at.selectbox if s.label == "axis"]
    at = well(box.set_value(1).run())
    assert at.selectbox(key="granularity").value == "per_channel"
    assert "slice 0 of 64 along axis 1" in caption(at) and "64 values" in caption(at)
    assert "with an axis it is Unimplemented" in told(at)
    (slices,) = [n for n in at.number_input if n.label == "Slice"]
    at = well(slices.set_value(63).run())
    assert "slice 63 of 64" in caption(at)
    assert at.query_params["tf_slice"] in ("63", ["63"])
    assert "MIN_FIRST" not in rows(at).index and "SCALED" in rows(at).index
    (box,) = [s for s in at.selectbox if s.label == "axis"]
    at = well(box.set_value("whole tensor").run())
    assert "MIN_FIRST" in rows(at).index
    at = well(at.selectbox(key="granularity").set_value("per_token").run())
    assert heading(at).startswith("No mode of TensorFlow serves")


def test_a_slice_comes_back_with_its_address(open_page):
    query = {"granularity": "per_channel", "axis": "1"}
    assert "slice 63 of 64 along axis 1" in caption(open_page(**query, tf_slice="63"))
    for wrong in ("64", "-1", "x"):
        assert "slice 0 of 64" in caption(open_page(**query, tf_slice=wrong))


def test_the_least_width(open_page):
    at = open_page(tf_lo="0", tf_hi="0.5")
    at = well(at.number_input(key="tf_least").set_value(2.0).run())
    assert heading(at).startswith("TensorFlow adjusts [0, 0.5] to [0, 2], which was too narrow")


def test_typed_values(open_page):
    at = open_page(tf_typed="true", tf_values="0, 1; 2.5")
    assert "3 values" in caption(at) and rows(at).loc["MIN_FIRST", "used"] == 3
    for text, says in (("1, x", "'x' is no number"), ("", "0 numbers"), ("1e99", "no number")):
        at = well(at.text_input(key="tf_values").set_value(text).run())
        assert says in told(at)


def test_a_range_upside_down_keeps_the_controls(open_page):
    at = open_page(tf_lo="1", tf_hi="-1")
    assert "TensorFlow needs min_range <= max_range" in told(at)
    at = set_range(at, -1.0, 1.0)
    assert not at.error and "tf-brackets" in figures(at)


def test_decode(open_page):
    at = open_page(tf_lo="-1", tf_hi="1", signed="true")
    found = rows(at, "code")
    assert found.loc["127", "SCALED"] == "1" and found.loc["−128", "MIN_COMBINED"] == "−1"
    assert found.loc["0", "MIN_FIRST"] == "0.00784314"
    for text, says in (("128", "no code of this type"), ("a", "no whole number"), ("", "0 codes")):
        well(at.text_input(key="tf_codes-qint8").set_value(text).run())
        assert says in told(at)


def test_the_documentation_stands_beside_the_ops(open_page):
    at = open_page(tf_lo="-1", tf_hi="1", signed="true")
    labels = words(" ".join(box.label for box in at.expander))
    assert "SCALED: levels span [−1, 1] by the documentation, [−1.01, 1] in the op" in labels
    assert "by the documentation, code" in labels
    shown = " ".join(code.value for code in at.code)
    assert "trunc" in shown and "away" in shown


def test_drift_against_the_documentation(open_page):
    at = open_page(tf_view="Drift", tf_lo="-1", tf_hi="1", signed="true")
    assert heading(at) == (
        "MIN_FIRST climbs one step per round trip; MIN_COMBINED, SCALED and QDQ stay"
    )
    assert "documentation says it is the other way round" in caption(at)
    assert CONFIGURATION in caption(at)
    found = rows(at)
    assert found.loc["MIN_FIRST", "steps per trip"] == pytest.approx(1, abs=1e-5)
    assert found.loc["MIN_COMBINED", "idempotent"] == "declared and held"
    paths = figures(at)["tf-drift-tf.min_first"]["data"]
    assert numbers(paths[4]["y"])[[0, 50]] == pytest.approx([0, 100 / 255], abs=1e-4)
    at = well(at.slider(key="tf_rounds").set_value(3).run())
    assert "3 times" in caption(at) and "after 3" in rows(at).columns


@pytest.mark.parametrize("bits", ["8", "16"])
def test_ranges_to_try_where_none_drifts(open_page, bits):
    at = open_page(tf_view="Drift", tf_lo="-3", tf_hi="3", bits=bits)
    assert heading(at) == "No mode drifts on [−3, 3]"
    offered = [b.label for b in at.button if b.label.startswith("[")]
    assert len(offered) == 2
    assert "MIN_FIRST" in heading(button(at, offered[0]))


def test_drift_of_every_member(open_page):
    at = open_page(tf_view="Drift", tf_lo="-1", tf_hi="1", tf_doc="true")
    assert {f"tf-drift-{name}" for name in members(documented=True)} == set(figures(at))
    assert "broken" not in " ".join(rows(at)["idempotent"])
    at = set_range(at, 1.0, 1.0)
    assert "has no width" in told(at)


def test_round_trip_through_every_attribute(open_page):
    at = open_page(tf_view="Round trip")
    assert "V4 stops 100 % of the gradients" in heading(at)  # bounds are passed as 0 and 0
    assert "passed as 0 and 0" in caption(at) and CONFIGURATION in caption(at)
    assert [at.number_input(key=k).placeholder for k in ("tf_lo", "tf_hi")] == ["0 (passed)"] * 2
    at = well(at.toggle(key="tf_given").set_value(True).run())
    assert at.number_input(key="tf_hi").placeholder == "1.51 (data)"
    assert "no gradient stops" in heading(at)
    at = set_range(at, -1.0, 1.2)
    assert "The grid spans [−1.21, 1.2]" in heading(at)
    assert rows(at, "").loc["range used", "V3"] == "[−1.209, 1.2]"
    for rounding in ROUND_MODES:
        well(at.selectbox(key="tf_trip_round").set_value(rounding).run())
        for key in ("tf_trip_narrow", "tf_trip_axis", "tf_signed_input"):
            for value in (True, False):
                assert heading(well(at.toggle(key=key).set_value(value).run()))
    at = well(at.toggle(key="tf_trip_axis").set_value(True).run())
    assert "take no range for an axis" in told(at) and "half to even only" in told(at)
    at = well(at.number_input(key="tf_num_bits").set_value(2).run())
    assert heading(at)


def test_concat(open_page):
    at = open_page(tf_view="Concat")
    assert "of 3 inputs" in heading(at) and CONFIGURATION in caption(at)
    for kind in ("quint8", "qint32"):
        for count in (2, 3, 4):
            press(press(at, "tf_kind", kind), "tf_inputs", count)
            drawn = figures(at)["tf-concat"]["data"]
            assert len([t for t in drawn if t["mode"] == "lines+markers"]) == count + 1
    press(at, "tf_kind", "quint8")
    at = well(at.number_input(key="tf_concat_min_0").set_value(-9.0).run())
    assert "4 of 4 inputs are requantized to [−9, 1.51]" in heading(at)
    at = well(at.toggle(key="tf_typed").set_value(True).run())
    at = well(at.text_input(key="tf_concat_values_1").set_value("0, 250").run())
    assert "to [−9, 250]" in heading(at)
    assert {"code", "code after"} <= set(rows(at, "input").columns)
    at = well(at.text_input(key="tf_concat_values_1").set_value("").run())
    assert "0 numbers were typed" in told(at)


ODD = {
    "constant": np.full(10, 3.0, np.float32),
    "zeros": np.zeros((3, 4), np.float32),
    "0-d": np.float32(2.5),
    "1-d": np.linspace(-1, 1, 50, dtype=np.float32),
    "integer": np.arange(-5, 90, dtype=np.int16),
    "half": np.linspace(-2, 2, 40).astype(np.float16),
    "some NaN": np.float32([np.nan, 1, -1, np.inf]),
    "huge": np.float32([-3e38, 3e38]),
    "tiny": np.float32([1e-40, -1e-40]),
}
NOTHING = {"empty": np.zeros((0, 3), np.float32), "all NaN": np.full(4, np.nan, np.float32)}


@pytest.mark.parametrize("name", [*ODD, *NOTHING])
def test_odd_tensors(open_page, name):
    at = upload(open_page(), "x.npy", npy((ODD | NOTHING)[name]))
    for view in ("Ranges", "Drift", "Round trip", "Concat"):
        at = press(at, "tf_view", view)
        assert heading(at)
        if name in NOTHING:
            assert at.error or at.info
    if name in NOTHING:
        at = set_range(press(at, "tf_view", "Ranges"), -1.0, 1.0)
        assert "SCALED" in rows(at).index
    if name == "some NaN":
        assert "left out" in told(press(at, "tf_view", "Ranges"))


def test_another_tensor_keeps_the_setting(open_page):
    at = choose(open_page(tf_lo="-1", tf_hi="1", signed="true"), "teaching::relu")
    assert "qint8" in caption(at) and "[−1, 1]" in heading(at)


def test_what_travels_stays_small(open_page):
    at = open_page(tensor=MILLION, tf_lo="-1", tf_hi="1", tf_doc="true")
    sizes = {c.key: len(c.proto.spec) for c in at.get("plotly_chart")}
    assert sizes["tf-brackets"] < 24_000  # with the library's own template, 7 kB a figure
    assert payload(at) < 120_000
    assert "sketch" in caption(at)
