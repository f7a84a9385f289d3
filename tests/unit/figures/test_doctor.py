"""Every rule's picture shows its evidence, in few bytes."""

import numpy as np
import plotly.graph_objects as go
import pytest

from qviz.doctor import RULES, Case, Given, examined
from qviz.doctor.base import Finding, Fix
from qviz.figures.doctor import picture
from qviz.figures.doctor_channels import chosen_channels
from qviz.figures.doctor_facts import Facts, facts_of
from qviz.figures.doctor_repairs import repairs
from qviz.figures.theme import DARK, LIGHT
from tests.unit.doctor.generators import GENERATORS, INT8, normal, outlier

WITHOUT = {"HW-SATURATION", "ZERO-WEIGHTS"}  # a table of their numbers says it all


@pytest.fixture(scope="module")
def found():
    """Each rule's finding and what its picture may show."""
    out = {}
    for name, fires in GENERATORS.items():
        case = fires.make()
        (finding,) = [f for f in examined(case).findings if f.rule == name]
        out[name] = finding, facts_of(case)
    return out


@pytest.mark.parametrize("name", RULES)
def test_every_rule_has_a_picture_that_plotly_takes(found, name):
    finding, facts = found[name]
    figure = picture(finding, facts, DARK)
    assert (figure is None) == (name in WITHOUT)
    if figure is not None:
        assert len(go.Figure(figure).to_json()) < 20_000


def test_nothing_is_drawn_of_nothing():
    for name in set(RULES) - {"BIAS-OVERFLOW", "WRONG-AXIS", "TIE-SENSITIVE", "ZP-KNIFE-EDGE"}:
        if name != "SCALE-UNDERFLOW":
            assert picture(Finding("low", "", rule=name), Facts(), LIGHT) is None


def test_the_loud_channel_stands_first_and_the_step_is_marked(found):
    figure = picture(*found["OUTLIER-CHANNEL"], LIGHT)
    x = outlier().stream.batches[0]
    amax = np.abs(x).max(axis=0)
    (bars,) = figure["data"]
    assert bars["base"] + bars["x"][0] == pytest.approx(amax[7])
    assert bars["base"] + bars["x"][-1] == pytest.approx(amax.min())
    assert bars["marker"]["color"][0] == LIGHT.highlights[1]
    assert figure["layout"]["yaxis"]["ticktext"][0] == "channel 7"
    half, far = (line["x0"] for line in figure["layout"]["shapes"])
    assert half == pytest.approx(amax[7] / 127 / 2, rel=1e-6)
    assert far == pytest.approx(6 * np.median(amax))


def test_of_many_channels_the_flagged_and_evenly_spaced_others():
    amax = np.arange(100.0)
    shown = chosen_channels(amax, {99, 98, 3})
    assert len(shown) == 10 and shown[:2] == [99, 98] and {3, 0} < set(shown)
    assert shown == sorted(shown, reverse=True)
    assert chosen_channels(np.array([1.0, 3.0, 2.0]), {0}) == [1, 2, 0]


def test_the_bias_against_the_largest_int32(found):
    figure = picture(*found["BIAS-OVERFLOW"], LIGHT)
    (bars,) = figure["data"]
    assert bars["base"] + bars["x"][0] == pytest.approx(5 / (0.5 * 1e-9))
    assert figure["layout"]["shapes"][0]["x0"] == 2**31 - 1


def test_the_batch_that_jumps(found):
    figure = picture(*found["RANGE-JUMP"], LIGHT)
    (bars,) = figure["data"]
    ends = bars["base"] + bars["x"]
    assert ends[1] / ends[0] == pytest.approx(1e4, rel=1e-3)
    assert bars["marker"]["color"] == [LIGHT.edge, LIGHT.highlights[1]]


def test_what_is_clipped_is_shaded(found):
    figure = picture(*found["ERROR-YARDSTICK"], LIGHT)
    spans = [s for s in figure["layout"]["shapes"] if s["type"] == "rect"]
    kept = spans[0]["x1"], spans[1]["x0"]
    assert kept == pytest.approx((-1.93, 2), abs=0.02)
    (trace,) = figure["data"]
    assert trace["y"][:-1][trace["y"][:-1] >= 1].sum() == 10_000


def test_codes_that_nobody_uses_are_hollow(found):
    figure = picture(*found["HALF-UNUSED"], LIGHT)
    used, hollow = figure["data"]
    assert min(used["x"]) == 0 and min(hollow["x"]) == -128
    assert sum(used["y"]) == 10_000


def test_of_codes_at_the_ends_only_those_that_occur_are_drawn(found):
    (bars,) = picture(*found["SATURATED-CODES"], LIGHT)["data"]
    assert bars["x"] == [-128, 127] and sum(bars["y"]) == 10_000


def test_spikes_are_told_on_a_linear_axis_without_saying_it_twice(found):
    figure = picture(*found["OUTLIERS-SET-RANGE"], LIGHT)
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert sum("99.9 %" in text for text in texts) == 1 and "" not in texts
    usual = found["OUTLIERS-SET-RANGE"][0].evidence["usual"]
    assert {-usual, usual} <= {line["x0"] for line in figure["layout"]["shapes"]}


def test_the_axis_beside_the_chosen_one(found):
    finding, facts = found["WRONG-AXIS"]
    figure = picture(finding, facts, LIGHT)
    (mark,) = [s for s in figure["layout"]["shapes"] if s["type"] == "line"]
    assert mark["x0"] == finding.evidence["threshold"]
    assert figure["layout"]["yaxis"]["ticktext"] == [
        "axis 0, largest above",
        "axis 1, largest above",
    ]


def of(case, rule):
    (finding,) = [f for f in examined(case).findings if f.rule == rule]
    return finding, facts_of(case)


def test_an_axis_that_a_faint_group_tells_says_so():
    x = normal(64, 32)
    x[:, [3, 7]] *= np.float32(1e-3)
    case = Case.of(x, INT8, role="weight", granularity="per_channel:0")
    figure = picture(*of(case, "WRONG-AXIS"), LIGHT)
    assert figure["layout"]["yaxis"]["ticktext"] == [
        "axis 0, largest above",
        "axis 1, faint below",
    ]
    (bars,) = figure["data"]
    amax = np.abs(x).max(0)
    assert bars["base"] + bars["x"][1] == pytest.approx(np.median(amax) / amax[[3, 7]].max())
    title = figure["layout"]["xaxis"]["title"]["text"]
    assert title.startswith("times from the median channel along the axis")


def test_a_token_beside_the_median_one():
    x = normal(1, 128, 64)
    x[0, 5] *= 1000
    figure = picture(*of(Case.of(x, INT8, role="activation"), "OUTLIER-CHANNEL"), LIGHT)
    assert figure["layout"]["yaxis"]["ticktext"] == ["token 5", "median token"]
    (bars,) = figure["data"]
    amax = np.abs(x[0]).max(1)
    assert bars["base"] + bars["x"] == pytest.approx([amax[5], np.median(amax)])
    half, far = (line["x0"] for line in figure["layout"]["shapes"])
    assert half == pytest.approx(amax[5] / 127 / 2, rel=1e-6)
    assert far == pytest.approx(6 * np.median(amax))


@pytest.mark.parametrize(("factor", "rule"), [(1e-3, "MIXED-RANGES"), (1e3, "OUTLIER-CHANNEL")])
def test_inputs_of_a_weight_are_drawn_with_their_own_magnitudes(factor, rule):
    x = normal(64, 32)
    x[:, 3] *= np.float32(factor)
    figure = picture(*of(Case.of(x, INT8, role="weight"), rule), LIGHT)
    rows = dict(zip(figure["layout"]["yaxis"]["ticktext"], figure["data"][0]["x"], strict=True))
    amax = np.abs(x).max(0)
    base = figure["data"][0]["base"]
    assert set(rows) == {"channel 3", "median channel"}
    assert base + rows["channel 3"] == pytest.approx(amax[3])
    assert base + rows["median channel"] == pytest.approx(np.median(amax))


def test_codes_alone_that_are_the_zero_point_are_drawn_as_codes():
    codes = np.array([0] * 97 + [1, -1, 1], np.int8)
    case = Case.of(codes=codes, given=Given.of(0.01, 0, (-128, 127)))
    bars = picture(*of(case, "STEP-TOO-LARGE"), LIGHT)["data"][0]
    assert sum(bars["y"]) == 100 and max(bars["y"]) == 97


def test_the_tie_between_two_codes(found):
    finding, facts = found["ZP-KNIFE-EDGE"]
    figure = picture(finding, facts, LIGHT)
    assert figure["data"][0]["x"] == [127.5]
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert "code <b>127</b>" in texts and "code <b>128</b>" in texts
    rules = finding.evidence["rules"].values()
    low = sum(zero == 127 for zero in rules)
    assert any(text.startswith(f"<b>{low} rule") for text in texts)


def test_repairs_start_at_zero_and_the_first_is_green(found):
    finding, _ = found["MIXED-RANGES"]
    figure = repairs(finding.fixes, LIGHT)
    (bars,) = figure["data"]
    np.testing.assert_allclose(bars["x"], [fix.gain_db for fix in finding.fixes], rtol=1e-6)
    assert bars["marker"]["color"][0] == LIGHT.highlights[2]
    assert set(bars["marker"]["color"][1:]) == {LIGHT.edge}
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts[0] == "Give each channel its own step"
    assert texts[1] == f"<b>+{finding.fixes[0].gain_db:.1f} dB</b>"


def test_what_is_for_analysis_alone_is_an_outline_and_shares_stand_beside():
    fix = Fix("use 8 bits", 9.4, {"bits": 8}, "output", 0.9375)
    own = Fix("give each channel its own step", 21.9, measured_at="output", accuracy=0.9766)
    figure = repairs([fix], LIGHT, [own])
    (bars,) = figure["data"]
    assert bars["marker"]["color"] == [LIGHT.highlights[2], "rgba(0,0,0,0)"]
    assert bars["marker"]["line"]["color"] == [LIGHT.highlights[2], LIGHT.edge]
    assert figure["layout"]["xaxis"]["range"] == [0, 21.9]
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts == [
        *("Use 8 bits", "<b>+9.4 dB</b>", "93.8 % right"),
        *("Give each channel its own step, for analysis only", "<b>+21.9 dB</b>", "97.7 % right"),
    ]
    assert (
        figure["layout"]["margin"]["r"] > repairs([Fix("a", 1.0)], LIGHT)["layout"]["margin"]["r"]
    )
