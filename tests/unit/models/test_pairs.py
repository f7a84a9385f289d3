"""Two sources side by side."""

from dataclasses import replace

import numpy as np
import pytest

from qviz.models import jobs, readahead
from qviz.models.children import spawn
from qviz.models.feeds import Feeds
from qviz.models.jobs import capture_model
from qviz.models.pairs import SAME, pairs
from qviz.models.readahead import needs_run
from qviz.sources.base import open_file
from tests.unit.models.graphs import node, value, written
from tests.unit.samples import sqnr

RNG = np.random.default_rng(2)
W = RNG.normal(size=(6, 50)).astype(np.float32)
CODES = np.clip(np.rint(W / 0.03), -128, 127).astype(np.int8)


def saved(path, **arrays):
    np.savez(path, **arrays)
    return open_file(path)


def quantized(path):
    """A model that keeps W as codes, and another constant as it is."""
    nodes = [node("DequantizeLinear", "w_quantized w_scale w_zero_point", "w")]
    constants = {"w_quantized": CODES, "w_scale": np.float32(0.03), "w_zero_point": np.int8(0)}
    return open_file(written(path, nodes, outputs=["w"], same=W[:2], **constants))


def test_a_float_model_and_its_codes(tmp_path):
    found = pairs(
        saved(tmp_path / "a.npz", w=W, same=W[:2], gone=W), quantized(tmp_path / "q.onnx")
    )
    (codes, same) = found.rows
    back = CODES * np.float64(np.float32(0.03))
    assert (codes.name, codes.other) == ("w", "w_quantized (dequantized)")
    assert codes.sqnr == pytest.approx(sqnr(W.astype(np.float64), back), abs=1e-4)
    assert codes.max_difference == pytest.approx(np.abs(W - back).max(), rel=1e-5)
    assert same.same and (same.sqnr, same.max_difference) == (None, 0.0)
    assert (found.only_a, found.only_b) == (("gone",), ())
    assert found.worst_first() == [codes, same]


def test_the_float_side_is_the_signal_whichever_comes_first(tmp_path):
    w = saved(tmp_path / "a.npz", w=W)
    (codes,) = (r for r in pairs(quantized(tmp_path / "q.onnx"), w).rows if r.other == "w")
    back = CODES * np.float64(np.float32(0.03))
    assert codes.name == "w_quantized (dequantized)"
    assert codes.sqnr == pytest.approx(sqnr(W.astype(np.float64), back), abs=1e-4)


def test_wrappers_and_shapes(tmp_path):
    a = saved(tmp_path / "a.npz", **{"fc.weight": W, "b": W})
    b = saved(tmp_path / "b.npz", **{"module.fc.weight": W + 1, "b": W[:3]})
    first, second = pairs(a, b).rows
    assert first.other == "module.fc.weight" and first.max_difference == pytest.approx(1, rel=1e-6)
    assert second.sqnr is None and "6x50 and 3x50" in second.note


def test_codes_of_unknown_scale_are_not_compared(tmp_path):
    found = pairs(saved(tmp_path / "a.npz", w=W), saved(tmp_path / "b.npz", w=CODES))
    assert found.rows[0].sqnr is None and "scale is not known" in found.rows[0].note


def test_what_is_not_finite_is_left_out(tmp_path):
    broken = W.copy()
    broken[0, 0] = np.nan
    (row,) = pairs(saved(tmp_path / "a.npz", w=W), saved(tmp_path / "b.npz", w=broken)).rows
    assert row.note == SAME
    (zero,) = pairs(saved(tmp_path / "c.npz", w=0 * W), saved(tmp_path / "a.npz", w=W)).rows
    assert zero.sqnr is None and "zero" in zero.note


class Ran:
    """What runs of a model give of its tensors; counts the runs."""

    def __init__(self, source):
        self.values, self.runs = {name: source[name] for name in source.names}, []
        self.source = replace(source, readers={}).replaying(self.one, self.ahead)

    def ahead(self, names):
        self.runs.append(list(names))

    def one(self, name):
        assert any(name in names for names in self.runs)  # none runs by itself
        return self.values[name]


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """One model on two inputs."""
    return tuple(captured(tmp_path_factory.mktemp("run"), seed) for seed in (0, 1))


def captured(path, seed):
    nodes = [node("Cos", f"v{at}", f"v{at + 1}") for at in range(40)]
    model = written(path / "m.onnx", nodes, [value("v0", [4, 25])], ["v40"])
    return capture_model(model, Feeds(seed=seed, batches=1), path)


def test_many_pairs_take_few_runs(two, monkeypatch):
    a, b = (Ran(source) for source in two)
    assert needs_run((a.source, b.source)) and not needs_run(two)
    whole = pairs(*two)
    assert len(whole.rows) == 41 and whole.rows[0].sqnr is not None
    assert pairs(a.source, b.source) == whole
    assert a.runs == b.runs == [list(two[0].names)]
    monkeypatch.setattr(readahead, "PART", 20 * 400 + 399)  # bytes: 20 of 100 float32 elements
    a.runs.clear()
    assert pairs(a.source, b.source) == whole
    assert [len(names) for names in a.runs] == [20, 20, 1]
    monkeypatch.setattr(readahead, "WORDS", 10 * (10 + 3))
    a.runs.clear()
    assert pairs(a.source, b.source) == whole
    assert [len(names) for names in a.runs] == [10, 10, 10, 10, 1]


def test_a_model_runs_once_for_all_pairs_in_a_child(two, monkeypatch):
    """The same values as one by one."""
    found, spawned = two[0], []
    monkeypatch.setattr(jobs, "spawn", lambda *a: (spawned.append(a), spawn(*a))[1])
    lean = replace(found, readers={})
    (whole,) = {row.same for row in pairs(lean, found).rows}
    assert whole and len(spawned) == 1
    assert lean.replay is not None
    np.testing.assert_array_equal(lean.replay("v7"), found["v7"])
