"""Codes of every member lead back to it, or to rules that make the same bits."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.rosetta.comparison import compared
from qviz.rosetta.identifying import identified
from qviz.rosetta.probe import probe
from qviz.rosetta.ruleset import rules
from tests.unit.rosetta.made import QUANTIZE, TORCH, every, of

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
