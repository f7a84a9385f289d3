"""Whether a device is offered, and that it counts as the processor does."""

import sys
from dataclasses import fields, is_dataclass
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from qviz.observers.base import OBSERVERS
from qviz.pipeline import compare
from qviz.quantizers.base import QUANTIZERS, Target
from qviz.spec import QuantSpec
from qviz.stats.gather import gather
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream
from qviz.ui import device
from tests.unit.ui.far import AFAR, Far, arrive, sent

MANY = np.concatenate([device.awkward(), device.awkward()[:500]]).reshape(2, -1)
FINITE = np.nan_to_num(MANY, posinf=9.0, neginf=-9.0)
WAYS = ("whole", "batches", "finite batches")
RECIPES = dict.fromkeys(n for name in OBSERVERS for n in OBSERVERS[name]().needs)


@pytest.fixture
def far(monkeypatch):
    arrive(monkeypatch)


def same(a, b):
    """Whether two states are equal: counts bit for bit, sums of floats to the last digits."""
    if is_dataclass(a):
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        if not isinstance(b, np.ndarray) or a.dtype.kind in "iub":
            return isinstance(b, np.ndarray) and np.array_equal(a, b)
        return np.allclose(a, b, rtol=1e-12, atol=0, equal_nan=True)
    return a == b or (a != a and b != b)  # NaN is the same as NaN


@pytest.mark.parametrize(("x", "batch_axis"), [(MANY, None), (MANY, 0), (FINITE, 0)], ids=WAYS)
@pytest.mark.parametrize("recipe", [*RECIPES, Sketch(20)], ids=str)
def test_every_statistic_is_the_same_far_away(far, recipe, x, batch_axis):
    here = Stream.of(x, batch_axis=batch_axis).tiles[0]
    there = Stream.of(sent(x), batch_axis=batch_axis).tiles[0]
    assert all(isinstance(batch.x, Far) for batch in there.batches)
    assert same(gather(here, (recipe,))[recipe], gather(there, (recipe,))[recipe])


@pytest.mark.parametrize("name", QUANTIZERS)
def test_the_exact_pass_of_every_mode_is_the_same_far_away(far, name):
    x = MANY[:, 1000:4000]
    specs = QuantSpec(8), QuantSpec(4, signed=True, symmetric=True, narrow_range=True)
    observers = [OBSERVERS.make(spelling) for spelling in ("minmax", "percentile")]
    for target in (Target.of(spec, mode=name) for spec in specs):
        pair = [compare(Stream.of(v), observers, target, exact=True) for v in (x, sent(x))]
        for here, there in zip(*(done.rows for done in pair), strict=True):
            assert here.refused == there.refused
            assert here.refused or same(here.totals, there.totals)


def test_other_element_types_are_counted_far_away_too(far):
    for x in (MANY.astype(np.float16), np.arange(-99, 99), MANY[:, 99:].astype(np.float64)):
        here, there = (gather(Stream.of(v).tiles[0], (Sketch(16),)) for v in (x, sent(x)))
        assert same(here[Sketch(16)], there[Sketch(16)])


def test_a_device_that_agrees_is_offered(far):
    assert device.offered() == AFAR


def test_nothing_is_offered_without_torch_or_without_a_device(monkeypatch):
    arrive(monkeypatch)
    monkeypatch.setattr(device, "reported", lambda torch: None)
    assert device.offered() is None
    monkeypatch.setattr(device, "reported", lambda torch: AFAR)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert device.offered() is None


def without_subnormals(x, where):
    return sent(np.where(np.abs(x) < 1e-37, 0, x).astype(x.dtype))


def refusing(x, where):
    raise TypeError("this device has no float64")


@pytest.mark.parametrize("move", [without_subnormals, refusing])
def test_a_device_that_counts_otherwise_is_not_offered(monkeypatch, move):
    arrive(monkeypatch, move)
    assert device.offered() is None


@pytest.mark.parametrize(
    ("cuda", "mps", "found"),
    [
        (True, True, device.Device("cuda", "Card")),
        (False, True, device.Device("mps", "Apple GPU")),
        (False, False, None),
    ],
)
def test_what_torch_reports(cuda, mps, found):
    asked = SimpleNamespace(
        cuda=SimpleNamespace(is_available=lambda: cuda, get_device_name=lambda: "Card"),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps)),
    )
    assert device.reported(asked) == found


def test_a_hint_needs_signs_of_a_device_and_torch_that_is_not_loaded(monkeypatch, tmp_path):
    monkeypatch.setattr(device, "SIGNS", (str(tmp_path),))
    assert not device.hinted()  # torch is loaded
    monkeypatch.delitem(sys.modules, "torch")
    assert device.hinted()
    monkeypatch.setattr(device, "SIGNS", (str(tmp_path / "none"),))
    monkeypatch.setattr(device.shutil, "which", lambda name: None)
    monkeypatch.setattr(device.sys, "platform", "linux")
    assert not device.hinted()
    monkeypatch.setattr(device, "SIGNS", (str(tmp_path),))
    monkeypatch.setattr(device, "find_spec", lambda name: None)
    assert not device.hinted()


@pytest.mark.parametrize(
    "x",
    [
        MANY,
        np.asfortranarray(MANY[:, :300]),
        np.arange(9, dtype=">f4"),
        np.float64(3),
        np.zeros((0, 4), np.float16),
        np.array([True, False]),
        np.arange(7, dtype=np.uint16),
    ],
    ids=["float32", "fortran", "big-endian", "single", "empty", "bool", "uint16"],
)
def test_arrays_travel_piece_by_piece_and_unchanged(monkeypatch, x):
    monkeypatch.setattr(device, "PIECE", 1000)
    x = np.asarray(x)
    x.setflags(write=False)
    found = device.moved(x, device.HOST)
    assert isinstance(found, torch.Tensor)
    assert np.array_equal(found.numpy(), x, equal_nan=x.dtype.kind == "f")


def test_tensors_travel_too():
    x = torch.ones(3, dtype=torch.bfloat16)
    assert torch.equal(device.moved(x, device.HOST), x)


def test_a_tensor_that_does_not_fit_does_not_travel(monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (device.WORK + 10, 0))
    with pytest.raises(MemoryError):
        device.moved(np.zeros(3, np.float32), device.Device("cuda", "Card"))
