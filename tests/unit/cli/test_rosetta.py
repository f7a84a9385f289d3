"""The command ``rosetta``: rows, groups, sentences, JSON."""

import json

import numpy as np
import pytest

from qviz.cli.main import main
from qviz.rosetta import rules


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def running(*words):
        status = main(["rosetta", *words])
        shown = capsys.readouterr()
        return shown.out if status == 0 else shown.err

    return running


def test_a_typed_range(run):
    lines = run("--range", "-0.5", "2.5").splitlines()
    framework = [rule for rule in rules() if rule.kind == "framework"]
    assert lines[0].startswith(f"{len(framework)} rules, ")
    assert lines[0].endswith(" on [−0.5, 2.5]: the zero point falls on a tie or just beside it")
    (torch,) = [line for line in lines if "torch Affine uint8 " in line and " part " not in line]
    assert " 0.0117647061  0x1.8181820000000p-7 " in torch
    assert "42.5          42  [-0.4941176, 2.505883]" in torch
    assert sum("values next to where some rule changes its code, not on data" in s for s in lines)
    parted = [line for line in lines if "TF fake_quant part at" in line]
    assert len(parted) == 1
    assert (
        "both get 42.5; the first makes it 42 (half to even), the second makes it 43" in parted[0]
    )


def test_json_of_a_tensor(run):
    np.save("x.npy", np.float32([[-1, 0.25], [0.5, 1]]))
    words = ("x.npy", "--json", "--kinds", "all", "--reference", "ort.affine uint8")
    rows = json.loads(run(*words), parse_constant=pytest.fail)
    assert len(rows) == len(rules())
    by_name = {row["rule"]: row for row in rows}
    assert rows[0]["rule"] == "ort.affine uint8" and rows[0]["group"] == "A"
    torch = by_name["torch.affine uint8"]
    assert (torch["zero_point"], rows[0]["zero_point"]) == (127, 128)
    assert torch["first_difference"] == "raw zero point" and torch["codes_differ"] == 1.0
    assert "127.49999" in torch["sentence"] and "127.5" in torch["sentence"]
    assert float.fromhex(torch["scale_hex"]) == torch["scale"]
    assert [step["name"] for step in torch["steps"]][:2] == ["range", "widened"]


@pytest.mark.parametrize("ends", [("0", "0"), ("-1e-8", "1e-8"), ("nan", "nan"), ("-inf", "inf")])
def test_ranges_that_are_no_ranges(run, ends):
    assert run("--range", *ends).startswith(f"{framework()} rules, ")
    json.loads(run("--range", *ends, "--json"), parse_constant=pytest.fail)


def test_what_is_no_number_is_told_from_what_is_not_there(run):
    rows = {row["rule"]: row for row in json.loads(run("--range", "nan", "nan", "--json"))}
    assert rows["torch.affine uint8"]["raw_zero_point"] == "NaN"
    assert rows["tf.min_combined uint8"]["raw_zero_point"] is None


def test_numbers_beyond_float32_go_quietly(run):
    """Warnings are errors here."""
    assert "the range overflows float32" in run("--range", "0", "1e300")


def test_of_a_tensor_it_says_how_many(run):
    np.save("x.npy", np.float32([-1, 0.25, 0.5, np.nan]))
    assert "Counted on all 3 finite elements." in run("x.npy")


def framework():
    return sum(rule.kind == "framework" for rule in rules())


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), "There is no range"),
        (("--range", "0", "1", "--kinds", "mine"), "No kind of rules is 'mine'"),
        (("--range", "0", "1", "--reference", "mine"), "No rule here is 'mine'"),
        (("samples",), "Choose one"),
        (("--range", "0", "x"), "invalid float"),
        (("--range", "3", "1"), "ends below its start"),
    ],
)
def test_what_is_refused(run, words, named):
    assert named in run(*words)
