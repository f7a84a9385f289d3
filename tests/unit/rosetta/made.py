"""Shared by tests of rules side by side."""

from qviz.rosetta.answers import answer
from qviz.rosetta.ruleset import rule_called, rules

TORCH, TF, ORT = "torch.affine uint8", "tf.fake_quant uint8", "ort.affine uint8"
QINT8, QUANTIZE = "torch.affine int8 sym.", "torch.quantize_per_tensor uint8"
DOC, GPU = "mindspore.default@doc int8", "mindspore.default@gpu uint8"
RANGES = [
    (-1.0, 1.0),
    (-0.5, 2.5),
    (1.0, 3.0),
    (-6.0, 6.0),
    (-1e-8, 1e-8),
    (0.0, 0.0),
    (2.0, 2.0),
    (-22.0, -15.0),
    (float("nan"), float("nan")),
    (float("-inf"), float("inf")),
]


def of(name, lo, hi):
    """The answer of one rule."""
    return answer(rule_called(name), lo, hi)


def every(lo, hi, kind=None):
    """Answers of all rules, or of one kind."""
    return tuple(answer(rule, lo, hi) for rule in rules() if kind in (None, rule.kind))
