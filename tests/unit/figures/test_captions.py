import numpy as np
import pytest

from qviz.figures.captions import codes, not_finite
from qviz.figures.findings import finding
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from qviz.stats.minmax import MinMax
from tests.unit.figures.small import compared


def caption(values, *spellings, about="", **spec):
    return finding(compared(values, *spellings, **spec), about).caption


def test_the_caption_says_what_was_measured_and_by_which_number():
    text = caption([0, 1, 2, 3.1] * 10, "minmax", about="my tensor, 4 × 10", bits=8)
    assert text.startswith("my tensor, 4 × 10, 40 values, 8-bit affine. ")
    assert "Ranked by SQNR, the lowest error on this tensor first." in text
    assert "what lies outside is clipped" in text
    assert text.endswith("Numbers are exact.")


def test_what_the_best_range_clips_is_told():
    # one of 4001 values; 27^2 of 14900
    text = caption([0, 1, 2, 3] * 1000 + [30], "minmax", "typed")
    assert "Typed clips 0.025 % of the values and 4.89 % of the energy." in text
    assert "clips" not in caption([0, 1, 2, 3.1], "minmax")


def test_the_worst_channel_is_told():
    # step 10: channel 1 of 30 comes back, of 0 1 2 3 nothing does
    text = caption([[30, 0, 0, 30], [0, 1, 2, 3]], "minmax", axis=0)
    assert "Its worst channel, 1, has 0.0 dB." in text


def test_a_caption_never_promises_accuracy():
    assert "accura" not in caption([0, 1, 2, 3.1], "minmax", "typed").lower()


def test_what_is_not_finite_comes_first():
    text = caption([np.nan] * 3 + [np.inf, 1.0, 2.0], "minmax")
    assert text.startswith("3 NaN and 1 infinite among 6 values, left out. ")
    one = MinMax().of(np.float32([[1, -np.inf]]), None)
    assert not_finite(one) == "1 infinite among 2 values"
    assert not_finite(MinMax().of(np.float32([[1, 2]]), None)) == ""


def test_a_grid_that_moved_is_told_with_its_reason():
    # step 1, zero point half-even round(0.5) = 0: [-0.5, 2.5] becomes [0, 3]
    values = [-0.5, 0.6, 2.5]
    assert "Asked for [−0.5, 2.5]; the grid covers [0, 3] because zero must be a level." in (
        caption(values, "minmax")
    )
    # largest code 1: [-2, 2] on codes -2 to 1 reaches from -4 to 2, below it from both sides
    mirrored = caption([-0.5, 0.6, 2.0], "minmax", signed=True, symmetric=True)
    assert "Asked for [−0.5, 2]; the grid covers [−4, 2]." in mirrored
    assert "Asked" not in caption([0, 1, 2, 3.1], "minmax")


def test_a_sketch_is_said_to_be_approximate():
    x = np.random.default_rng(0).normal(size=1_000_001)
    assert caption(x, "minmax", bits=8).endswith("Numbers are approximate, read off the sketch.")


def test_about_cannot_hide_or_fill_the_line():
    text = caption([1.0, 2.0], "minmax", about="a\u202eb" + "x" * 200)
    assert text.startswith("abxxx") and text.index("…") < 80


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (Target.of(QuantSpec(8)), "8-bit affine"),
        (
            Target.of(QuantSpec(4, symmetric=True, narrow_range=True)),
            "4-bit symmetric, narrow range",
        ),
        (Target.of(QuantSpec(8, reduce_range=True)), "8-bit affine, reduced range"),
        (Target.of(QuantSpec(8, quant_min=-7, quant_max=7)), "codes −7 to 7"),
        (Target.of(QuantSpec(8), mode="affine:tie=away"), "8-bit affine, Uniform tie away"),
        (
            Target.of(QuantSpec(8), Granularity("per_group", -1, 32)),
            "8-bit affine, per group -1 32",
        ),
    ],
    ids=["affine", "symmetric", "reduced", "own codes", "mode", "groups"],
)
def test_codes_in_words(target, text):
    assert codes(target) == text
