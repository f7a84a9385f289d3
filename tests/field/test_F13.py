"""apple/coremltools#2853, pytorch/ao#4713: a pruned channel, and scales too small for float16."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import INT8, compared, first, named

W = np.random.default_rng(0).standard_normal((4, 64)).astype(np.float32)
W[0] = 0
W[1] *= np.float32(1e-6) / np.abs(W[1]).max()
CASE = Case.of(W, INT8, role="weight", granularity="per_channel:0")


def test_both_are_named_with_their_channels():
    assert {"DEAD-CHANNEL", "SCALE-UNDERFLOW"} <= set(first(CASE))
    assert named(CASE, "DEAD-CHANNEL").evidence["channels"] == [0]
    under = named(CASE, "SCALE-UNDERFLOW").evidence
    assert under["channels"] == [1] and under["stored_scale"] == [0]
    assert under["scale"] == pytest.approx([7.9e-9], abs=5e-11)


def test_a_dead_channel_comes_back_as_zero():
    back = CASE.row.quantizer.fake_quantize(W)
    assert not np.isnan(back).any() and not back[0].any()
    assert metric_is_number(compared(W, spec=INT8))


def metric_is_number(record):
    return np.isfinite(record.readings["sqnr"].value)


def test_a_scale_of_six_e_minus_8_survives_but_is_off():
    w = W.copy()
    w[1] *= 10  # 7.9e-8: float16 has multiples of 5.96e-8 there
    under = named(Case.of(w, INT8, role="weight", granularity="per_channel:0"), "SCALE-UNDERFLOW")
    assert under.evidence["stored_scale"] == pytest.approx([5.96e-8], rel=1e-3)
    assert under.evidence["becoming_zero"] == 0
