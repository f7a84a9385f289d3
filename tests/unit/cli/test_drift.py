"""The command ``drift``: rows per mode as text and as JSON."""

import json

import pytest

from qviz.cli.main import main
from qviz.quantizers.base import QUANTIZERS

WORDS = ["drift", "--range", "-1", "1", "--signed", "--mode", "tf.*"]


def test_json(capsys):
    assert main([*WORDS, "--rounds", "10", "--json"]) == 0
    rows = {row["mode"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(rows) == {name for name in QUANTIZERS if name.startswith("tf.")}
    climbing = rows["tf.min_first"]
    assert climbing["slope"] == pytest.approx(1, abs=1e-5) and climbing["drifts"] is True
    assert (climbing["declared_idempotent"], climbing["declared_holds"]) == (False, True)
    assert len(climbing["mean_errors"]) == 10
    assert rows["tf.min_combined"]["slope"] == 0
    assert "unsigned codes only" in rows["tf.fake_quant"]["refused"]


def test_text(capsys):
    assert main(WORDS) == 0
    lines = capsys.readouterr().out.splitlines()
    (climbing,) = [line.split() for line in lines if line.startswith("tf.min_first ")]
    assert climbing[1:3] == ["0.007843", "1"] and climbing[-1] == "no"
    assert any(line.startswith("tf.fake_quant  refused: ") for line in lines)
    assert "50 trips" in lines[0]


def test_every_mode_by_default(capsys):
    assert main(["drift", "--range", "0", "6", "--rounds", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["mode"] for row in rows] == list(QUANTIZERS)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--range", "1", "1"], "there is no range"),
        (["--range", "0", "1", "--rounds", "0"], "0 round trips"),
        (["--range", "0", "1", "--mode", "x*"], "No mode is called"),
        (["--range", "0", "1", "--bits", "40"], "40 bits are not offered"),
    ],
)
def test_mistakes(words, says, capsys):
    assert main(["drift", *words]) == 2
    assert says in capsys.readouterr().err
