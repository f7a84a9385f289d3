"""Home: the finding at once, one range under every rule, samples and files."""

from functools import partial

import numpy as np
import pytest

from qviz.ui.home.gallery import SHOWN
from qviz.ui.home.typed import groups, sentence
from qviz.ui.library import _samples
from tests.app.reading import caption, figures, heading, npy, well


@pytest.fixture
def home(open_app):
    return partial(open_app, page="")


def rules(at):
    found = [d.value for d in at.dataframe if "rules" in d.value.columns]
    assert len(found) == 1
    return found[0]


def test_the_first_sight_is_a_finding(home):
    at = home()
    assert heading(at) == "25.8 dB looks fine, yet 63 of 64 channels share 7 codes"
    assert "per tensor 32.5 dB, per token 40.7 dB, moved factor 40.2 dB" in caption(at)
    assert figures(at)["home-map"]["data"]


def test_the_switch_tells_what_helps(home):
    at = home()
    well(at.segmented_control(key="home_step").set_value("token").run())
    assert "output gains 8.2 dB" in heading(at)
    well(at.segmented_control(key="home_step").set_value("moved").run())
    assert "one step again, and the output gains 7.7 dB" in heading(at)


def test_fewer_bits_change_the_finding(home):
    at = home()
    well(at.segmented_control(key="bits").set_value(4).run())
    assert heading(at).endswith("63 of 64 channels become 0")


def test_one_range_under_every_rule(home):
    at = home()
    lines = rules(at)
    unsigned = lines[lines["codes"] == "0 to 255"]
    assert {"42", "43"} <= set(unsigned["zero point"])
    for end, value in (("home_lo", 1.0), ("home_hi", 3.0)):
        at.number_input(key=end).set_value(value)
    well(at.run())
    assert {"[0, 2]", "[0, 3]"} <= set(rules(at)["covers"])  # shifted, widened


def test_ends_in_the_wrong_order_are_told(home):
    at = home()
    well(at.number_input(key="home_lo").set_value(9.0).run())
    assert any("lower end" in box.value for box in at.info)


@pytest.mark.parametrize("ends", [(0.0, 0.0), (-1e-8, 1e-8), (2.0, 2.0), (-22.0, -15.0)])
def test_odd_ranges_have_a_sentence(ends):
    found = groups(*ends)
    assert sum(len(group.titles) for group in found) > 20
    assert sentence(found, *ends).endswith(".")


def test_the_gallery_shows_samples_that_exist_and_opens_them(home):
    assert set(SHOWN) <= set(_samples())
    at = home()
    well(at.button(key="open-teaching::narrow_far").click().run())
    assert at.selectbox(key="tensor").value == "teaching::narrow_far"
    assert heading(at) == "All values lie in [996, 1,003]: 0.683 % of the way from 0"
    cards = {m.label: m.value for m in at.metric}
    assert cards["8-bit codes used"].endswith("3 of 256")
    assert cards["NaN, Inf"] == "none"


def test_any_sample_has_its_own_home(home):
    for name, said in {
        "teaching::constant": "All 4,096 values are 2",
        "teaching::non_finite": "NaN",
        "synthetic::student_t": "but the tensor reaches",
    }.items():
        assert said in heading(home(tensor=name))


def test_a_file_can_be_dropped_here(home):
    at = home()
    box = next(u for u in at.file_uploader if u.key == "home_upload")
    box.upload("mine.npy", npy(np.linspace(-1, 3, 10001, dtype=np.float32)))
    well(at.run())
    assert at.selectbox(key="tensor").value == "mine.npy"
    assert heading(at).startswith("Well behaved")


def test_a_refused_file_keeps_what_was_there(home):
    at = home(tensor="teaching::constant")
    box = next(u for u in at.file_uploader if u.key == "home_upload")
    box.upload("bad.npy", b"\x93NUMPY\x01\x00aaaaaaaaaa")
    well(at.run())
    assert at.selectbox(key="tensor").value == "teaching::constant"
    assert len(at.error) == 1
