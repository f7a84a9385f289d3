"""The landscape in words."""

import re

import numpy as np

from qviz.figures.landscape_words import BAND, ONE_SIDED, RIPPLES, caption, heading, named
from qviz.pipeline.landscape_views import Hill
from tests.unit.figures.slopes import CLIP, DOTS, dot, field, hill
from tests.unit.figures.small import compared

PLAIN = DOTS[3]


def test_what_to_keep_and_what_it_gains():
    found = dot("mse", -10.0, 9.5, 20.0)
    assert heading(found, [found, PLAIN], "both") == "Keep ±10: 20.0 dB, 8.0 dB more than MinMax"
    both = "Keep [−10, 9.5]: 20.0 dB, 8.0 dB more than MinMax"
    assert heading(found, [found, PLAIN], None) == both


def test_the_plainest_range_is_kept_where_nothing_gains():
    found = dot("mse", -10.0, 9.5, 12.05)
    words = "Keep MinMax, [−90, 80]: no range gains more than 0.1 dB"
    assert heading(found, [found, PLAIN], None) == words


def test_without_a_loss_or_without_minmax():
    assert heading(dot("a", -8.0, 7.0, None), [PLAIN], "both") == "Keep ±8: nothing is lost"
    assert heading(dot("a", -8.0, 7.0, 3.0), [], "both") == "Keep ±8: 3.0 dB"
    assert heading(None, [], None).startswith("No range")


def measured(**rest):
    return compared(np.linspace(-1, 1, 400), "minmax", bits=4, **rest)


def test_a_caption_tells_the_flat_region():
    said = caption(hill(), measured(symmetric=True), "x, 20 × 20", True)
    low, high = hill().flat
    assert f"Anything from ±{low:.3g} to ±{high:.3g} is within half a decibel" in said
    assert said.endswith("x, 20 × 20, 400 values, 4-bit symmetric. Numbers are exact.")
    assert caption(hill("upper"), measured(), "x", True).startswith(ONE_SIDED)


def test_a_flat_region_that_leaves_the_view():
    flat = np.full(21, 8.0)
    open_end, all_flat = hill(sqnr=[*np.linspace(1, 7, 10), *flat[:11]]), hill(sqnr=flat)
    assert " on is within half" in caption(open_end, measured(), "x", True)
    assert "Every clip in view is within half" in caption(all_flat, measured(), "x", True)


def test_the_flat_region_holds_the_range_that_the_heading_names():
    twin = [0.0] * 5 + [20.0] * 3 + [0.0] * 5 + [20.3] * 3 + [0.0] * 5
    keep = dot("minmax", 0.0, float(CLIP[6]), 20.0)
    said = caption(hill("upper", sqnr=twin), measured(), "x", True, keep)
    low, high = (float(n) for n in re.search(r"from ([\d.]+) to ([\d.]+) is", said).groups())
    assert low < keep.bar.hi < high < CLIP[13]
    assert named(dot("mse", 0.0, float(CLIP[14]), 20.05), [keep]) is keep


def test_a_curve_that_ripples_has_no_flat_region():
    ways = np.tile([10.0, 13.0], 11)[:21]
    said = caption(hill(sqnr=ways), measured(), "x", True)
    assert "is within half a decibel" in said and BAND in said  # one wide point of the best
    close = Hill("both", np.geomspace(1, 1.2, 21), hill(sqnr=ways).parts)
    said = caption(close, measured(), "x", True)
    assert "No stretch is flat: the curve goes up and down by about 3.0 dB" in said
    assert "half a decibel" not in said


def test_a_caption_says_what_is_exact():
    said = caption(field(), measured(), "x", False)
    assert said.startswith(RIPPLES)
    assert said.endswith("The picture is read off the sketch; the numbers of the dots are exact.")
