"""A model runs once all tensors were looked at, for the worst of them first."""

import json
import weakref

import pytest

from qviz.cli import doctor, within
from qviz.cli.main import main
from qviz.doctor import examined
from qviz.doctor.base import HIGH, Examined, Finding, Fix
from qviz.doctor.examining import rank
from qviz.sources.captured.source import Captured

TWIN = ("sample:digits_cnn_rescaled.onnx", "--inputs", "sample:digits_calib.npz")
CODES = ("--bits", "4", "--signed", "--symmetric", "--json")


@pytest.fixture
def seen(monkeypatch):
    """What is looked at: alone, and with the model, which does not run."""
    made = {"alone": {}, "model": [], "cases": []}

    def alone(case, rules):
        assert not made["model"]  # all are looked at before the model runs for any
        made["cases"].append(weakref.ref(case))
        found = made["alone"][case.name] = examined(case, rules)
        return found

    def look(self, case, found):
        made["alive"] = sum(ref() is not None for ref in made["cases"])
        made["model"].append(self.name)
        gain = float(len(made["model"]))  # the other way round: the last gains most
        finding = Finding(HIGH, "1 is bad.", fixes=(Fix("mend", gain),), rule="MIXED-RANGES")
        return Examined(case.name, (finding,), {}, 1), ""

    monkeypatch.setattr(doctor, "examined", alone)
    monkeypatch.setattr(within.Within, "look", look)
    return made


def test_the_model_runs_for_the_worst_first_and_the_final_rank_is_told(capsys, seen):
    assert main(["doctor", *TWIN, *CODES]) == 1
    faulty = [one for one in seen["alone"].values() if one.faulty]
    asked = seen["model"]
    assert asked == [one.name for one in sorted(faulty, key=rank)] and len(asked) > 2
    assert asked != [name for name in seen["alone"] if name in asked]  # as the file has them
    rows = json.loads(capsys.readouterr().out)
    told = [row["tensor"] for row in rows if row["message"] == "1 is bad."]
    assert told == asked[::-1]  # the last gains most


def test_a_case_is_made_anew_and_not_kept(seen):
    main(["doctor", *TWIN, *CODES])
    assert len(seen["cases"]) > 5 and seen["alive"] == 0


def test_tensors_that_are_late_keep_what_was_found_alone(capsys, monkeypatch, seen):
    monkeypatch.setattr(within, "SECONDS", 0.0)
    assert main(["doctor", *TWIN, *CODES]) == 1
    out, err = capsys.readouterr()
    assert seen["model"] == [] and "the model runs no more" in err
    faulty = sorted((one for one in seen["alone"].values() if one.faulty), key=rank)
    assert json.loads(out)[0]["tensor"] == faulty[0].name


def test_values_that_were_not_kept_come_from_one_run_for_many(capsys, monkeypatch, seen):
    runs = []
    monkeypatch.setattr(Captured, "lacks", lambda self, name: 1)
    monkeypatch.setattr(Captured, "ahead", lambda self, names: runs.append(list(names)))
    main(["doctor", *TWIN, *CODES])
    (names,) = runs
    assert names == list(seen["alone"]) and len(names) > 5
