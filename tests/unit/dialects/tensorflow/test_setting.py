"""The form of a mode that serves a setting, and TensorFlow's names for codes."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.members import members
from qviz.dialects.tensorflow.setting import Setting, form, mode_of
from qviz.dialects.tensorflow.views import grid
from qviz.quantizers.base import Target
from qviz.spec import Granularity, QuantSpec

SIGNED = QuantSpec(8, signed=True)
SLICES = Granularity("per_channel", 1)


@pytest.mark.parametrize("granularity", [Granularity(), SLICES], ids=str)
def test_the_form_that_serves_is_chosen(granularity):
    for name in members():
        if name != "tf.min_first" or granularity.kind == "per_tensor":
            mode = mode_of(name, Setting(granularity=granularity))
            assert mode.accepts(Target(QuantSpec(), granularity, mode)) is None


def test_rounding_reaches_the_modes_that_have_it():
    even = Setting(SIGNED, round_mode="HALF_TO_EVEN")
    assert mode_of("tf.scaled", even).round_mode == "HALF_TO_EVEN"
    own = mode_of("tf.quantize_and_dequantize", Setting(SIGNED))
    assert own.round_mode == "HALF_TO_EVEN"  # it has no HALF_AWAY_FROM_ZERO
    # a tie: 0.5 steps of 1/127
    tie = np.float32([[0.5 / 127]])
    for round_mode, code in (("HALF_TO_EVEN", 0), ("HALF_AWAY_FROM_ZERO", 1)):
        made = grid("tf.scaled", -1.0, 1.0, Setting(SIGNED, round_mode=round_mode))
        assert made.quantize(tie)[0, 0] == code


def test_type_names():
    specs = [QuantSpec(8), SIGNED, QuantSpec(16), QuantSpec(16, signed=True), QuantSpec(4)]
    names = ["quint8", "qint8", "quint16", "qint16", None]
    assert [Setting(spec).type_name for spec in specs] == names
    assert Setting(wide="qint32").type_name == "qint32"


def test_a_member_is_its_own_default_form_where_that_serves():
    assert form("tf.fake_quant", Setting()) == "op=vars"
    assert form("tf.fake_quant", Setting(granularity=SLICES)) == "op=vars_per_channel"
    assert form("tf.quantize_and_dequantize", Setting(SIGNED)) == "version=V2, T=float32"
    assert form("tf.scaled", Setting()) == ""


def test_codes_that_no_form_has_leave_the_form_of_the_granularity():
    assert form("tf.fake_quant", Setting(SIGNED, SLICES)) == "op=vars_per_channel"
    assert form("tf.fake_quant", Setting(wide="qint32", granularity=SLICES)) == (
        "op=vars_per_channel"
    )
