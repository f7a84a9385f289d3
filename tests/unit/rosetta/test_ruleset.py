"""Rules come from what each mode registers of itself."""

from qviz.quantizers.base import QUANTIZERS
from qviz.rosetta import rules
from qviz.rosetta.ruleset import code_words, rule_called
from qviz.spec import PER_TENSOR, QuantSpec


def test_the_frameworks_and_their_codes_are_there():
    names = {rule.name for rule in rules()}
    assert names >= {
        "torch.affine uint8",
        "torch.affine int8 sym.",
        "torch.fused uint8",
        "torch.torchao_affine int8",
        "tf.fake_quant uint8",
        "tf.fake_quant:op=args uint8",
        "tf.min_combined uint8",
        "tf.min_first uint8",
        "tf.scaled int8 sym. narrow",
        "tf.quantize_and_dequantize int8 sym.",
        "mindspore.default@doc int8",
        "mindspore.default@gpu uint8",
        "mindspore.default@ascend uint8",
        "ti.pact2 int8",
        "ort.affine uint8",
        "ort.affine int8 sym. narrow",
        "nvidia.amax int8 sym. narrow",
    }


def test_codes_are_those_a_mode_registers():
    for name in QUANTIZERS:
        given = QUANTIZERS.entry(name).notes.get("native", (QuantSpec(8),))
        specs = [spec[0] if isinstance(spec, tuple) else spec for spec in given]
        assert [rule.spec for rule in rules() if rule.member == name] == specs


def test_kinds():
    def kind(name):
        return next(rule.kind for rule in rules() if rule.member == name)

    assert kind("torch.affine") == kind("mindspore.default@doc") == "framework"
    assert kind("torch.affine@doc") == kind("tf.scaled@doc") == "documentation"
    assert kind("torch.per_channel_affine") == "channel"
    assert kind("affine") == "neutral"
    assert all((rule.kind == "channel") == (rule.granularity != PER_TENSOR) for rule in rules())


def test_conventions_in_words():
    assert rule_called("torch.quantize_per_tensor uint8").convention == (
        "codes 0 to 255; multiplies by 1 / scale, float32, zero point added before rounding, in "
        "one operation with the product; half to even"
    )
    assert rule_called("mindspore.default@gpu uint8").convention == (
        "codes 0 to 255; divides by the scale, float32, counts from the lower end; "
        "half away from zero"
    )
    assert rule_called("nowhere") is None


def test_words_of_codes():
    assert code_words(QuantSpec(8)) == "uint8"
    assert code_words(QuantSpec(8, signed=True, symmetric=True)) == "int8 sym."
    assert code_words(QuantSpec(4, quant_min=-3, quant_max=9)) == "uint4 -3 to 9"
