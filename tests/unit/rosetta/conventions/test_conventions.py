"""One quantizer in every convention: AIMET's offset of -215, and what cannot be said."""

import numpy as np
import pytest

from qviz.rosetta import answer, rules
from qviz.rosetta.conventions import CONVENTIONS, Grid, expressed
from qviz.rosetta.conventions.base import grid_of
from qviz.rosetta.ruleset import rule_called

LO, HI = -41.42207336425781, 7.706432342529297


def said(name, lo, hi):
    return expressed(answer(rule_called(name), lo, hi))


def test_the_offset_that_looked_out_of_range():
    found = said("ort.affine uint8", LO, HI)
    assert {name: one.note for name, one in found.items() if not one.refused} == {
        "aimet": "offset -215",
        "mindspore": "zero point 87 in the documentation's codes",
        "onnx_int8": "zero point 87",
        "onnx_uint8": "zero point 215",
        "tflite_int8": "zero point 87",
        "torch_qint8": "zero point 87",
        "torch_quint8": "zero point 215",
    }
    assert "0.19266081" in found["aimet"].text and '"offset": [-215]' in found["aimet"].text
    assert found["torch_quint8"].text == (
        "torch.quantize_per_tensor(x, scale=0.19266081, zero_point=215, dtype=torch.quint8)"
    )
    assert found["tensorrt_amax"].refused == (
        "TensorRT has no zero point, and this one lies +87 from the middle code"
    )
    assert found["tflite_int8"].lost == "only activations: weights need zero point 0"


def test_a_symmetric_grid_in_a_calibration_cache():
    found = said("nvidia.amax int8 sym. narrow", -1, 1)
    scale = np.float32(1) / np.float32(127)
    assert found["tensorrt_amax"].text == f"tensor: {scale.view(np.uint32):08x}"
    assert found["tensorrt_amax"].note.startswith("amax 1.0, ")
    assert found["aimet"].note == "offset -128"
    assert found["torch_qint8"].note == "zero point 0" and "-127" in found["torch_qint8"].text
    assert found["mindspore"].note.startswith("zero point 0 ")
    assert said("torch.affine int8 sym.", -1, 1)["tensorrt_amax"].lost


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_the_torch_text_is_what_torch_does():
    """The words that are copied give the same values, run by PyTorch itself."""
    torch = pytest.importorskip("torch")
    given = answer(rule_called("torch.quantize_per_tensor uint8"), LO, HI)
    x = torch.linspace(-50, 10, 1001)
    values = given.quantizer.fake_quantize(x.numpy()[None])[0]
    for name in ("torch_quint8", "torch_qint8"):
        text = expressed(given)[name].text
        scale, zero = text.split("scale=")[1].split(",")[0], text.split("point=")[1].split(",")[0]
        kind = getattr(torch, name.removeprefix("torch_"))
        back = torch.quantize_per_tensor(x, float(scale), int(zero), kind).dequantize()
        assert np.array_equal(back.numpy(), values)


def test_what_no_convention_can_say():
    assert grid_of(answer(rule_called("tf.min_combined uint8"), -1, 1)).startswith("it has no zero")
    assert "none of the codes" in grid_of(answer(rule_called("torch.float_qparams uint8"), -1, 1))
    assert grid_of(answer(rule_called("tf.fake_quant uint8"), 0, 0)).startswith("its scale is 0")
    assert grid_of(answer(rule_called("ort.affine uint8"), float("nan"), 1)).startswith("this rule")


def test_other_widths():
    wide = {name: CONVENTIONS.make(name).express(Grid(0.5, 0, 65_536)) for name in CONVENTIONS}
    assert [name for name, one in wide.items() if not one.refused] == ["aimet"]
    four = {name: CONVENTIONS.make(name).express(Grid(0.5, 8, 16)) for name in CONVENTIONS}
    assert "quant_max=15" in four["torch_quint8"].text
    assert "INT4" in four["mindspore"].text and four["tensorrt_amax"].refused
    assert CONVENTIONS.make("aimet").express(Grid(1, 1, 100)).refused


@pytest.mark.parametrize("lo_hi", [(-1.0, 1.0), (1.0, 3.0), (0.0, 0.0), (float("nan"),) * 2])
def test_every_rule_is_told_in_every_convention(lo_hi):
    for rule in rules():
        for one in expressed(answer(rule, *lo_hi)).values():
            assert bool(one.text) != bool(one.refused)


def test_values_that_no_zero_point_gives():
    """MIN_FIRST on [-1, 1] decodes code 128 to 0.00784, and its zero point is 128 as well."""
    found = said("tf.min_first uint8", -1, 1)
    assert all("code - zero point" in one.refused for one in found.values())
    assert not said("tf.min_first uint8", -0.5, 2.5)["onnx_uint8"].refused


def test_a_scale_that_no_float32_is():
    lost = said("torch.dynamic uint8", -0.5, 2.5)["onnx_uint8"].lost
    assert lost == "the rule's own scale is 0.011764705882352941, which no float32 is"
    assert not said("torch.affine uint8", -0.5, 2.5)["onnx_uint8"].lost
