"""Schemes in short: no two of them read alike."""

from itertools import product

from qviz.models.scheme import Scheme, Schemes
from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.ui.layers.schemes import BITS, in_short

USUAL = Schemes.usual()


def test_what_is_usual_goes_without_saying():
    assert in_short(USUAL) == "activations 8 bits per tensor, weights 8 per channel"


def test_what_is_not_usual_is_named():
    made = Schemes(
        weights=Scheme.parse("percentile:keep=99.5 4 narrow_range per_tensor"),
        activations=Scheme.parse("mse 16 signed symmetric per_channel"),
    )
    assert in_short(made) == (
        "activations 16 bits signed symmetric per channel (MSE search), "
        "weights 4 unsigned affine narrow range per tensor (Percentile keep 99.5)"
    )
    assert 16 in BITS


def test_no_two_schemes_read_alike():
    signs = ["", "signed", "symmetric", "narrow_range", "signed symmetric", "signed narrow_range"]
    spelled = [
        f"{rule} {bits} {sign} {per} mode={mode}"
        for rule, mode in [
            *((rule, "affine") for rule in OBSERVERS),
            *(("minmax", mode) for mode in QUANTIZERS),
            ("percentile:keep=99", "affine"),
            ("percentile:keep=99.5", "affine"),
        ]
        for bits, sign, per in product((4, 16), signs, ("per_tensor", "per_channel"))
    ]
    made = {str(Scheme.parse(words)): Scheme.parse(words) for words in spelled}
    for sides in (lambda s: Schemes(s, USUAL.activations), lambda s: Schemes(USUAL.weights, s)):
        assert len({in_short(sides(scheme)) for scheme in made.values()}) == len(made)
