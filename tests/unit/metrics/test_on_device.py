"""The exact pass on a device: every sum and count as the processor has it."""

from dataclasses import fields

import numpy as np
import pytest

from qviz import xp
from qviz.metrics import on_device, producers
from qviz.metrics.base import Totals
from qviz.metrics.bins import Frame
from qviz.quantizers.affine import AffineQuantizer
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import QuantSpec, Range
from tests.unit.ui.far import sent

RNG = np.random.default_rng(2)
ROWS = RNG.standard_t(3, (3, 4000)).astype(np.float32)
ROWS[0, :6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-41]
ROWS[2] = np.nan


@pytest.fixture(autouse=True)
def _far(monkeypatch):
    monkeypatch.setattr(xp, "HOST", "nowhere")


def frame_of(rows):
    real = np.isfinite(rows)
    ends = (
        np.where(real, rows, np.inf).min(1, initial=np.inf),
        np.where(real, rows, -np.inf).max(1, initial=-np.inf),
    )
    return Frame(*(end.astype(float) for end in ends))


def same(rows, quantizers):
    frame = frame_of(rows)
    here = producers.of_rows_each(rows, quantizers, frame)
    there = on_device.of_rows_each(sent(rows), quantizers, frame)
    for a, b in zip(here, there, strict=True):
        for name in (f.name for f in fields(Totals)):
            one, two = getattr(a, name), getattr(b, name)
            if not isinstance(one, np.ndarray):
                assert one is two or one == two, name
            else:
                assert two.dtype == one.dtype
                assert one == pytest.approx(two, rel=1e-12, abs=1e-9, nan_ok=True), name
    return there


def grid(steps, **rest):
    steps = np.atleast_1d(steps)
    return AffineQuantizer(steps, np.full(len(steps), 7), 0, 15, **rest)


def test_rows_with_awkward_values_and_an_empty_one():
    (found, _) = same(ROWS, [grid(0.3), grid([0.1, 0.2, 0.4], tie="away")])
    assert found.n.tolist() == [3997, 4000, 0]
    assert found.codes.sum(axis=1).tolist() == [3997, 4000, 0]


def test_candidates_on_one_row():
    (found,) = same(ROWS[:1], [grid(np.geomspace(0.01, 1, 9))])
    assert found.clipped_low.shape == (9,)
    assert (np.diff(found.clipped_low) <= 0).all()


def test_nothing_to_count():
    same(ROWS[:, :0], [grid(0.3)])


def test_more_codes_than_elements():
    wide = AffineQuantizer(np.array([0.001]), np.array([30_000]), 0, 65_535)
    same(ROWS[:2, :300], [wide])


def test_by_hand():
    x = np.array([[-1.0, 0.2, 0.5, 9.0, np.nan]], np.float32)
    q = AffineQuantizer(np.array([1.0]), np.array([0]), 0, 3)
    (found,) = on_device.of_rows_each(sent(x), [q], Frame(np.array([-1.0]), np.array([9.0])))
    assert found.codes.tolist() == [[3, 0, 0, 1]]  # -1, 0.2 and the tie 0.5 become 0; 9 becomes 3
    assert (found.n[0], found.clipped_low[0], found.clipped_high[0]) == (4, 1, 1)
    assert found.ee_low[0] == 1
    assert found.ee_high[0] == 36
    assert found.ee_inside[0] == pytest.approx(0.2**2 + 0.5**2, rel=1e-6)
    assert found.max_e[0] == 6


@pytest.mark.parametrize("name", ["affine", "tf.min_combined", "tf.scaled", "torch.fused"])
def test_float16_and_float64_rows(name):
    mode = QUANTIZERS.make(name)
    made = mode.quantizer(Range(-2.0, 3.0), QuantSpec(8, signed=name == "tf.scaled"))
    for kind in (np.float16, np.float64):
        same(ROWS[:2].astype(kind), [made])
