import ml_dtypes
import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.sources.base import open_file
from qviz.sources.codes import CHUNK, dequantize, may_be_codes, scaled, tally
from qviz.sources.dequantized import Dequantized
from qviz.sources.limits import caveats

CODES = np.array([[-128, 0, 127], [1, 2, 3]], np.int8)


def test_one_scale_for_all():
    q = scaled(0.5, 2, CODES.shape, dtype="int8")
    assert dequantize(CODES, q).tolist() == [[-65, -1, 62.5], [-0.5, 0, 0.5]]
    assert dequantize(CODES, q).dtype == np.float32
    assert (q.ends, q.axis, q.words) == ((-128, 127), None, "scale 0.5, zero point 2")


def test_one_scale_for_each_slice():
    q = scaled([1, 10, 100], [0, 1, 2], CODES.shape, axis=-1)
    assert dequantize(CODES, q).tolist() == [[-128, -10, 12500], [1, 10, 100]]
    assert q.axis == 1 and q.words == "scale 1 to 100, zero point 0 to 2 along axis 1"
    rows = scaled([1, 10], 1, CODES.shape, axis=0)
    assert dequantize(CODES, rows).tolist() == [[-129, -1, 126], [0, 10, 20]]


def test_one_scale_for_each_block():
    q = scaled([[1, 10], [100, 1000]], None, CODES.shape, axis=1, block=2)
    assert dequantize(CODES, q).tolist() == [[-128, 0, 1270], [100, 200, 3000]]


def test_single_values_empty_tensors_and_several_chunks():
    q = scaled(0.25, 0, ())
    assert dequantize(np.array(3, np.int8), q).tolist() == 0.75
    assert dequantize(np.empty((0, 4), np.int8), q).shape == (0, 4)
    many = np.arange(2 * CHUNK + 5) % 200
    assert np.array_equal(dequantize(many.astype(np.uint8), q), many * np.float32(0.25))


def test_zero_points_at_the_ends_do_not_overflow():
    q = scaled(1, 2**31 - 1, (1,))
    assert dequantize(np.array([-(2**31)], np.int32), q).tolist() == [-(2.0**32)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (dict(scale=0, zero_point=0), "positive"),
        (dict(scale=float("nan"), zero_point=0), "positive"),
        (dict(scale=1, zero_point=0.5), "whole"),
        (dict(scale="a", zero_point=0), "no number"),
        (dict(scale=[1, 2], zero_point=[1, 2, 3], axis=0), "go together"),
        (dict(scale=[1, 2, 3], zero_point=0, axis=0), "does not fit"),
        (dict(scale=[1, 2], zero_point=0, axis=5), "does not exist"),
        (dict(scale=[[1, 2]], zero_point=0, axis=0, block=2), "does not fit"),
    ],
)
def test_parameters_that_cannot_be_are_refused(arguments, words):
    with pytest.raises(QvizError, match=words):
        scaled(shape=(2, 3), **arguments)


@pytest.mark.parametrize(
    ("array", "few"),
    [
        (np.zeros(3, np.int8), True),
        (np.arange(10_000) % 256, True),
        (np.arange(10_000) % 257, False),
        (np.zeros(3), False),
        (np.zeros(3, bool), False),
        (np.empty(0, np.int8), False),
        (np.empty(0, np.int64), False),
    ],
)
def test_few_distinct_integers_may_be_codes(array, few):
    assert may_be_codes(array) is few


def test_a_sidecar_gives_the_scale_of_codes(tmp_path):
    np.save(tmp_path / "w.weight.npy", CODES)
    np.save(tmp_path / "plain.npy", CODES.astype(np.float32))
    (tmp_path / "w.weight.json").write_text('{"scale": [0.5, 2], "zero_point": 1, "axis": 0}')
    (tmp_path / "plain.json").write_text('{"scale": 0.5}')
    source = open_file(tmp_path / "w.weight.npy")
    assert source.names == ("w.weight", "w.weight (dequantized)")
    assert source["w.weight (dequantized)"].tolist() == [[-64.5, -0.5, 63], [0, 2, 4]]
    assert {info.role for info in source.infos.values()} == {"weight"}
    assert source.info("w.weight").qparams.zero_point.tolist() == [1, 1]
    assert open_file(tmp_path / "plain.npy").names == ("plain",)  # no codes


def test_a_sidecar_without_a_scale_says_nothing(tmp_path):
    np.save(tmp_path / "w.npy", CODES)
    (tmp_path / "w.json").write_text('{"made": "yesterday"}')
    source = open_file(tmp_path / "w.npy")
    assert source.names == ("w",) and source.skipped == {}
    assert source.info("w").qparams is None


def test_another_sidecar_gives_another_fingerprint(tmp_path):
    np.save(tmp_path / "w.npy", CODES)
    marks = set()
    for scale in ("0.5", "0.25", "10.0"):
        (tmp_path / "w.json").write_text(f'{{"scale": {scale}}}')
        marks.add(open_file(tmp_path / "w.npy").info("w (dequantized)").fingerprint)
    assert len(marks) == 3


def test_typed_parameters_open_the_values(tmp_path):
    np.save(tmp_path / "w.npy", CODES)
    source = open_file(tmp_path / "w.npy")
    made = Dequantized(source.info("w"), lambda: source["w"], scaled(0.5, 2, CODES.shape))
    (name,) = made
    assert name == "w (dequantized)" and made[name] is made[name]
    assert made[name].tolist() == [[-65, -1, 62.5], [-0.5, 0, 0.5]]
    other = Dequantized(source.info("w"), lambda: source["w"], scaled(0.5, 3, CODES.shape))
    assert made.info(name).fingerprint != other.info(name).fingerprint


def test_float8_codes_are_dequantized():
    torch = pytest.importorskip("torch")
    codes = torch.tensor([0.5, -2]).to(torch.float8_e4m3fn)
    assert dequantize(codes, scaled(4, 0, (2,))).tolist() == [2, -8]
    assert np.array([0.5], ml_dtypes.float8_e4m3fn).itemsize == 1


@pytest.mark.parametrize(
    ("dtype", "largest", "words"),
    [
        ("int64", 2.0**53, ""),
        ("int64", 2.0**54, "2^53"),
        ("uint64", 2.0**60, "2^53"),
        ("int32", 2.0**31, ""),
        ("float64", 1e300, "does not fit float32"),
        ("float64", 3e38, ""),
        ("float32", 3.4e38, ""),
    ],
)
def test_what_a_type_loses_is_said(dtype, largest, words):
    found = caveats(dtype, largest)
    assert len(found) == bool(words) and all(words in text for text in found)


def test_codes_are_tallied_between_their_ends():
    first, counts = tally(np.array([[3, -1], [3, 5]], np.int16))
    assert (first, counts.tolist()) == (-1, [1, 0, 0, 0, 2, 0, 1])
    many = np.zeros(CHUNK + 5, np.uint8)
    many[-1] = 255
    first, counts = tally(many)
    assert (first, counts[0], counts[255], counts.sum()) == (0, CHUNK + 4, 1, CHUNK + 5)


@pytest.mark.parametrize(
    "x", [np.array([0, 256]), np.array([2**63, 0], np.uint64), np.empty(0, np.int8), np.ones(3)]
)
def test_what_spans_too_much_or_is_no_code_is_not_tallied(x):
    assert tally(x) is None
