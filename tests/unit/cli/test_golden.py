"""The golden command: lines, closing line, exit status."""

import json
import sys

import pytest

from qviz.cli.golden import MOST
from qviz.cli.main import main
from tests.unit.golden.demo import REPLAYS, array, case, write

WRONG = array("float32", 2, 3)


@pytest.fixture(autouse=True)
def only_the_demo(monkeypatch):
    monkeypatch.setattr(sys.modules["qviz.golden.replay"], "REPLAYS", dict(REPLAYS))


def run(capsys, *words):
    status = main(["golden", *map(str, words)])
    told = capsys.readouterr()
    return status, told.out.splitlines(), told.err


def test_all_is_well(tmp_path, capsys):
    folder = write(tmp_path, case(0), case(1, binding=False), case(0, op="halve"))
    status, lines, _ = run(capsys, folder)
    assert status == 0
    assert lines == ["-- demo", "1 passed, 0 failed, 1 skipped, 1 not covered (halve 1)"]


def test_a_failing_case_is_told_with_its_first_difference(tmp_path, capsys):
    status, lines, _ = run(capsys, write(tmp_path, case(0), case(7, want=WRONG)))
    assert status == 1
    assert lines == [
        "-- demo",
        "double/7 (double): y[0]: got np.float32(2.0), recorded np.float32(3.0) (3 of 3 differ)",
        "1 passed, 1 failed",
    ]


def test_both_backends(tmp_path, capsys):
    folder = write(tmp_path, case(0))
    for backend in ("numpy", "torch"):
        status, lines, _ = run(capsys, folder, "--backend", backend, "--device", "cpu")
        assert (status, lines[-1]) == (0, "1 passed, 0 failed")


def test_only_so_many_are_told(tmp_path, capsys):
    cases = [case(i, want=WRONG) for i in range(MOST + 3)]
    status, lines, _ = run(capsys, write(tmp_path, *cases))
    assert status == 1
    assert len(lines) == MOST + 3
    assert lines[-2:] == ["... and 3 more", f"0 passed, {MOST + 3} failed"]


def test_json(tmp_path, capsys):
    folder = write(tmp_path, case(0), case(1, want=WRONG), case(0, op="halve"))
    status = main(["golden", str(folder), "--json"])
    told = json.loads(capsys.readouterr().out)["demo"]
    assert status == 1
    assert told["passed"] == 1 and told["skipped"] == 0
    assert told["not_covered"] == {"halve": 1}
    assert told["failures"][0]["case"] == "double/1"
    assert told["failures"][0]["words"].startswith("y[0]: got")
    assert told["closing"] == "1 passed, 1 failed, 1 not covered (halve 1)"


def test_a_folder_of_sets(tmp_path, capsys):
    write(tmp_path / "one", case(0))
    write(tmp_path / "two", case(0), case(1, want=WRONG))
    status, lines, _ = run(capsys, tmp_path)
    assert status == 1
    assert [line for line in lines if line.startswith("--")] == ["-- demo", "-- demo (two)"]
    assert [line for line in lines if "passed" in line] == [
        "1 passed, 0 failed",
        "1 passed, 1 failed",
    ]


def test_names_are_not_obeyed_by_the_terminal(tmp_path, capsys):
    folder = write(tmp_path, {**case(0, want=WRONG), "id": "a\x1b[31mb"})
    _, lines, _ = run(capsys, folder)
    assert "\x1b" not in "".join(lines) and lines[1].startswith("a\\x1b[31mb (double)")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["missing"], "missing holds no vectors"),
        ([], "required: DIR"),
        (["{set}", "--backend", "jax"], "invalid choice: 'jax'"),
        (["{set}", "--device", "cuda"], "main memory"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(tmp_path, capsys, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    folder = write(tmp_path / "set", case(0))
    status, lines, told = run(capsys, *(word.replace("{set}", str(folder)) for word in words))
    assert (status, lines) == (2, [])
    assert says in told and told.count("\n") == 1
