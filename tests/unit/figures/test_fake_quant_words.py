"""Sentences of the Fake quant page."""

import numpy as np
import pytest

from qviz.figures import fake_quant_words as say
from qviz.pipeline.training_gradients import Picked, Sums, picked, portrait, summed
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec, Range


def grid(mode, lo=-0.8, hi=2.2):
    made = QUANTIZERS.make(mode)
    return made.quantizer(Range(np.full(1, lo), np.full(1, hi)), QuantSpec(3))


def shown(*modes):
    return [portrait(grid(mode), -2.0, 3.0) for mode in modes]


def test_heading_counts_grids_and_modes_that_learn():
    six = shown("torch.affine", "tf.fake_quant", "affine", "torch.learnable", "torch.fused",
                "tf.quantize_and_dequantize")  # fmt: skip
    assert say.heading(six) == (
        "One range asked for, 2 grids delivered; 2 of 6 modes let training move it"
    )
    assert say.heading(shown("affine")) == (
        "One range asked for, 1 grid delivered; no mode lets training move it"
    )
    assert say.heading([]) == "No mode serves this range and these codes"


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (
            Picked(2.5, 7, 2.143, True, 0.0, {"min": 0.0, "max": 1.0}),
            "M: 2.5 is clipped and comes back as 2.143; none of its gradient reaches x: it goes "
            "to max +1.",
        ),
        (
            Picked(2.5, 7, 2.143, True, 0.0, {}),
            "M: 2.5 is clipped and comes back as 2.143; its gradient is lost: neither x nor a "
            "parameter gets any.",
        ),
        (
            Picked(2.5, 7, 2.143, True, 1.0, {}),
            "M: 2.5 is clipped and comes back as 2.143; its gradient passes to x all the same.",
        ),
        (
            Picked(0.33, 2, 0.2857, False, 1.0, {"maxq": -0.0443}),
            "M: 0.33 gets code 2 and comes back as 0.2857; its gradient passes to x, and gives "
            "maxq −0.0443.",
        ),
    ],
)
def test_an_element_in_words(one, sentence):
    assert say.element("M", one) == sentence


def test_where_a_clipped_gradient_goes_differs_from_mode_to_mode():
    said = {
        mode: say.element(mode, picked(grid(mode), 2.5))
        for mode in ("tf.fake_quant", "torch.affine", "tf.quantize_and_dequantize")
    }
    assert "goes to max +1" in said["tf.fake_quant"]
    assert "is lost" in said["torch.affine"]
    assert "passes to x all the same" in said["tf.quantize_and_dequantize"]


def test_one_value_is_said_where_the_window_missed_the_data():
    made = grid("tf.fake_quant", 0.07, 0.13)
    sums = summed(made, [(np.linspace(0.07, 0.13, 9, dtype=np.float32), 1.0)])
    text = say.one_value(sums, portrait(made, -0.1, 0.2))
    assert text == "Every value lies above the window [0, 0.06] and comes back as 0.06."
    some = summed(made, [(np.array([0.05, 0.1], np.float32), 1.0)])
    assert say.one_value(some, portrait(made, -0.1, 0.2)) == ""
    assert say.one_value(Sums(0, 0, 0, 0), portrait(made, -0.1, 0.2)) == ""


def test_sums_and_shares():
    sums = Sums(8, 6, 0, 2, {"min": 0.0, "max": 2.0})
    assert say.sums_text(sums) == "min 0, max +2"
    assert say.share_text(sums.passes, sums) == "75 %"
    assert say.sums_text(Sums(0, 0, 0, 0)) == "–"
    assert say.share_text(0, Sums(0, 0, 0, 0)) == "–"


def test_a_first_sentence_is_on_one_line():
    class Told:
        """One thing,
        in two lines. And another.

        More.
        """

    assert say.first_sentence(Told) == "One thing, in two lines."
    assert say.first_sentence(type("Silent", (), {"__doc__": None})) == ""


def test_only_a_gradient_of_its_own_is_told():
    assert say.gradient_sentence(grid("tf.fake_quant")).startswith("1 from nudged end")
    assert say.gradient_sentence(grid("affine")) == ""


def test_caption_says_whether_sums_are_exact():
    assert say.caption("x", (0.0, 1.0), None).endswith("Sums are exact.")
    assert "a sample of 65,536 values" in say.caption("x", (0.0, 1.0), 65_536)


def test_beyond_a_nudged_end_a_value_is_clipped_by_every_rule_that_cuts_its_gradient():
    # 15 steps of 0.2 from -1 to 2: -1.1 is half a step below, its code rounds to 0 in TensorFlow
    for mode in ("tf.fake_quant", "mindspore.default@doc"):
        made = QUANTIZERS.make(mode).quantizer(Range(np.full(1, -1.0), np.full(1, 2.0)),
                                               QuantSpec(4))  # fmt: skip
        assert "M: −1.1 is clipped and comes back as −1; " in say.element("M", picked(made, -1.1))


def test_neighbouring_values_are_told_apart():
    one, other = (say.told_apart(float(np.float32(x))) for x in (-1.1, -1.0999999))
    assert (one, other) == ("−1.1", "−1.0999999")


def test_why_a_window_was_shifted():
    made = grid("tf.fake_quant", 0.07, 0.13)
    assert say.shifted((0.07, 0.13), portrait(made, -0.1, 0.2)) == (
        "0 must be a level: this rule shifts [0.07, 0.13] to [0, 0.06] and keeps its width, where "
        "stretching would give [0, 0.13]."
    )
    wide = grid("affine", 0.07, 0.13)
    assert say.shifted((0.07, 0.13), portrait(wide, -0.1, 0.2)) == ""
    held = grid("tf.fake_quant", -1.0, 2.0)
    assert say.shifted((-1.0, 2.0), portrait(held, -2.0, 3.0)) == ""
