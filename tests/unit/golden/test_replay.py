"""A set goes through its replays: what passed, what failed and where, what was left."""

import sys

import pytest
import torch

from qviz.errors import QvizError
from qviz.golden import replay
from qviz.golden.replay import Report
from qviz.golden.vectors import load
from tests.unit.golden.demo import REPLAYS, array, case, write

WRONG = array("float32", 2, 3)  # 3, 2, 4 instead of 2, 4, 6


@pytest.fixture(autouse=True)
def only_the_demo(monkeypatch):
    monkeypatch.setattr(sys.modules["qviz.golden.replay"], "REPLAYS", dict(REPLAYS))


def report(folder, *cases, **how):
    return replay(load(write(folder, *cases)), **how)


def test_passed_and_failed(tmp_path):
    found = report(tmp_path, case(0), case(1, want=WRONG), case(2))
    assert found.passed == 2
    (failure,) = found.failures
    assert (failure.case, failure.op) == ("double/1", "double")
    assert failure.words == ("y[0]: got np.float32(2.0), recorded np.float32(3.0) (3 of 3 differ)")
    assert found.closing == "2 passed, 1 failed"


def test_informative_cases_are_skipped(tmp_path):
    found = report(tmp_path, case(0), case(1, want=WRONG, binding=False))
    assert found.closing == "1 passed, 0 failed, 1 skipped"


def test_operations_without_a_replay_are_not_covered(tmp_path):
    cases = [case(0), case(0, op="halve"), case(1, op="halve"), case(0, op="add")]
    found = report(tmp_path, *cases)
    assert found.not_covered == {"halve": 2, "add": 1}
    assert found.closing == "1 passed, 0 failed, 3 not covered (add 1, halve 2)"


def test_an_error_nobody_recorded_is_a_failure(tmp_path):
    found = report(tmp_path, case(0, op="refuse"), case(0, op="stumble"))
    said = [failure.words for failure in found.failures]
    assert said == ["refused: No refuse today.", "KeyError: 'missing'"]


def test_inputs_are_tensors_for_torch(tmp_path, monkeypatch):
    seen = []

    def look(case):
        seen.append((case.array(case["inputs"]["x"]), case.backend))
        return []

    monkeypatch.setattr(sys.modules["qviz.golden.replay"], "REPLAYS", {"demo.double": look})
    assert report(tmp_path, case(0), backend="torch").passed == 1
    ((x, backend),) = seen
    assert isinstance(x, torch.Tensor) and x.tolist() == [1, 2, 3] and backend == "torch"


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"backend": "jax"}, "No backend is called 'jax'"),
        ({"backend": "numpy", "device": "cuda"}, "main memory"),
    ],
)
def test_unknown_kinds_of_inputs(tmp_path, how, says):
    with pytest.raises(QvizError, match=says):
        report(tmp_path, case(0), **how)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_missing_device_is_said_so(tmp_path):
    with pytest.raises(QvizError, match="no CUDA device"):
        report(tmp_path, case(0), backend="torch", device="cuda")


def test_nothing_at_all():
    assert Report().closing == "0 passed, 0 failed"
