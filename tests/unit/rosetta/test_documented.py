"""Documentation beside implementation: every documented member has its row and its example."""

import numpy as np

from qviz.observers.base import OBSERVERS
from qviz.quantizers.base import QUANTIZERS
from qviz.rosetta.documented import contrast, counterpart, observer_pairs, rule_pairs


def test_every_documented_member_has_a_row():
    modes = {name for name in QUANTIZERS if name.endswith("@doc")}
    assert {a.member for a, _ in rule_pairs()} == modes
    watched = {name for name in OBSERVERS if name.endswith("@doc")}
    assert {one.documented for one in observer_pairs()} == watched
    assert counterpart(QUANTIZERS, "mindspore.default@doc") == "mindspore.default@gpu"
    assert counterpart(QUANTIZERS, "torch.affine@doc") == "torch.affine"
    assert counterpart(QUANTIZERS, "torch.affine") is None


def pair(name):
    return next(p for p in rule_pairs() if p[0].member == name)


def test_a_constant_gets_scale_one_in_the_text_and_a_grid_in_the_code():
    made = contrast(pair("torch.affine@doc"), 2.0, 2.0)
    assert made.here and made.documented.scale == 1.0 and made.documented.zero_point == 0
    assert made.measured.scale == float(np.float32(2) / np.float32(255))
    assert made.found.first == "widened"


def test_an_example_where_this_range_shows_nothing():
    made = contrast(pair("mindspore.default@doc"), -0.5, 2.5)
    assert not made.here and made.documented.requested == (0.0, 0.0)
    assert (made.documented.degenerate, made.measured.degenerate) == ("NaN", "zeros")


def test_an_element_that_tells_them_apart():
    made = contrast(pair("tf.min_combined@doc"), -0.5, 2.5)
    text, code = made.elements
    assert made.here and text.x == code.x and text.code == code.code - 1  # cut, not rounded
    assert "tie" in made.found.named


def test_weights_of_the_moving_average_are_exchanged_on_the_gpu():
    (one,) = [w for w in observer_pairs() if w.documented == "mindspore.ema@doc"]
    text, code = one.ranges
    assert text.lo[0] < -5 and code.lo[0] == 0  # from -6 on, a thousandth of the way a batch
