import json

import numpy as np
import pytest

from qviz.cli.main import main

LOUD = "sample:outlier_channel"


def printed(capsys, *words):
    assert main(["channels", *words]) == 0
    return capsys.readouterr().out


def test_the_table_names_the_worst_first_and_the_loud_last(capsys):
    lines = printed(capsys, LOUD, "--axis", "1").splitlines()
    assert lines[0] == "outlier_channel  float32  128 x 64  axis 1"
    assert lines[1].split()[:3] == ["channel", "min", "max"]
    assert lines[65].split()[0] == "7" and lines[65].endswith("loud")
    assert lines[2].split()[4] == "8.225"
    gains = {line.split()[0]: line.split()[1] for line in lines[68:] if line}
    assert gains["per_tensor"] == "25.79" and gains["per_token"] == "35.24"
    assert "Groups of 128 do not divide" in "\n".join(lines)
    assert lines[-1].startswith("An activation:")


def test_json_holds_one_row_for_each_channel(capsys):
    found = json.loads(printed(capsys, LOUD, "--axis", "-1", "--json"))
    assert found["axis"] == 1 and len(found["channels"]) == 64
    loud = found["channels"][7]
    assert set(loud) == {
        *("channel", "min", "max", "absmax", "sqnr_per_tensor", "sqnr_per_channel"),
        *("codes_used", "dead", "exact", "loud", "near_dead", "all_zero", "no_finite_value"),
    }
    assert [row["channel"] for row in found["channels"] if row["loud"]] == [7]
    assert loud["channel"] == 7 and loud["absmax"] == pytest.approx(170.38, abs=0.01)
    assert loud["sqnr_per_tensor"] == pytest.approx(43.66, abs=0.01)
    named = {g["granularity"]: g for g in found["granularities"]}
    assert named["per_channel:1"]["gain"] == pytest.approx(17.86, abs=0.01)
    assert "do not divide" in named["per_group:-1:128"]["refused"]


def test_dead_and_lossless_channels_are_null_in_json(capsys, tmp_path):
    np.save(tmp_path / "w.npy", np.array([[0, 0], [127, 1], [0.3, -0.4]], np.float32))
    rows = json.loads(printed(capsys, str(tmp_path / "w.npy"), "--json"))["channels"]
    assert rows[0]["dead"] and rows[0]["sqnr_per_tensor"] is None
    assert rows[1]["exact"] and rows[1]["sqnr_per_tensor"] is None
    assert rows[2]["codes_used"] == 1 and rows[2]["sqnr_per_tensor"] == 0
    text = printed(capsys, str(tmp_path / "w.npy"))
    assert "dead" in text and "exact" in text and "all become 0" in text


def test_a_channel_of_nan_is_neither_dead_nor_without_a_word(capsys, tmp_path):
    x = np.array([[1, 2], [np.nan, np.inf], [0, 0], [3, 127]], np.float32)
    np.save(tmp_path / "w.npy", x)
    rows = json.loads(printed(capsys, str(tmp_path / "w.npy"), "--json"))["channels"]
    assert [row["dead"] for row in rows] == [False, False, True, False]
    assert [row["no_finite_value"] for row in rows] == [False, True, False, False]
    gone = {name: rows[1][name] for name in ("min", "max", "absmax", "codes_used")}
    assert set(gone.values()) == {None}
    line = next(t for t in printed(capsys, str(tmp_path / "w.npy")).splitlines() if t[:2] == "1 ")
    assert line.split() == ["1", "-", "-", "-", "-", "-", "-", "no", "finite", "value"]


def test_one_axis_in_groups(capsys, tmp_path):
    np.save(tmp_path / "v.npy", np.arange(1, 9, dtype=np.float32))
    rows = json.loads(printed(capsys, str(tmp_path / "v.npy"), "--group", "4", "--json"))[
        "channels"
    ]
    assert [(row["min"], row["max"]) for row in rows] == [(1, 4), (5, 8)]


def test_other_codes_and_observers(capsys):
    affine = printed(capsys, LOUD, "--axis", "1", "--affine", "--bits", "4")
    cut = printed(capsys, LOUD, "--axis", "1", "--observer", "percentile:keep=99")
    assert "per_tensor         3.577" in cut and affine != cut


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["samples"], "Channels are shown of one"),
        (["sample:relu"], "Name a size of groups: --group 32"),
        (["sample:relu", "--group", "100"], "Groups of 100 do not divide 8192"),
        ([LOUD, "--group", "4"], "tensors of one axis"),
        ([LOUD, "--bits", "1"], "Add --affine or more --bits"),
        ([LOUD, "--axis", "5"], "Axis 5 does not exist"),
        ([LOUD, "--bits", "40"], "40 bits"),
        ([LOUD, "--observer", "nobody"], "No observer"),
    ],
)
def test_mistakes_are_one_line(capsys, words, reason):
    assert main(["channels", *words]) == 2
    assert reason in capsys.readouterr().err
