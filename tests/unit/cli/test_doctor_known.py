"""Each tensor that belongs to another one reaches the rules, or is refused."""

import json

import numpy as np
import pytest

from qviz.cli.main import main

RNG = np.random.default_rng(0)
UNIFORM = RNG.uniform(-1, 1, 20_000)
STEP = float(np.abs(UNIFORM).max() / 127)
CODES = np.clip(np.rint(UNIFORM / STEP) + 127, 0, 254)
WEIGHT = RNG.standard_normal((32, 64)).astype(np.float32)


@pytest.fixture
def file(tmp_path):
    def save(name, x):
        np.save(tmp_path / f"{name}.npy", x)
        return tmp_path / f"{name}.npy"

    return save


def found(capsys, *words):
    assert main(["doctor", *map(str, words), "--json"]) in (0, 1)
    return {row["rule"]: row for row in json.loads(capsys.readouterr().out)}


def refused(capsys, *words):
    assert main(["doctor", *map(str, words)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_codes_that_were_decoded_with_another_zero_point(capsys, file):
    x, ends = file("x", UNIFORM), ("--quant-min", 0, "--quant-max", 254)
    for codes in (file("q", CODES), file("u", CODES.astype(np.uint8))):
        words = (x, "--symmetric", *ends, "--codes", codes, "--scale", STEP)
        one = found(capsys, *words, "--zero-point", 128)["BIAS-ONE-STEP"]
        assert one["evidence"]["fitting_zero_point"] == 127
        assert one["fixes"][0]["gain_db"] == pytest.approx(48.06 - 36.94, abs=0.1)
        assert "BIAS-ONE-STEP" not in found(capsys, *words, "--zero-point", 127)


def test_the_role_says_which_of_two_tensors_is_the_weight(capsys, file):
    # as weight: +-127 with codes 255, each sum beyond 16 bits; as activation: codes 255 and 0
    w, a = file("x", [[127.0, 127.0], [-127.0, -127.0]]), file("a", [[1.0, 1.0]])
    for role, share in (("weight", 1.0), ("activation", 0.5)):
        made = found(capsys, w, "--operand", a, "--role", role)["HW-SATURATION"]
        assert made["evidence"]["share"] == share
    assert found(capsys, w, "--operand", a)["HW-SATURATION"]["evidence"]["share"] == 0.5


def test_the_role_says_where_channels_lie(capsys, file):
    x = np.array(WEIGHT.T)
    x[3] *= np.float32(1e-3)
    for role, axis in (("weight", 0), ("bias", 0)):
        made = found(capsys, file("x", x), "--role", role, "--signed", "--symmetric")
        assert made["MIXED-RANGES"]["evidence"]["axis"] == axis
    assert "MIXED-RANGES" not in found(capsys, file("x", x), "--role", "activation")


def test_importance_of_elements_and_of_columns(capsys, file):
    x, none = file("g", WEIGHT[0, :32]), file("none", np.zeros(32))
    words = (x, "--bits", 4, "--signed", "--symmetric", "--importance")
    assert found(capsys, *words, none)["ZERO-WEIGHTS"]["severity"] == "high"
    assert "ZERO-WEIGHTS" not in found(capsys, *words, file("one", np.eye(32)[3]))
    whole = np.ones((32, 64))
    whole[5] = 0
    rows = (file("w", WEIGHT), "--axis", 0, "--importance")
    one = found(capsys, *rows, file("whole", whole))["ZERO-WEIGHTS"]
    assert one["evidence"]["groups"] == [5]
    assert "ZERO-WEIGHTS" not in found(capsys, *rows, file("columns", np.eye(64)[0]))


def test_pairs_that_saturate(capsys, file):
    one, other = np.array([255.0, 255.0]), np.array([127.0, 127.0])
    for a, w in ((one, other), (one[None], other[None]), (one[None], other[:, None])):
        made = found(capsys, file("a", a), "--operand", file("w", w))["HW-SATURATION"]
        assert made["evidence"]["share"] == 1 and made["fixes"][0]["measured_at"] == "output"
    words = (file("a", one[None]), "--operand", file("w", [[127.0, 127.0], [-127.0, -127.0]]))
    assert found(capsys, *words)["HW-SATURATION"]["evidence"]["share"] == 1  # rows add up alike
    assert "HW-SATURATION" not in found(capsys, *words, "--operand-axis", 0)  # columns cancel


def test_a_target_and_a_format(capsys, file):
    x = file("x", 1000 * WEIGHT)
    assert "TARGET-SYMMETRIC-ONLY" in found(capsys, x, "--symmetric-only")
    assert "FP8-OVERFLOW" in found(capsys, x, "--stored-as", "float8_e4m3fn")
    assert "FP8-OVERFLOW" not in found(capsys, x, "--stored-as", "float8_e5m2")


def test_what_does_not_fit_the_tensor(capsys, file, tmp_path):
    w, v, three = file("w", WEIGHT), file("v", WEIGHT[0]), file("three", np.ones(3))
    said = refused(capsys, w, "--bias", three, "--input-scale", 0.1)
    assert "3 biases do not fit a weight of shape (32, 64). Each output has one: 32 or 64." in said
    wide = ("--bias", file("b", np.ones(64)), "--input-scale", 0.1)
    assert "BIAS-OVERFLOW" not in found(capsys, w, *wide)
    assert "Each output has one: 32. " in refused(capsys, w, *wide, "--axis", 0)
    nan = file("nan", np.full(32, np.nan))
    assert "NaN or infinity" in refused(capsys, w, "--bias", nan, "--input-scale", 0.1)
    assert "must have 64 elements" in refused(capsys, w, "--operand", three)
    assert "must have 64 elements" in refused(capsys, w, "--operand", w, "--operand-axis", 0)
    assert "none below 0" in refused(capsys, v, "--importance", file("m", -np.ones(64)))
    assert "importance weights have shape (3,)" in refused(capsys, w, "--importance", three)
    scale = ("--scale", 0.1)
    assert "The codes have shape (3,)" in refused(capsys, w, "--codes", three, *scale)
    assert "without their scale" in refused(capsys, w, "--codes", w)
    assert "none of the codes 0 to 255" in refused(capsys, w, "--codes", w, *scale)
    codes = file("q", WEIGHT.astype(np.int8))
    assert "holds codes itself" in refused(capsys, codes, "--codes", codes, *scale)
    assert "holds codes." in refused(capsys, codes, "--operand", w)
    assert "Give --scale too." in refused(capsys, codes, *wide)
    np.savez(tmp_path / "two.npz", a=WEIGHT, b=WEIGHT)
    both = tmp_path / "two.npz"
    assert "--codes belongs to one tensor" in refused(capsys, both, "--codes", codes)
    assert "holds 2 tensors" in refused(capsys, w, "--importance", both)


def test_a_bias_meets_the_scale_of_stored_codes(capsys, file):
    words = (file("q", WEIGHT.astype(np.int8)), "--scale", 1e-9, "--input-scale", 0.5)
    bias = np.r_[5.0, np.zeros(31)]
    made = found(capsys, *words, "--bias", file("b", bias))["BIAS-OVERFLOW"]
    assert made["evidence"]["channels"] == [0]  # 5 / (0.5 * 1e-9) = 1e10 steps, over 2^31
