"""Codes of every member lead back to it, or to rules that make the same bits."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.rosetta.comparison import compared
from qviz.rosetta.identifying import identified
from qviz.rosetta.probe import probe
from qviz.rosetta.ruleset import rules
from tests.unit.rosetta.made import QUANTIZE, TORCH, every, of

OPERATOR = "ort.affine:clamp=type int8 sym. narrow"
RANGES = ((-0.5, 2.5), (-1.0, 1.0), (1.0, 3.0), (-22.0, -15.0))


@pytest.fixture(scope="module", params=RANGES, ids=str)
def scene(request):
    given = every(*request.param)
    return given, probe(given)


@pytest.mark.parametrize("name", [rule.name for rule in rules()])
def test_codes_on_the_probe_are_attributed_to_their_maker(scene, name):
    given, x = scene
    maker = next(one for one in given if one.rule.name == name)
    codes = np.asarray(maker.quantizer.quantize(x[None]), np.float64)[0].astype(np.int64)
    found = identified(given, x, codes)
    assert all(match.exact for match in found)
    assert name in {match.answer.rule.name for match in found if match.shift == 0}
    assert {match.shift for match in found} <= {0, 128, -128}
    for match in found:  # the others make the same bits
        theirs = np.asarray(match.answer.quantizer.quantize(x[None]), np.float64)[0]
        assert np.array_equal(theirs + match.shift, codes)


def test_a_device_that_adds_the_zero_point_first_is_told_from_one_that_does_not():
    given = [of(TORCH, -3, 252), of(QUANTIZE, -3, 252)]
    x = np.float32([0.5, 1.5, 2.5, -0.5, -1.5])
    for codes, name in (([3, 5, 5, 3, 1], TORCH), ([4, 4, 6, 2, 2], QUANTIZE)):
        (match,) = identified(given, x, np.uint8(codes))
        assert match.answer.rule.name == name and match.shift == 0


def test_codes_of_no_rule():
    x = np.float32([0, 1, 2, 3, np.nan, 4])
    codes = np.array([3, 4, 5, 7, 9, 7])
    (match,) = identified([of(TORCH, -3, 252)], x, codes)
    assert not match.exact
    assert (match.differing, match.elements, match.first, match.bias) == (1, 5, 3, 0.2)


def test_signed_codes_of_an_unsigned_rule():
    given, x = [of(TORCH, -1, 1)], np.linspace(-1, 1, 99, dtype=np.float32)
    codes = given[0].quantizer.quantize(x[None])[0].astype(np.int64) - 128
    (match,) = identified(given, x, codes.astype(np.int8))
    assert match.exact and match.shift == -128


def test_another_zero_point_is_no_exact_match():
    """42 or 43: codes one higher, clamped to the same ends or not at all."""
    given = [of(TORCH, -0.5, 2.5), of("affine uint8", 0, 1)]
    x = np.float32([-0.6, -0.5, 0, 0.3, 1, 2.5, 9])
    codes = np.rint(x * np.float32(85)).astype(int) + 43
    for made in (np.clip(codes, 0, 255), np.clip(codes - 1, 0, 255) + 1):
        best = identified(given, x, made)[0]
        assert best.answer is given[0] and not best.exact
        assert best.moved == 1 and best.shift == 0 and best.differing >= 5
    signed = identified(given, x, np.clip(codes, 0, 255) - 128)[0]
    assert (signed.answer, signed.shift, signed.moved) == (given[0], -128, 1)


def test_codes_of_onnxruntimes_operator():
    """Its scale is that of -127 to 127, its codes go down to -128."""
    ort = pytest.importorskip("onnxruntime.quantization.quant_utils")
    scale = np.float32(2.5 / 127)
    x = np.float32([-2.52, -2.5, -1, 0, 0.3, 2.5, 2.6])
    codes = ort.quantize_nparray(3, x, scale, np.float32(0), -128, 127)
    assert codes.min() == -128
    found = identified(every(-2.5, 2.5), x, codes)
    exact = {match.answer.rule.name for match in found if match.exact}
    assert OPERATOR in exact and "ort.affine int8 sym. narrow" not in exact


def test_long_tensors_are_counted_in_full():
    x = np.tile(np.linspace(-1, 1, 1000, dtype=np.float32), 150)
    given = [of(TORCH, -1, 1), of(QUANTIZE, -1, 1)]
    codes = given[0].quantizer.quantize(x[None])[0].astype(np.int64)
    codes[100_001] += 1  # where the first look does not look
    found = identified(given, x, codes)
    assert found[0].differing == 1 and found[0].first == 100_001
    assert compared(given, x).elements == 150_000


@pytest.mark.parametrize(
    ("x", "codes", "named"),
    [
        (np.zeros(3), np.zeros(4, int), "shape"),
        (np.zeros(2), np.array([0.5, 1]), "no integers"),
        (np.full(2, np.nan), np.zeros(2, int), "no element"),
        (np.zeros(2), np.zeros(2, bool), "no integers"),
    ],
)
def test_what_is_refused(x, codes, named):
    with pytest.raises(QvizError, match=named):
        identified([of(TORCH, 0, 1)], x, codes)
