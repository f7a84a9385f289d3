"""What PyTorch 2.13.0 and torchao 0.18.0 recorded comes out of the door."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qviz.dialects import pytorch
from qviz.golden import replay
from qviz.golden.vectors import load

HERE = Path(__file__).parent / "pytorch"
RECORDED = load(HERE)
PRESETS = json.loads((HERE / "manifest.json").read_text(encoding="utf-8"))["presets"]
COUNTS = {
    "observer": 332,
    "torchao": 110,
    "module": 69,
    "fq_channel": 67,
    "fq_tensor": 45,
    "quantize_tensor": 24,
    "quantize_channel": 24,
    "learnable_tensor": 20,
    "learnable_channel": 20,
    "choose_qparams_dynamic": 16,
}


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_recorded_vectors(backend):
    report = replay(RECORDED, backend)
    assert not report.failures
    assert (report.passed, report.skipped, dict(report.not_covered)) == (727, 0, {})


def test_every_operation_is_recorded():
    assert Counter(case["op"] for case in RECORDED.cases) == COUNTS


@pytest.mark.parametrize("name", PRESETS)
def test_ready_made_settings(name):
    made, told = getattr(pytorch, name)(), dict(PRESETS[name])
    watching = getattr(made, "activation_post_process", made)
    assert type(made).__name__ == told.pop("cls")
    assert type(watching).__name__ == told.pop("observer")
    if "scale" in told:
        assert [made.scale[0], made.zero_point[0]] == [told.pop("scale"), told.pop("zero_point")]
    assert {key: getattr(watching, key) for key in told} == told


def test_all_ready_made_settings_are_recorded():
    assert len(PRESETS) == 32
    assert set(PRESETS) <= set(pytorch.__all__)


def first(op, **fields):
    """The first case of an operation with these fields and no error."""
    return next(
        case
        for case in RECORDED.cases
        if case["op"] == op
        and all(case.get(name) == value for name, value in fields.items())
        and not {"init", "raises"} & set(case)
    )


def named(case, field):
    """The record in which a field lies: a case, or its last step."""
    return case["steps"][-1] if "steps" in case else case


FIELDS = {
    "observer": ("min", "max", "scale", "zp"),
    "module": ("y", "gx", "scale", "zp", "min", "max", "calc_scale", "calc_zp"),
    "torchao": ("min", "max", "scale", "zp", "fq"),
    "fq_tensor": ("y", "mask"),
    "fq_channel": ("y", "mask"),
    "learnable_tensor": ("y", "gx", "gscale", "gzp"),
    "learnable_channel": ("y", "gx", "gscale", "gzp"),
    "quantize_tensor": ("q", "deq"),
    "quantize_channel": ("q", "deq"),
    "choose_qparams_dynamic": ("scale", "zp"),
}
CHANGED = [(op, {}, field) for op, fields in FIELDS.items() for field in fields]
CHANGED += [("observer", {"cls": "HistogramObserver"}, "hist")]
CHANGED += [("module", {"cls": "_LearnableFakeQuantize"}, f) for f in ("gscale", "gzp")]


@pytest.mark.parametrize(("op", "fields", "field"), CHANGED)
def test_another_number_anywhere_is_a_failure(op, fields, field):
    case = first(op, **fields)
    place = named(case, field)
    changed = {**place, field: moved(place[field])}
    other = {**case, "steps": [*case["steps"][:-1], changed]} if "steps" in case else changed
    (failure,) = replay(replace(RECORDED, cases=(other,))).failures
    assert failure.words.startswith(field)


def moved(recorded):
    """The recorded value, its last element another one."""
    if isinstance(recorded, int):
        return recorded + 1
    other = recorded.copy()
    flat = other.reshape(-1)
    if other.dtype == bool:
        flat[-1] = not flat[-1]
    else:
        flat[-1] = flat[-1] + 1 if other.dtype.kind == "i" else flat[-1] * 2 + 1
    return other


@pytest.mark.parametrize("op", ["observer", "module", "fq_tensor", "fq_channel"])
def test_another_error_is_a_failure(op):
    case = next(c for c in RECORDED.cases if c["op"] == op and {"init", "raises"} & set(c))
    other = {"raises": "OSError"} if "raises" in case else {"init": {"raises": "OSError"}}
    (failure,) = replay(replace(RECORDED, cases=({**case, **other},))).failures
    assert "recorded 'OSError'" in failure.words


def test_a_step_that_is_refused_leaves_the_state():
    case = first("observer", cls="MinMaxObserver")
    steps = [case["steps"][0], {"x": np.float32([1]), "forward": {"raises": "RuntimeError"}}]
    (failure,) = replay(replace(RECORDED, cases=({**case, "steps": steps},))).failures
    assert failure.words == "forward: got 'no error', recorded 'RuntimeError'"
