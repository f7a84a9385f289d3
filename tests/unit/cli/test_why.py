"""The command ``why``: text and JSON of one element."""

import json

import numpy as np
import pytest

from qviz.cli.main import main

X = np.array([[-3, 0.5, 252], [0.25, np.nan, 2.5]], np.float32)
TIE = 0.052941177  # 4.5 steps of 3/255 in float32


def nothing(word):
    raise AssertionError(f"{word} is no JSON")


@pytest.fixture
def why(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    np.savez("two.npz", a=X, b=X)

    def run(*words, status=0):
        assert main(["why", *words]) == status
        out = capsys.readouterr()
        return out.err if status else out.out

    return run


@pytest.fixture
def found(why):
    return lambda *words: json.loads(why(*words, "--json"), parse_constant=nothing)


def test_ties_of_two_kinds(found):
    # min-max [-3, 252] gives scale 1 and zero point 3
    for index, after, before in ((1, 3, 4), (5, 5, 6)):
        shown = found("x.npy", "--index", str(index))
        assert (shown["lo"], shown["hi"], shown["scale"]) == (-3, 252, 1)
        codes = {a["rule"]: a["code"] for a in shown["answers"]}
        assert codes["torch.affine"] == codes["ort.affine"] == after
        assert codes["torch.quantize_per_tensor"] == before
        assert len(shown["tie"]) == 4


def test_what_is_written_about_a_tie(found, why):
    np.save("tie.npy", np.float32([TIE]))
    shown = found("tie.npy", "--range", "-0.5", "2.5")
    assert shown["bits"]["exponent"] == "01111010" and shown["bits"]["power"] == -5
    assert shown["line"]["floats"] == 0 and shown["chosen"]["zero_point"] == 42
    assert [way["ulps"] == 0 for way in shown["ways"]] == [True, True, False, False]
    text = why("tie.npy", "--range", "-0.5", "2.5")
    assert "float32 bits 0 01111010 10110001101100011011001" in text
    assert "range [-0.5, 2.5], codes 0 to 255, scale 0.01176" in text
    (row,) = [line.split() for line in text.splitlines() if line.startswith("tf.fake_quant ")]
    assert row == ["tf.fake_quant", "up", "43", "48", "0.05882353", "0.005882", "-"]
    assert text.isascii()


def test_codes_mode_and_group_follow_the_options(found):
    shown = found("x.npy", "--index", "3", "--axis", "0", "--bits", "4", "--signed")
    assert (shown["quant_min"], shown["quant_max"]) == (-8, 7)
    assert (shown["lo"], shown["hi"]) == (0.25, 2.5)  # of the second row
    shown = found("x.npy", "--mode", "affine:tie=away", "--index", "1")
    assert shown["chosen"]["rule"] == "affine:tie=away" and shown["chosen"]["code"] == 4


def test_nan_is_null(found, why):
    shown = found("x.npy", "--index", "4")
    assert (shown["value"], shown["line"], shown["ways"]) == (None, None, [])
    assert shown["bits"]["case"] == "nan" and shown["chosen"]["result"] is None
    assert "No distance in ulps: x is not finite." in why("x.npy", "--index", "4")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("x.npy", "--index", "6"), "There is no element 6. Use 0 to 5."),
        (("x.npy", "--index", "-1"), "There is no element -1."),
        (("x.npy", "--index", "one"), "'one' is not a whole number"),
        (("x.npy", "--range", "1", "nan"), "'nan' is not finite"),
        (("x.npy", "--range", "1", "x"), "'x' is not a number"),
        (("x.npy", "--range", "2", "1"), "lo 2 is above hi 1"),
        (("two.npz",), "2 tensors are there. Name one with ::NAME, of a, b."),
        (("x.npy", "--mode", "group_int4"), "int4 groups have the codes 0 to 15"),
        (("x.npy", "--group", "2"), "do not divide axis"),
    ],
)
def test_refusals(why, words, says):
    assert says in why(*words, status=2)


def test_a_tie_is_called_one(why):
    # scale 1, zero point 3: 0.5 goes down to 0, 2.5 to 2, both half to even
    for index in ("1", "5"):
        text = why("x.npy", "--index", index)
        assert "a tie, x is on it and this rule sends it down" in text
        assert "values from it" not in text


def test_clipped_is_said_of_infinity_and_not_of_nan(found):
    np.save("odd.npy", np.float32([np.inf, np.nan, -3, 252]))
    shown = found("odd.npy", "--index", "0", "--range", "-3", "252")
    assert {a["clipped"] for a in shown["answers"] if a["code"] == 255} == {"high"}
    shown = found("odd.npy", "--index", "1", "--range", "-3", "252")
    assert {a["clipped"] for a in shown["answers"]} == {""}
