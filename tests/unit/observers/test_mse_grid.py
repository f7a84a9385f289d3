"""The grid of a hundred clips against a plain loop."""

import numpy as np
import pytest

from qviz.observers.base import OBSERVERS
from qviz.observers.mse_grid import MseGridObserver, grid
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec
from tests.unit.observers.watching import ends, seen_of, target


def plain(x, bits):
    """Clips and errors, one after the other."""
    x = np.asarray(x, np.float64)
    last, clips, errors = 2 ** (bits - 1) - 1, [], []
    for k in range(1, 101):
        clips.append(np.abs(x).max() * (k / 100))
        scale = clips[-1] / last
        codes = np.clip(np.rint(x / scale), -last - 1, last)
        errors.append(np.mean((x - codes * scale) ** 2))
    return np.array(clips), np.array(errors)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_every_clip_is_that_of_a_plain_loop(bits):
    x = np.random.default_rng(bits).laplace(size=999).astype(np.float32)
    found = grid(seen_of(MseGridObserver(), x, -x / 3), bits)
    for row, values in enumerate((x, (-x / 3).astype(np.float32))):
        clips, errors = plain(values, bits)
        assert found.clip[row].tolist() == clips.tolist()
        assert found.mse[row] == pytest.approx(errors, rel=1e-12)
        assert found.best[row] == errors.argmin() and found.chosen[row] == clips[errors.argmin()]


def test_codes_and_mode_of_the_target_play_no_part():
    x = np.random.default_rng(0).laplace(size=500)
    found = [
        ends(MseGridObserver(), x, aim=target(4, mode, signed=signed, symmetric=signed))
        for mode in ("affine", "power_of_two")
        for signed in (False, True)
    ]
    assert found[1:] == found[:-1]


def test_a_sketch_comes_close():
    x = np.random.default_rng(1).laplace(size=70_000).astype(np.float32)
    (found,) = ends(MseGridObserver(), x, aim=target(4))
    clips, errors = plain(x, 4)
    at = int(np.argmin(np.abs(clips - found[1])))
    assert errors[at] <= errors.min() * 1.001


def test_the_picture_marks_the_least():
    observer, x = MseGridObserver(), np.random.default_rng(2).laplace(size=500)
    seen = seen_of(observer, x)
    shown = observer.decision(seen, target(4))
    assert shown.x[shown.curves["MSE"].argmin()] == shown.chosen[0]
    assert shown.chosen[0] == observer.range(seen, target(4)).hi[0]
    assert observer.decision(seen_of(observer, [0, 0]), target(4)) is None


def test_refusals_and_nothing():
    observer = MseGridObserver()
    one_bit = Target.of(QuantSpec(1), Granularity("per_channel", 0))
    assert "2 bits or more" in observer.accepts(one_bit) and observer.accepts(target(2)) is None
    assert ends(observer, [np.nan], [0], aim=target(4)) == [[0, 0], [0, 0]]
    assert not OBSERVERS.entry("mse_grid").presets
