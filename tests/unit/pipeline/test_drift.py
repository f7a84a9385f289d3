"""Round trip after round trip: what TensorFlow's own numbers say, and any other quantizer."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.pipeline.drift import drift, drifts
from qviz.quantizers.base import QUANTIZERS, Quantizer, Target
from qviz.spec import PER_TENSOR, QuantSpec, Range

SIGNED = QuantSpec(8, signed=True)
STEP = float(np.float32(2 / 255))


def of(name, lo, hi, spec=SIGNED, rounds=50):
    return drift(QUANTIZERS.make(name).quantizer(Range(lo, hi), spec), lo, hi, rounds)


def test_min_first_climbs_one_step_per_trip():
    one = of("tf.min_first", -1.0, 1.0)
    assert one.slope == pytest.approx(1, abs=1e-5) and one.drifts
    # recorded of TensorFlow 2.21.0, 50 trips on (-1, 1): 0.0078, 0.0156, ... 0.355
    assert one.errors[[0, 1, 49]] == pytest.approx([0.0078, 0.0156, 0.355], rel=0.01)
    zero = one.paths[4]  # starts at 0; each trip adds a step
    assert zero == pytest.approx(STEP * np.arange(51), abs=1e-5)
    assert one.paths[8, -1] == pytest.approx(128 * STEP, abs=1e-6)  # stuck at the last level
    assert (one.declared, one.agrees) == (False, True) and one.moved > 0.9


def test_the_other_modes_stay_where_min_first_climbs():
    for name in ("tf.min_combined", "tf.scaled", "tf.quantize_and_dequantize"):
        one = of(name, -1.0, 1.0)
        assert (one.slope, one.moved, one.drifts) == (0, 0, False)
        assert (one.declared, one.agrees) == (True, True)
    assert of("tf.min_combined", -1.0, 1.0).errors[-1] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(("lo", "hi"), [(-3.0, 3.0), (-0.3, 2.7), (0.0, 6.0)])
def test_ranges_on_which_no_mode_was_recorded_to_drift(lo, hi):
    for name in ("tf.min_combined", "tf.min_first", "tf.scaled"):
        assert of(name, lo, hi).slope == 0


def test_a_tie_on_the_other_side_sinks():
    assert of("tf.min_first", -0.7, 0.7).slope == pytest.approx(-1, abs=1e-4)


def test_a_step_now_and_then_is_no_drift():
    one = of("tf.min_first@doc", -0.5, 2.5)
    assert one.slope == pytest.approx(1 / 9) and not one.drifts


def test_no_declared_law_is_broken():
    for name in QUANTIZERS:
        for spec in (QuantSpec(8), SIGNED, QuantSpec(4, signed=True, symmetric=True)):
            for lo, hi in ((-1.0, 1.0), (-0.7, 0.7), (-0.5, 2.5), (0.07, 0.13)):
                found = drifts([name], lo, hi, spec, 1)[name]
                assert isinstance(found, str) or found.agrees, (name, spec, lo, hi)


class Halving(Quantizer):
    """Gives back half of what it gets, which no second trip leaves alone."""

    ends = (0, 4)
    step = None

    def encode(self, rows):
        return np.rint(rows)

    def quantize(self, rows):
        return rows

    def dequantize(self, codes):
        return codes / 2


def test_a_broken_law_is_noticed_and_a_grid_without_step_has_one():
    one = drift(Halving(), 0.0, 8.0, 2)
    assert one.declared and not one.agrees and one.moved > 0.9
    assert one.step == 0.5  # levels 0 to 2 of five codes
    assert one.paths.shape == (9, 3) and one.rounds == 2
    assert one.paths[4].tolist() == [4, 2, 1]


def test_what_cannot_be_followed():
    made = QUANTIZERS.make("affine").quantizer(Range(0.0, 1.0), QuantSpec(8))
    for lo, hi, rounds in ((1.0, 1.0, 5), (0.0, np.inf, 5), (0.0, 1.0, 0), (0.0, 1.0, 51)):
        with pytest.raises(QvizError):
            drift(made, lo, hi, rounds)


def test_a_refusal_is_an_answer():
    found = drifts(["tf.fake_quant", "tf.min_first"], -1.0, 1.0, SIGNED, 3)
    mode = QUANTIZERS.make("tf.fake_quant")
    assert found["tf.fake_quant"] == mode.accepts(Target(SIGNED, PER_TENSOR, mode))
    assert found["tf.min_first"].rounds == 3
    too_wide = drifts(["tf.min_first"], -3e38, 3e38, SIGNED, 3)["tf.min_first"]
    assert "too wide" in too_wide
