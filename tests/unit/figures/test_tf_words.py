"""Sentences over the pictures, from ranges worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from qviz.dialects.tensorflow.joining import joined
from qviz.dialects.tensorflow.members import members
from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.versions import Attributes, versions
from qviz.dialects.tensorflow.views import adjustment, answer
from qviz.figures.tf_words import (
    concat_heading,
    drift_caption,
    drift_heading,
    listed,
    moved_note,
    ranges_heading,
    versions_heading,
    wrap_note,
)
from qviz.pipeline.drift import Drift
from qviz.spec import QuantSpec

SIGNED = Setting(QuantSpec(8, signed=True))
STAYS = Drift(np.zeros((9, 51)), 0.01, 0.0, 0.0, np.zeros(50), True)
CLIMBS = replace(STAYS, slope=1.0, moved=1.0, declared=False)
TITLES = {"tf.min_combined": "MIN_COMBINED", "tf.min_first": "MIN_FIRST", "tf.x@doc": "X (doc)"}


def heading(lo, hi, setting=SIGNED, used=None):
    answers = [answer(name, lo, hi, setting) for name in members()]
    return ranges_heading((lo, hi), adjustment(lo, hi), answers, used or {})


@pytest.mark.parametrize(
    ("lo", "hi", "says"),
    [
        (
            -0.5,
            2.5,
            "SCALED and QDQ answer [−2.52, 2.5] to your [−0.5, 2.5]; only MIN_COMBINED moves zero",
        ),
        (1.0, 3.0, "TensorFlow adjusts [1, 3] to [0, 3]; SCALED and QDQ answer [−3.02, 3]"),
    ],
)
def test_the_answer_that_differs_most(lo, hi, says):
    assert heading(lo, hi) == says


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        (SIGNED, "SCALED and QDQ answer [−1.01, 1] to your [−1, 1]; only MIN_COMBINED and MIN_F"),
        (replace(SIGNED, round_mode="HALF_TO_EVEN"), "[−1.01, 1] to your [−1, 1]; none moves zero"),
        (Setting(QuantSpec(16, signed=True)), "QDQ answer [−1.00003, 1] to your [−1, 1]"),
    ],
)
def test_a_step_beyond_the_range_is_told(setting, says):
    # the lowest code is one more than the highest: -128 / 127, and -32768 / 32767
    assert says in heading(-1.0, 1.0, setting)


def test_one_mode_alone():
    found = [answer(n, 0.0, 1.0, Setting(QuantSpec(4))) for n in members() if "fake" not in n]
    assert ranges_heading((0.0, 1.0), (0.0, 1.0), found, {}) == (
        "QDQ answers [0, 1] as asked; zero stays zero"
    )


def test_one_value_is_left():
    said = heading(0.07, 0.13, Setting(), {"tf.fake_quant": 1})
    assert said == (
        "TensorFlow adjusts [0.07, 0.13] to [0, 0.13]; "
        "fake_quant answers [0, 0.06] and leaves one value"
    )


def test_every_mode_as_asked_and_none_at_all():
    assert heading(-128.0, 127.0) == (
        "MIN_COMBINED, MIN_FIRST, SCALED and QDQ answer [−128, 127] as asked; none moves zero"
    )
    assert heading(0.0, 255.0, Setting()) == (
        "Every mode answers [0, 255] as asked; none moves zero"
    )
    narrow = Setting(QuantSpec(4, signed=True, symmetric=True, narrow_range=True))
    none = ranges_heading((0, 1), (0, 1), [answer("tf.min_first", 0, 1, narrow)], {})
    assert none.startswith("No mode of TensorFlow serves")


def test_the_adjustment_alone():
    answers = [answer("tf.min_combined", 0.0, 0.001, Setting())]
    said = ranges_heading((0.0, 0.001), (0.0, 0.01), answers, {})
    assert said == "TensorFlow adjusts [0, 0.001] to [0, 0.01], which was too narrow"


def test_who_drifts_and_who_stays():
    found = {"tf.min_combined": STAYS, "tf.min_first": CLIMBS}
    said = drift_heading(found, TITLES, (-1.0, 1.0))
    assert said == "MIN_FIRST climbs one step per round trip; MIN_COMBINED stays"
    assert "other way round" in drift_caption(found)
    sinks = drift_heading({"tf.min_first": replace(CLIMBS, slope=-1.0)}, TITLES, (-1.0, 1.0))
    assert sinks == "MIN_FIRST sinks one step per round trip"
    odd = drift_heading({"tf.min_first": replace(CLIMBS, slope=0.6)}, TITLES, (-1.0, 1.0))
    assert odd == "MIN_FIRST drifts by +0.6 steps per round trip"


def test_none_drifts():
    found = {"tf.min_combined": STAYS, "tf.x@doc": CLIMBS}
    said = drift_heading(found, TITLES, (-3.0, 3.0))
    assert said == "No mode drifts on [−3, 3]; the formula X (doc) would"
    assert "says that MIN_COMBINED" in drift_caption(found)
    assert drift_heading({"tf.min_combined": STAYS}, TITLES, (-3.0, 3.0)) == (
        "No mode drifts on [−3, 3]"
    )
    assert drift_heading({}, TITLES, (0.0, 1.0)).startswith("No mode of TensorFlow serves")


def test_a_range_that_was_moved():
    moved = answer("tf.fake_quant", 0.07, 0.13, Setting())
    assert moved_note(moved, (0.07, 0.13), (0.07, 0.13)) == (
        "fake_quant keeps the width 0.06 and moves the range until 0 is inside: "
        "every value above 0.06 comes back as 0.06."
    )
    assert moved_note(moved, (0.07, 0.13), (0.01, 0.05)) is None
    # outside the range asked for, a value is lost without a move as well
    nudged = answer("tf.fake_quant", -0.5, 2.5, Setting())
    assert moved_note(nudged, (-0.5, 2.5), (-30.0, 30.0)) is None
    few = answer("tf.fake_quant", -1.5, 1.5, Setting(QuantSpec(4)))
    assert "until 0 is a level" in str(moved_note(few, (-1.5, 1.5), (-1.5, 1.5)))
    below = answer("tf.fake_quant", -0.13, -0.07, Setting())
    assert "below −0.06" in moved_note(below, (-0.13, -0.07), (-0.13, -0.07))
    assert moved_note(answer("tf.scaled", 0.07, 0.13, SIGNED), (0.07, 0.13), (0, 1)) is None


def test_a_top_that_wraps():
    wide = Setting(wide="qint32")
    for name in ("tf.min_combined", "tf.scaled"):
        one = answer(name, -1.0, 1.0, wide)
        assert "and 1 comes back as −1" in wrap_note(one, 1.0)
        assert wrap_note(one, 0.5) is None and wrap_note(one, -1.0) is None
    assert wrap_note(answer("tf.min_first", -1.0, 1.0, wide), 1.0) is None


@pytest.mark.parametrize("top", [-1.0, 0.0, 7e-37])
def test_a_step_that_underflows_wraps_nothing(top):
    one = answer("tf.scaled", -2.0, -1.0, Setting())
    assert one.step == 0 and wrap_note(one, top) is None


def test_versions_in_one_line():
    x = np.float32([-2, 0, 0.5, 2])
    given = Attributes(range_given=True)
    assert versions_heading(versions(x, (-1.0, 1.0), (-2.0, 2.0), given)) == (
        "The grid spans [−1.01, 1]; V4 stops 50 % of the gradients"
    )
    sliced = versions(x, (-1.0, 1.0), (-2.0, 2.0), replace(given, per_slice=True))
    assert versions_heading(sliced).endswith("no gradient stops; V2 and V4 refuse")
    none = versions(x, (1.0, -1.0), (-2.0, 2.0), given)
    assert versions_heading(none).startswith("No version")


def test_concat_in_one_line():
    parts = [np.float32([0, 100, 255]), np.float32([0, 510])]
    found = joined(parts, [(0.0, 255.0), (0.0, 510.0)])
    said = concat_heading(found, [(60.0, 41.26), (50.0, 50.0)])
    assert said == "1 of 2 inputs is requantized to [0, 510]; input 1 falls from 60.0 to 41.3 dB"
    same = concat_heading(found, [(123.42, 123.38), (50.0, 50.0)])
    assert (
        same == "1 of 2 inputs is requantized to [0, 510]; none of them loses a tenth of a decibel"
    )
    assert concat_heading(found, [(None, 41.26), (50.0, 50.0)]).endswith(
        "input 1 was lossless and is left with 41.3 dB"
    )
    assert concat_heading(found, [(None, None)] * 2) == ("1 of 2 inputs is requantized to [0, 510]")
    alike = joined(parts, [(0.0, 510.0)] * 2)
    assert concat_heading(alike, [(1.0, 1.0)] * 2) == (
        "All 2 inputs have the joint range [0, 510] and are copied"
    )


def test_lists():
    assert [listed(n) for n in (["A"], ["A", "B"], ["A", "B", "C"])] == [
        "A",
        "A and B",
        "A, B and C",
    ]
