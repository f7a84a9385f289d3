"""What sets an op apart from its formula, in one sentence."""

import numpy as np

from qviz.dialects.tensorflow.contrast import contrast
from qviz.dialects.tensorflow.setting import Setting
from qviz.figures.tf_difference import difference
from qviz.spec import QuantSpec

SIGNED = Setting(QuantSpec(8, signed=True))


def test_a_difference_with_its_element():
    pair = contrast("tf.min_combined", 0.0, 255.0, Setting(), np.float32([0.5, 3]))
    assert difference(pair) == (
        "50 % of the 2 values looked at come back differently. 0.5 becomes code 0 and comes "
        "back as 0 by the documentation, code 1 and 1 in the op."
    )


def test_an_example_outside_the_values_is_none_of_them():
    pair = contrast("tf.min_combined", 0.0, 255.0, Setting(), np.float32([0, 3]))
    assert difference(pair).startswith("the values looked at come back the same, others do not. ")
    one = contrast("tf.min_combined", 0.0, 255.0, Setting(), np.float32([0.5]))
    assert difference(one).startswith("the one value looked at comes back differently. 0.5 ")
    none = contrast("tf.min_combined", 0.0, 255.0, Setting(), np.float32([]))
    assert difference(none).startswith("some values come back differently. ")


def test_differences_of_codes_steps_and_spans():
    pair = contrast("tf.scaled", -1.0, 0.5, Setting(), np.float32([0.25]))
    assert "levels span [0, 2] by the documentation, [0, 0.5] in the op" in difference(pair)
    assert "step 0.00784 against 0.00196" in difference(pair)
    signed = contrast("tf.scaled", -1.0, 1.0, SIGNED, np.float32([0.0]))
    said = difference(signed)
    assert said.startswith(
        "levels span [−1, 1] by the documentation, [−1.01, 1] in the op; "
        "codes −127 to 127 against −128 to 127; "
    )
    refused = contrast("tf.scaled", -1.0, 1.0, Setting(QuantSpec(4)), np.float32([0.0]))
    assert difference(refused).startswith("Measured: TensorFlow has SCALED for 8 and 16 bits")
