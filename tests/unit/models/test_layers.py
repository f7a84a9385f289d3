"""The table of layers, against arithmetic of its own."""

import json

import numpy as np
import pytest

from qviz.models.layers import KEYS, LayerRow, holding_nan, layer_rows, recurring, worst_first
from qviz.models.scheme import Scheme, Schemes
from qviz.models.tally import Tally
from qviz.sources.base import TensorInfo, open_file
from qviz.sources.captured.source import Captured
from tests.unit.models.graphs import node, value, written
from tests.unit.samples import sqnr, symmetric

RNG = np.random.default_rng(11)
FOUR = Schemes(
    Scheme.parse("absmax 8 signed symmetric narrow_range per_channel"),
    Scheme.parse("absmax 4 signed symmetric narrow_range"),
)


def captured(values=True, **batches):
    """A capture of these tensors, all activations with channels on axis 1."""
    tallies = {}
    for name, parts in batches.items():
        tallies[name] = Tally(parts[0], 1)
        for part in parts[1:]:
            tallies[name].add(part)
    infos = {
        name: TensorInfo(name, t.shape, t.dtype, name, "activation", splits=t.splits)
        for name, t in tallies.items()
    }
    gathered = {name: t.gathered() for name, t in tallies.items()}
    axes = {name: g.channels.axis if g.channels else None for name, g in gathered.items()}
    readers = {n: (lambda p=p: np.concatenate(p)) for n, p in batches.items() if values}
    ops = dict.fromkeys(infos, "Relu")
    return Captured("model", infos, {}, ops, axes, gathered, readers)


def row(source, name, schemes=FOUR):
    return next(row for row in layer_rows(source, schemes) if row.name == name)


def test_a_row_of_an_activation():
    parts = [RNG.normal(size=(8, 5, 30)).astype(np.float32) for _ in range(2)]
    parts[1][:, 3] *= 20
    x = np.concatenate(parts)
    found = row(captured(x=parts), "x")
    amax = np.abs(x).max(axis=(0, 2))
    assert (found.op, found.role, found.shape, found.dtype) == (
        "Relu", "activation", (16, 5, 30), "float32",
    )  # fmt: skip
    assert (found.min, found.max) == (x.min(), x.max())
    assert found.sqnr == pytest.approx(sqnr(x, symmetric(x.astype(np.float64), 4)), abs=1e-4)
    assert found.codes_used == len(np.unique(np.rint(x / (np.abs(x).max() / 7))))
    assert found.channel_ratio == pytest.approx(amax[3] / np.median(amax))
    assert (found.worst_channel, found.loud, found.channels, found.levels) == (3, (3,), 5, 15)
    assert found.exact and sum(found.bars) == x.size


def test_statistics_alone_give_nearly_the_same():
    parts = [RNG.laplace(size=(40, 4, 1000)).astype(np.float32) for _ in range(2)]
    by_values, alone = row(captured(x=parts), "x"), row(captured(False, x=parts), "x")
    assert by_values.exact and not alone.exact
    assert alone.sqnr == pytest.approx(by_values.sqnr, abs=0.03)
    assert alone.codes_used == by_values.codes_used


HEAPS = {
    "clipped at 6": lambda x: np.clip(5 * x, 0, 6),
    "close to 1": lambda x: 1 / (1 + np.exp(-8 * x)),
    "masked": lambda x: np.where(np.arange(x.shape[-1]) < 600, 2 * x, 2 * x - 10_000),
    "around an offset": lambda x: 0.01 * x - 0.375,
}


@pytest.mark.parametrize("name", HEAPS)
@pytest.mark.parametrize("bits", [4, 8])
def test_values_that_heap_are_told_from_statistics(name, bits):
    """Cells of 16 leading bits are off by up to 14 dB here."""
    parts = [HEAPS[name](RNG.normal(size=(40, 4, 1000))).astype(np.float32) for _ in range(3)]
    for words in (f"absmax {bits} signed symmetric", f"minmax {bits}"):
        asked = Schemes(FOUR.weights, Scheme.parse(words))
        alone = row(captured(False, x=parts), "x", asked)
        assert alone.sqnr == pytest.approx(row(captured(x=parts), "x", asked).sqnr, abs=0.05)


def test_few_distinct_values_are_exact_without_values():
    parts = [RNG.integers(-50, 50, (40, 4, 1000)).astype(np.float32) / 3 for _ in range(2)]
    x = np.concatenate(parts).astype(np.float64)
    found = row(captured(False, x=parts), "x")
    assert found.exact and found.sqnr == pytest.approx(sqnr(x, symmetric(x, 4)), abs=1e-4)


def test_what_must_be_read_says_so_where_it_is_not_there():
    parts = [RNG.normal(size=(40, 4, 1000)).astype(np.float32)]
    own = Schemes(FOUR.weights, Scheme.parse("absmax 4 signed symmetric narrow_range per_channel"))
    found = row(captured(False, x=parts), "x", own)
    assert found.sqnr is None and "were not kept" in found.note
    there = row(captured(x=parts), "x", own)
    x = parts[0].astype(np.float64)
    assert there.sqnr == pytest.approx(sqnr(x, symmetric(x, 4, 1)), abs=1e-4)


def test_a_checkpoint_has_weights_only(tmp_path):
    w = RNG.normal(size=(6, 50)).astype(np.float32)
    w[4] *= 30
    np.savez(tmp_path / "a.npz", **{"fc.weight": w, "fc.bias": w[:, 0], "steps": np.arange(3)})
    source = open_file(tmp_path / "a.npz")
    found = {r.name: r for r in layer_rows(source, FOUR)}
    weight = found["fc.weight"]
    assert weight.op is None and weight.worst_channel == 4
    wide = w.astype(np.float64)
    assert weight.sqnr == pytest.approx(sqnr(wide, symmetric(wide, 8, 0)), abs=1e-4)
    assert found["steps"].sqnr is None and "Whole numbers" in found["steps"].note
    assert [r.name for r in worst_first(found.values())] == ["fc.weight", "fc.bias", "steps"]


@pytest.mark.parametrize(
    ("x", "note"),
    [
        (np.zeros((0, 3), np.float32), "no finite element"),
        (np.full((2, 3), np.nan, np.float32), "no finite element"),
        (np.zeros((2, 3), np.float32), "All elements are zero"),
        (np.full((2, 3), 7.0, np.float32), "comes back as it was"),
    ],
)
def test_tensors_without_a_number_say_why(x, note):
    found = row(captured(x=[x]), "x")
    assert found.sqnr is None and note in found.note
    assert set(json.loads(json.dumps(found.json(), allow_nan=False))) == set(KEYS)
    assert found.lossless == (note == "comes back as it was")


def test_a_refusal_is_a_note():
    refused = Schemes(FOUR.weights, Scheme.parse("absmax 4 mode=tf.min_first symmetric signed"))
    found = row(captured(x=[RNG.normal(size=(3, 4))]), "x", refused)
    assert found.sqnr is None and "symmetric" in found.note


def test_json_has_exactly_the_keys():
    assert KEYS == (
        "name", "op", "role", "shape", "dtype", "min", "max", "kurtosis", "channel_ratio", "sqnr",
        "codes_used", "worst_channel",
    )  # fmt: skip
    made = LayerRow("a", None, "weight", (2, 3), "float32", sqnr=float("inf"))
    assert tuple(made.json()) == KEYS and made.json()["sqnr"] is None
    assert made.json()["shape"] == [2, 3]


def test_the_worst_comes_first():
    rows = [
        LayerRow("a", None, "weight", (), "float32", sqnr=20.0),
        LayerRow("b", None, "bias", (), "float32", sqnr=1.0),
        LayerRow("c", None, "activation", (), "float32", sqnr=10.0),
        LayerRow("d", None, "activation", (), "float32", note="refused"),
    ]
    assert [r.name for r in worst_first(rows)] == ["c", "a", "d", "b"]


def test_channels_that_are_loud_again_and_again():
    rows = [
        LayerRow("a", None, "activation", (), "float32", loud=(3, 5), channels=8),
        LayerRow("b", None, "activation", (), "float32", loud=(3,), channels=8),
        LayerRow("c", None, "activation", (), "float32", loud=(5,), channels=16),
        LayerRow("d", None, "weight", (), "float32", loud=(5,), channels=8),
    ]
    assert recurring(rows) == ((3, ("a", "b")),)


def test_progress_is_told():
    told = []
    layer_rows(
        captured(x=[np.ones((2, 2))], y=[np.ones((2, 2))]), FOUR, lambda a, b: told.append((a, b))
    )
    assert told == [(0, 2), (1, 2)]


def test_a_graph_knows_operations_and_where_channels_lie(tmp_path):
    w = RNG.normal(size=(30, 5)).astype(np.float32)
    w[:, 2] *= 40  # an output of the product
    nodes = [node("MatMul", "x w", "y")]
    path = written(tmp_path / "m.onnx", nodes, [value("x", [1, 30])], ["y"], w=w)
    (found,) = layer_rows(open_file(path), FOUR)
    assert (found.op, found.worst_channel, found.channels) == ("MatMul", 2, 5)
    wide = w.astype(np.float64)
    assert found.sqnr == pytest.approx(sqnr(wide, symmetric(wide, 8, 1)), abs=1e-4)


def test_what_holds_nan_is_told_in_the_order_of_the_source():
    nan = np.full((4, 3), np.nan, np.float32)
    one = np.ones((4, 3), np.float32)
    one[1, 2] = np.nan
    rows = layer_rows(captured(fine=[np.ones((4, 3), np.float32)], one=[one], all=[nan, one]), FOUR)
    assert [(row.name, row.nans) for row in holding_nan(rows)] == [("one", 1), ("all", 13)]
    weights = [LayerRow(n, None, "weight", (), "float32", nans=k) for n, k in (("a", 0), ("b", 2))]
    assert holding_nan(weights) == (weights[1],) and holding_nan([*weights, *rows])[0].name == "one"
