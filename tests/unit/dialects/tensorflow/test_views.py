"""Ranges that TensorFlow recorded, and why a mode does not apply, in TensorFlow's own terms."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.members import members
from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.types import TYPES
from qviz.dialects.tensorflow.views import adjustment, answer, grid, refusal
from qviz.errors import QvizError
from qviz.quantizers.base import QUANTIZERS
from qviz.spec import Granularity, QuantSpec
from tests.golden.loader import load

SIGNED = QuantSpec(8, signed=True)
SLICES = Granularity("per_channel", 1)
NAMES = {"MIN_COMBINED": "tf.min_combined", "MIN_FIRST": "tf.min_first", "SCALED": "tf.scaled"}


def recorded():
    """Cases of quantize on one finite range of ordinary size, with the range they gave back."""
    for case in load("tensorflow")["cases"]:
        if case["op"] != "quantize" or "raises" in case or case.get("binding") is False:
            continue
        params, inputs = case["params"], case["inputs"]
        if params["axis"] >= 0:
            continue
        ends = [float(np.ravel(inputs[name])[0]) for name in ("min_range", "max_range")]
        if np.isfinite(ends).all() and max(map(abs, ends)) < 1e30:
            yield params, ends, case["expected"]


def setting_of(params):
    kind = TYPES[params["T"]]
    wide = params["T"] if kind.bits > 16 else None
    narrow = params["narrow_range"] and params["mode"] == "SCALED"
    spec = QuantSpec(min(kind.bits, 16), signed=kind.signed, narrow_range=narrow)
    rest = params["round_mode"], params["ensure_minimum_range"], wide
    return Setting(spec, Granularity(), *rest)


def test_output_ranges_are_those_that_were_recorded():
    served = 0
    for params, ends, expected in recorded():
        found = answer(NAMES[params["mode"]], *ends, setting_of(params))
        if found.refused is None:
            served += 1
            wanted = [float(np.ravel(expected[name])[0]) for name in ("output_min", "output_max")]
            assert list(found.output) == wanted, params
    assert served > 500


@pytest.mark.parametrize(
    ("asked", "least", "adjusted"),
    [
        ((0.07, 0.13), 0.01, (0, 0.13)),
        ((-0.5, 2.5), 0.01, (-0.5, 2.5)),
        ((1.0, 1.0), 0.01, (0, 1)),
        ((0.0, 0.0), 0.01, (0, 0.01)),
        ((-1.0, -1.0), 0.01, (-1, 0)),
        ((-1.0, -0.9), 1.5, (-1, 0.5)),
    ],
)
def test_adjustment(asked, least, adjusted):
    assert adjustment(*asked, least) == pytest.approx(adjusted)


def test_a_range_upside_down_is_refused_in_tensorflows_words():
    with pytest.raises(QvizError, match="min_range <= max_range"):
        adjustment(1.0, 0.0)
    assert "below its start" in answer("tf.scaled", 1.0, 0.0, Setting()).refused


@pytest.mark.parametrize(
    ("name", "setting", "says"),
    [
        ("tf.min_combined", Setting(round_mode="HALF_TO_EVEN"), "Only SCALED has it"),
        ("tf.min_first@doc", Setting(round_mode="HALF_TO_EVEN"), "Only SCALED has it"),
        ("tf.min_first", Setting(QuantSpec(8, narrow_range=True)), "narrow_range is ignored"),
        ("tf.min_first", Setting(granularity=SLICES), "Unimplemented"),
        ("tf.min_first", Setting(granularity=SLICES, wide="qint32"), "Unimplemented"),
        ("tf.scaled", Setting(QuantSpec(4)), "8 and 16 bits, and for qint32"),
        ("tf.scaled", Setting(QuantSpec(8, symmetric=True)), "signed codes only"),
        ("tf.fake_quant", Setting(SIGNED), "unsigned codes only"),
        ("tf.fake_quant", Setting(SIGNED, SLICES), "unsigned codes only"),
        ("tf.fake_quant", Setting(wide="qint32"), "of the op quantize alone"),
        ("tf.scaled@doc", Setting(wide="qint32"), "of the op quantize alone"),
        ("tf.scaled", Setting(granularity=Granularity("per_token")), "slice of one axis"),
    ],
)
def test_refusals(name, setting, says):
    assert says in refusal(name, setting)
    assert answer(name, -1.0, 1.0, setting).refused
    with pytest.raises(QvizError, match=says):
        grid(name, -1.0, 1.0, setting)


def test_what_becomes_of_zero():
    step = 3 / 255
    combined = answer("tf.min_combined", -0.5, 2.5, Setting(SIGNED))
    assert combined.step == pytest.approx(step)
    assert combined.zero / combined.step == pytest.approx(-0.5, abs=1e-4)
    first = answer("tf.min_first", -0.5, 2.5, Setting(SIGNED))
    assert (first.zero, first.output) == (0, (-0.5, 2.5))
    assert first.covered == pytest.approx((-43 * step, 212 * step))
    scaled = answer("tf.scaled", -1.0, 1.0, Setting(SIGNED))
    assert scaled.output == pytest.approx((-128 / 127, 1))
    assert (scaled.title, scaled.documented) == ("SCALED", False)
    assert answer("tf.scaled@doc", -1.0, 1.0, Setting(SIGNED)).documented


def test_fake_quant_moves_a_range_without_zero():
    found = answer("tf.fake_quant", 0.07, 0.13, Setting())
    assert found.output == pytest.approx((0, 0.06))
    x = np.linspace(0.07, 0.13, 7, dtype=np.float32)[None, :]
    assert np.unique(found.quantizer.fake_quantize(x)) == pytest.approx([0.06])


def test_an_empty_range_leaves_one_value_in_vars():
    found = answer("tf.fake_quant", 0.0, 0.0, Setting())
    assert (found.form, found.output, found.step) == ("op=vars", (0, 0), 0)
    assert found.quantizer.fake_quantize(np.float32([[-1, 0, 1]])).tolist() == [[0, 0, 0]]


def test_every_member_answers_or_says_why():
    for name in members(documented=True):
        for setting in (Setting(), Setting(SIGNED), Setting(QuantSpec(16)), Setting(wide="qint32")):
            found = answer(name, -1.0, 1.0, setting)
            assert (found.quantizer is None) == bool(found.refused)
    assert len(members(documented=True)) == len([n for n in QUANTIZERS if n.startswith("tf.")])
