"""Which modes there are, and what each stands for."""

from qviz.dialects.tensorflow.members import members, op_mode, partner, roundings
from qviz.dialects.tensorflow.quantize_op import MODES
from qviz.dialects.tensorflow.scaled import ROUND_MODES
from qviz.quantizers.base import QUANTIZERS


def test_modes_of_quantize_come_first_and_formulas_on_request():
    measured = members()
    assert [op_mode(name) for name in measured[: len(MODES)]] == list(MODES)
    assert set(measured[len(MODES) :]) == {"tf.fake_quant", "tf.quantize_and_dequantize"}
    every = members(documented=True)
    assert set(every) == {name for name in QUANTIZERS if name.startswith("tf.")}


def test_a_formula_stands_for_the_mode_of_its_op():
    assert op_mode("tf.scaled@doc") == "SCALED"
    assert op_mode("tf.fake_quant") is None
    assert partner("tf.scaled") == "tf.scaled@doc"
    assert partner("tf.quantize_and_dequantize") is None


def test_roundings_are_those_that_quantize_knows():
    assert set(roundings()) == set(ROUND_MODES)
