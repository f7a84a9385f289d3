"""qint32 through the ops: the top code wraps round."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.setting import Setting
from qviz.dialects.tensorflow.views import answer
from qviz.quantizers.base import covered

WIDE = Setting(wide="qint32")


def codes(name, *values):
    return answer(name, -1.0, 1.0, WIDE).quantizer.quantize(np.float32([values]))[0].tolist()


def test_the_maximum_maps_to_the_lowest_code():
    assert codes("tf.min_combined", -1, 0, 1) == [-(2**31), 0, -(2**31)]
    assert codes("tf.scaled", 0, 1) == [0, -(2**31)]
    assert codes("tf.min_first", 1) == [2147483520]


def test_what_comes_back_of_it():
    made = answer("tf.min_combined", -1.0, 1.0, WIDE).quantizer
    assert made.fake_quantize(np.float32([[1]]))[0, 0] == -1
    assert made.fake_quantize(np.float32([[0.25]]))[0, 0] == pytest.approx(0.25, abs=1e-6)
    assert made.ends == (-(2**31), 2**31 - 1)
    assert made.step[0] == pytest.approx(2 / 2**32)
    assert covered(made).lo[0] == -1
    assert not made.monotone and not made.idempotent


def test_its_output_range_is_the_ops():
    made = answer("tf.scaled", -1.0, 0.5, WIDE)
    assert made.output == (-1, 1)  # spread from the lower end: 2^31 codes on either side
