"""What sets an op apart from its formula, in one sentence."""

import numpy as np

from qviz.dialects.tensorflow.contrast import contrast
from qviz.dialects.tensorflow.views import Setting
from qviz.figures.tf_difference import difference
from qviz.spec import QuantSpec

SIGNED = Setting(QuantSpec(8, signed=True))


def test_a_difference_with_its_element():
    pair = contrast("tf.min_combined", 0.0, 255.0, Setting(), np.float32([0.5, 3]))
    assert difference(pair) == (
        "50 % of the values come back differently. 0.5 becomes code 0 and comes back as 0 "
        "by the documentation, code 1 and 1 in the op."
    )


def test_differences_of_codes_steps_and_spans():
    pair = contrast("tf.scaled", -1.0, 0.5, Setting(), np.float32([0.25]))
    assert "levels span [0, 2] by the documentation, [0, 0.5] in the op" in difference(pair)
    assert "step 0.00784 against 0.00196" in difference(pair)
    signed = contrast("tf.scaled", -1.0, 1.0, SIGNED, np.float32([0.0]))
    said = difference(signed)
    assert said == "codes −127 to 127 against −128 to 127; every value comes back the same."
    refused = contrast("tf.scaled", -1.0, 1.0, Setting(QuantSpec(4)), np.float32([0.0]))
    assert difference(refused).startswith("Measured: TensorFlow has SCALED for 8 and 16 bits")
