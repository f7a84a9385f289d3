"""``alone``: the table, JSON, a line for each tensor, and what is printed when it is cut short."""

import json
import subprocess
import sys

import numpy as np
import pytest

from qviz.cli import alone
from qviz.cli.main import main
from qviz.models.alone import Sensitivity
from qviz.models.limits import out_of_time
from tests.browser.serving import ROOT
from tests.unit.models.graphs import DIGITS, IMAGES, node, value, written
from tests.unit.models.test_jobs import slow

MOVED = ["--activations", "manual:lo=0,hi=0.5 4"]  # 1 becomes 0.5
WORDS = [str(DIGITS), "--inputs", str(IMAGES), "--batches", "1"]


@pytest.fixture
def unlimited(monkeypatch):
    """What would be called when the time is over; this process is not limited."""
    held = []
    monkeypatch.setattr(alone, "limit_this_process", lambda _, ended: held.append(ended))
    return held


def test_a_line_for_each_tensor_adds_up_to_the_whole(unlimited, capsys):
    assert main(["alone", *WORDS, "--json"]) == 0
    whole = Sensitivity.read(json.loads(capsys.readouterr().out))
    assert main(["alone", *WORDS, "--lines"]) == 0
    lines = capsys.readouterr().out.splitlines(keepends=True)
    begun = Sensitivity.gathered(lines[:1])
    assert begun.tried == 0 and begun.accuracy == whole.accuracy
    assert len(lines) == 1 + 3 * 11  # alone, with all before it, and but it
    assert Sensitivity.gathered(lines) == whole and not whole.why
    assert Sensitivity.gathered(lines[:6]).tried == 5


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_when_the_time_is_over_what_was_found_is_printed(form, unlimited, monkeypatch, capsys):
    told = alone.tell

    def tell(done, count):
        told(done, count)
        if done == 4:
            unlimited[0](out_of_time(9.0, 4, 33))

    monkeypatch.setattr(alone, "tell", tell)
    main(["alone", *WORDS, "--seconds", "9", *form])
    said = capsys.readouterr().out
    why = "The model was stopped after 9 seconds with 4 of 33 steps done."
    if form:
        found = Sensitivity.read(json.loads(said))  # it is printed once
        assert (found.tried, found.why) == (4, why)
        assert found.rows[4].note == "not reached in 9 s"
    else:
        lines = said.splitlines()
        assert len(lines) == 2 + 4 + 1
        assert lines[-1] == f"7 of 11 tensors were not reached: {why}"


def test_where_there_is_no_number_a_line_says_why(unlimited, tmp_path, capsys):
    x = np.ones((4, 3), np.float32)
    np.savez(tmp_path / "in.npz", x=x, labels=[0, 1, 2, 3])
    path = written(tmp_path / "m.onnx", [node("Log", "x", "y")], [value("x", ["n", 3])], ["y"])
    main(["alone", str(path), "--inputs", str(tmp_path / "in.npz"), *MOVED])
    *_, why, accuracy = capsys.readouterr().out.splitlines()
    assert why == "x  no number: All finite elements of the output are zero."
    assert accuracy.startswith("There is no accuracy. Labels go from 0 to 3")


def test_one_that_is_interrupted_prints_what_was_found(unlimited, monkeypatch, capsys):
    told = alone.tell

    def tell(done, count):
        told(done, count)
        if done == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(alone, "tell", tell)
    assert main(["alone", *WORDS]) == 130
    said = capsys.readouterr()
    assert "9 of 11 tensors were not reached: It was interrupted." in said.out
    assert said.err.endswith("qviz: stopped.\n")


def test_the_clock_ends_a_model_that_loops_with_nothing_to_print(tmp_path):
    words = ["alone", str(slow(tmp_path)), "--seconds", "2"]
    command = [sys.executable, "-m", "qviz", *words]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "stopped after 2 seconds; no step was finished. It may loop" in ended.stderr
