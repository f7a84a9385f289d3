"""The command ``compare``: rows, order, groups, JSON."""

import json

import numpy as np
import pytest

from qviz.cli.main import main
from qviz.metrics.base import METRICS
from qviz.observers.selection import default_observers

X = np.array([-1, -0.25, 0, 0.5, 1], np.float32)  # see test_numbers for what 2 bits make of it
KEYS = ["tensor", "group", "observer", "lo", "hi", "scale", "zero_point"]
KEYS += ["quant_min", "quant_max", "exact", "metrics"]


def nothing(word):
    raise AssertionError(f"{word} is no JSON")


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(arrays, *words):
        np.savez("x.npz", **arrays)
        assert main(["compare", *words]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def rows(compare):
    def run(arrays, *words):
        return json.loads(compare(arrays, *words, "--json"), parse_constant=nothing)

    return run


def test_numbers(rows):
    # scale (1 + 1)/3, zero point round(1.5) = 2; codes 0, 2, 2, 3 and 4 clamped to 3
    (row,) = rows({"x": X}, "x.npz", "--bits", "2", "--observers", "minmax")
    assert list(row) == KEYS
    assert (row["tensor"], row["group"], row["observer"]) == ("x", None, "minmax")
    assert (row["lo"], row["hi"], row["quant_min"], row["quant_max"]) == (-1, 1, 0, 3)
    assert row["scale"] == pytest.approx(2 / 3) and row["zero_point"] == 2
    assert row["exact"] is True
    errors = np.array([-1 / 3, 1 / 4, 0, 1 / 6, -1 / 3])
    metrics = row["metrics"]
    assert list(metrics) == list(METRICS)
    assert metrics["mse"] == pytest.approx((errors**2).sum() / 5)
    assert metrics["sqnr"] == pytest.approx(10 * np.log10(2.3125 / (errors**2).sum()))
    assert metrics["clipped"] == 1
    assert metrics["codes_used"] == 3
    assert metrics["max_abs_error"] == pytest.approx(1 / 3)


def test_codes_follow_the_options(rows):
    words = ("x.npz", "--observers", "minmax", "--bits", "4", "--signed", "--symmetric")
    (row,) = rows({"x": X}, *words)
    assert (row["quant_min"], row["quant_max"], row["zero_point"]) == (-8, 7, 0)
    assert row["scale"] == pytest.approx(1 / 7)
    assert rows({"x": X}, *words, "--narrow-range")[0]["quant_min"] == -7
    assert rows({"x": X}, *words, "--reduce-range")[0]["quant_max"] == 3
    ends = rows({"x": X}, "x.npz", "--observers", "minmax", "--quant-min", "-3", "--quant-max", "9")
    assert (ends[0]["quant_min"], ends[0]["quant_max"]) == (-3, 9)


def test_default_observers_sorted_by_the_metric(rows):
    x = np.random.default_rng(0).laplace(size=2000).astype(np.float32)
    found = rows({"x": x}, "x.npz", "--bits", "4")
    assert len(found) == len(default_observers())
    ratios = [row["metrics"]["sqnr"] for row in found]
    assert ratios == sorted(ratios, reverse=True) and ratios[0] > ratios[-1]
    by_clip = rows({"x": x}, "x.npz", "--bits", "4", "--sort", "clipped_share")
    shares = [row["metrics"]["clipped_share"] for row in by_clip]
    assert shares == sorted(shares)


def test_groups_come_after_their_whole(rows):
    x = np.array([[-1, 1, 0.5], [-3, 2, 0.77]], np.float32)
    words = ("x.npz", "--axis", "0", "--observers", "minmax,moving_average")
    found = rows({"x": x}, *words)
    assert [row["group"] for row in found] == [None, 0, 1] * 2
    whole, first, second = found[:3]
    assert [whole[key] for key in ("lo", "hi", "scale", "zero_point")] == [None] * 4
    assert (first["lo"], first["hi"], second["lo"], second["hi"]) == (-1, 1, -3, 2)
    total = 3 * first["metrics"]["mse"] + 3 * second["metrics"]["mse"]
    assert whole["metrics"]["mse"] == pytest.approx(total / 6)
    worst = min(first["metrics"]["sqnr"], second["metrics"]["sqnr"])
    assert whole["metrics"]["worst_channel"] == pytest.approx(worst)


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        (("--axis", "1"), 4),
        (("--axis", "0", "--group", "2"), 16),
        (("--group", "2"), 16),
        (("--group", "4"), 8),
        (("--per-token",), 8),
    ],
)
def test_granularity(rows, words, groups):
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    found = rows({"x": x}, "x.npz", "--observers", "minmax", *words)
    assert len(found) == 1 + groups
    assert max(row["group"] or 0 for row in found) == groups - 1


def test_batches(rows):
    x = np.array([[0, 1], [0, 3]], np.float32)
    words = ("x.npz", "--observers", "moving_average:rate=0.5")
    assert rows({"x": x}, *words)[0]["hi"] == 3
    assert rows({"x": x}, *words, "--batch-axis", "0")[0]["hi"] == 2


def test_a_source_may_say_which_axis_holds_the_batches(rows):
    words = ("sample:drifting_batches", "--observers", "moving_average,minmax")
    by_name = {row["observer"]: row["hi"] for row in rows({}, *words)}
    assert by_name["moving_average"] < by_name["minmax"]


def test_worst_channel_under_one_range(rows):
    x = np.array([[0.1, -0.1, 0.05, 0.01], [100, -100, 50, 10]], np.float32)
    words = ("x.npz", "--observers", "minmax", "--bits", "4", "--signed", "--symmetric")
    assert rows({"x": x}, *words)[0]["metrics"]["worst_channel"] is None
    worst = rows({"x": x}, *words, "--channel-axis", "0")[0]["metrics"]["worst_channel"]
    assert worst == pytest.approx(0)  # all of the first channel becomes 0


def test_an_axis_of_channels_need_not_fit_every_tensor(rows):
    arrays = {"flat": X, "square": X[:4].reshape(2, 2)}
    found = rows(arrays, "x.npz", "--observers", "minmax", "--bits", "3", "--channel-axis", "1")
    worst = {row["tensor"]: row["metrics"]["worst_channel"] for row in found}
    assert worst["flat"] is None and worst["square"] is not None


def test_a_sketch_is_said_so(rows):
    x = np.random.default_rng(1).standard_normal(1_000_000, dtype=np.float32)
    (live,) = rows({"x": x}, "x.npz", "--observers", "minmax")
    (exact,) = rows({"x": x}, "x.npz", "--observers", "minmax", "--exact")
    assert (live["exact"], exact["exact"]) == (False, True)
    assert live["metrics"]["sqnr"] == pytest.approx(exact["metrics"]["sqnr"], abs=0.02)


@pytest.mark.parametrize("x", [[np.nan, np.inf], []], ids=["not finite", "empty"])
def test_what_has_no_range_is_refused_in_its_row(rows, x):
    (row,) = rows({"x": np.array(x, np.float32)}, "x.npz", "--observers", "minmax")
    assert list(row) == [*KEYS, "refused"]
    assert "no finite element" in row["refused"]
    assert {row[key] for key in ("lo", "hi", "scale", "zero_point", "exact")} == {None}
    assert set(row["metrics"].values()) == {None}


def test_lossless_is_null_in_json_and_exact_in_text(rows, compare):
    x = np.array([0, 1, 2, 3], np.float32)
    (row,) = rows({"x": x}, "x.npz", "--bits", "2", "--observers", "minmax")
    assert row["metrics"]["sqnr"] is None and row["metrics"]["mse"] == 0
    assert " exact" in compare({"x": x}, "x.npz", "--bits", "2", "--observers", "minmax")


SEVERAL = {
    "fc.bias": np.array([0.1, 5.0, 0.3], np.float32),
    "codes": np.array([1, 2, 700], np.int16),
    "fine": np.linspace(-1, 1, 99, dtype=np.float32),
    "rough": np.array([0.001, 0.002, 500, 0.003], np.float32),
    "broken": np.array([np.nan], np.float32),
}


def test_several_tensors_worst_first(compare):
    lines = compare(SEVERAL, "x.npz", "--bits", "3").splitlines()
    assert lines[0].split() == [
        *("tensor", "type", "shape", "best", "observer", "sqnr", "minmax", "sqnr", "gain")
    ]
    names = [line.split()[0] for line in lines[1:]]
    assert set(names[:2]) == {"fine", "rough"}
    assert names[2:] == ["fc.bias", "codes", "broken"]
    assert "refused: There is no finite element" in lines[5]
    best = [float(line.split()[-3]) for line in lines[1:3]]
    naive = [float(line.split()[-2]) for line in lines[1:3]]
    gain = [float(line.split()[-1]) for line in lines[1:3]]
    assert best == sorted(best)
    assert gain == pytest.approx(np.subtract(best, naive), abs=0.01)


def test_several_tensors_as_json_keep_that_order(rows):
    found = rows(SEVERAL, "x.npz", "--bits", "3", "--observers", "minmax")
    assert [row["tensor"] for row in found][2:] == ["fc.bias", "codes", "broken"]


def test_a_tensor_that_does_not_fit_does_not_stop_the_others(rows):
    arrays = {"flat": X, "square": np.eye(3, dtype=np.float32)}
    found = rows(arrays, "x.npz", "--axis", "1", "--observers", "minmax")
    assert "Axis 1 does not exist" in found[-1]["refused"]
    assert [row["tensor"] for row in found] == ["square"] * 4 + ["flat"]


def test_text_of_one_tensor(compare):
    lines = compare(
        {"x": X}, "x.npz", "--observers", "minmax,sigma:k=1", "--bits", "2"
    ).splitlines()
    assert lines[0] == "x  float32  5"
    assert lines[1].split()[:6] == ["observer", "lo", "hi", "scale", "zero_point", "sqnr"]
    cells = {line.split()[0]: line.split() for line in lines[2:]}
    assert cells["minmax"][1:6] == ["-1", "1", "0.6667", "2", "8.692"]
    assert len({line.rstrip().rfind(" ") for line in lines[1:]}) == 1  # last column aligned


def test_text_marks_what_is_approximate(compare):
    x = np.random.default_rng(1).standard_normal(1_000_000, dtype=np.float32)
    assert "≈" in compare({"x": x}, "x.npz", "--observers", "minmax")
    assert "≈" not in compare({"x": x}, "x.npz", "--observers", "minmax", "--exact")


def test_one_reason_of_all_observers_is_given_once(compare):
    arrays = {"x": np.array([], np.float32)}
    lines = compare(arrays, "x.npz", "--observers", "minmax,absmax").splitlines()
    assert len(lines) == 2 and lines[1].startswith("every observer  refused: There is no")
    lines = compare(arrays, "x.npz", "--observers", "minmax").splitlines()
    assert len(lines) == 2 and lines[1].startswith("minmax  refused: ")


def test_scales_and_zero_points_are_ranked_only_when_named(compare, rows, capsys):
    codes = np.arange(-8, 8, dtype=np.int8).reshape(4, 4)
    scale, zero = np.float32([0.1, 0.2, 0.3, 0.45]), np.int32([0, 1, 0, 2])
    arrays = {"w": codes, "w_scale": scale.reshape(4, 1), "w_zero_point": zero.reshape(4, 1)}
    out = compare(arrays, "x.npz", "--observers", "minmax")
    assert [line.split()[0] for line in out.splitlines()] == ["tensor", "w", "w", "2"]
    assert out.splitlines()[-1].startswith("2 scales and zero points are not ranked; name one")
    assert main(["compare", "x.npz", "--observers", "minmax", "--json"]) == 0
    told = capsys.readouterr()
    assert {row["tensor"] for row in json.loads(told.out)} == {"w", "w (dequantized)"}
    assert "not ranked" in told.err
    (row,) = rows(arrays, "x.npz::w_scale", "--observers", "minmax")
    assert row["tensor"] == "w_scale" and row["hi"] == np.float32(0.45)
