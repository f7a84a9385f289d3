"""Where two rules part, in words; the ranges are those on which frameworks are known to differ."""

import itertools

import numpy as np
import pytest

from qviz.figures.rosetta_parting import sentence
from qviz.rosetta.divergence import divergence
from qviz.rosetta.probe import inside, probe
from tests.unit.rosetta.made import GPU, ORT, QINT8, QUANTIZE, RANGES, TF, TORCH, every, of

NAN = float("nan")
SAID = [
    (
        (TORCH, TF, -0.5, 2.5),
        "torch Affine uint8 and TF fake_quant part at rounding the zero point: both get 42.5; the "
        "first makes it 42 (half to even), the second makes it 43 (half away from zero).",
    ),
    (
        (TORCH, ORT, -1, 1),
        "torch Affine uint8 and ORT Affine uint8 part at the zero point before rounding: the first "
        "gets 127.49999 in float32, the second 127.5 in float64.",
    ),
    (
        (TORCH, TF, 1, 3),
        "torch Affine uint8 and TF fake_quant part at the range [1, 3]: the first widens it to "
        "[0, 3], the second shifts it to [0, 2].",
    ),
    (
        (TORCH, TF, -22, -15),
        "torch Affine uint8 and TF fake_quant part at the range [−22, −15]: the first widens it to "
        "[−22, 0], the second shifts it to [−7, 0].",
    ),
    (
        (TORCH, ORT, -1e-8, 1e-8),
        "torch Affine uint8 and ORT Affine uint8 part at the floor of the scale: both get "
        "7.84×10⁻¹¹; the first makes it 1.19×10⁻⁷, the second keeps it.",
    ),
    (
        (TORCH, TF, 0, 0),
        "torch Affine uint8 and TF fake_quant part at the floor of the scale: both get 0; the "
        "first makes it 1.19×10⁻⁷, the second keeps it. The first ends with a scale of 1.19×10⁻⁷, "
        "the second with zeros.",
    ),
    (
        (TORCH, TF, 2, 2),
        "torch Affine uint8 and TF fake_quant part at the range [2, 2]: the first widens it to "
        "[0, 2], the second shifts it to [0, 0]. The first ends with a scale of 0.00784, the "
        "second with NaN.",
    ),
    (
        (TORCH, "mindspore.default@doc int8", -0.5, 2.5),
        "torch Affine uint8 and MS default doc part at rounding the zero point: both get 42.5, "
        "counted from the lowest code; the first makes it 42 (half to even), the second makes it "
        "43 (half up: floor(t + 0.5)).",
    ),
    (
        (TORCH, TF, -6, 6),
        "torch Affine uint8 and TF fake_quant part at the quotient, where counting starts and ties "
        "together: the first multiplies by 1 / scale, adds the zero point after rounding and "
        "rounds half to even, the second divides by the scale, counts from the lower end and takes "
        "whole steps off again before rounding and rounds half up: floor(t + 0.5); no single step "
        "explains the ",
    ),
    (
        (TORCH, QINT8, -0.5, 2.5),
        "torch Affine uint8 and torch Affine int8 sym. part at the range [−0.5, 2.5]: the first "
        "takes it as it is, the second mirrors it to [−2.5, 2.5].",
    ),
    (
        (TORCH, "tf.min_combined uint8", -0.5, 2.5),
        "torch Affine uint8 and TF MIN_COMBINED part at the zero point: the first gets 42.5 and "
        "rounds it, the second has none: it counts from the lower end of its range.",
    ),
    (
        (TORCH, QUANTIZE, -0.5, 2.5),
        "torch Affine uint8 and torch Quantize uint8 part at adding the zero point: the first adds "
        "the zero point after rounding, the second adds the zero point before rounding, in one "
        "operation with the product; that alone tells their codes apart.",
    ),
    (
        (QINT8, "ort.affine int8 sym. narrow", -1, 1),
        "torch Affine int8 sym. and ORT Affine int8 ±127 part at the scale: the first gets "
        "0.007843 (largest magnitude over 127.5), the second gets 0.007874 (width over 254).",
    ),
    ((TORCH, GPU, NAN, NAN), "torch Affine uint8 and MS default gpu end alike: NaN."),
    (
        (TORCH, ORT, float("-inf"), float("inf")),
        "torch Affine uint8 and ORT Affine uint8 end alike: an infinite scale.",
    ),
    (
        (GPU, TF, -1, 1),
        "MS default gpu and TF fake_quant part at where counting starts: the first counts from the "
        "lower end of the range, the second counts from the lower end and takes whole steps off "
        "again before rounding; with the first's way there, the second makes the same codes.",
    ),
    (
        ("mindspore.default@ascend uint8", "torch.float_qparams uint8", -1, 1),
        "MS default ascend and torch Float zero part at rounding the zero point: both get "
        "127.49999; the first makes it 127 (half up: floor(t + 0.5)), the second keeps it",
    ),
    (
        ("torch.affine uint8", "ti.pact2 int8", -1e-8, 1e-8),
        "torch Affine uint8 and TI PACT2 part at the range [−10⁻⁸, 10⁻⁸]: the first takes it as it "
        "is, the second stretches it to [−1.526×10⁻⁵, 1.526×10⁻⁵], at least 2^-16.",
    ),
    (
        (TORCH, "tf.scaled int8 sym. narrow", 0, 0),
        "torch Affine uint8 and TF SCALED part at the range [0, 0]: the first takes it as it is, "
        "the second widens it to [0, 0.01] and then mirrors it to [−0.01, 0.01].",
    ),
    (
        ("mindspore.default@ascend uint8", "tf.quantize_and_dequantize int8 sym.", -1e300, 1e300),
        "MS default ascend and TF QDQ end alike: an infinite scale.",
    ),
    (
        (TORCH, "torch.per_channel_affine uint8", -0.5, 2.5),
        "torch Affine uint8 and torch Per channel go the same way from range to codes.",
    ),
]


def said(a, b, lo, hi):
    one, other = of(a, lo, hi), of(b, lo, hi)
    x = inside(probe((one, other)), lo, hi)
    return sentence(one, other, divergence(one, other, x))


@pytest.mark.parametrize(("asked", "expected"), SAID)
def test_sentences(asked, expected):
    assert said(*asked).startswith(expected) and said(*asked).count(". ") <= 1


@pytest.mark.parametrize("lo_hi", RANGES, ids=str)
def test_every_pair_has_one_sentence_on_every_range(lo_hi):
    given = every(*lo_hi, kind="framework")
    x = np.float32([v for v in lo_hi if np.isfinite(v)])
    for a, b in itertools.permutations(given[::2], 2):
        text = sentence(a, b, divergence(a, b, x))
        assert text.startswith(f"{a.rule.title} and {b.rule.title} ") and text.endswith(".")
        assert "None" not in text and "  " not in text and "nan" not in text.replace("NaN", "")
