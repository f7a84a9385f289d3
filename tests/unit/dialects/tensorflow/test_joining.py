"""quantized_concat for a picture: codes and values worked out by hand."""

import numpy as np
import pytest

from qviz.dialects.tensorflow.joining import KINDS, joined
from qviz.errors import QvizError

HALF, WHOLE = (0.0, 255.0), (0.0, 510.0)


def of(*parts, kind="quint8"):
    values, ranges = zip(*parts, strict=True)
    return joined([np.float32(v) for v in values], ranges, kind)


def test_the_narrow_input_is_requantized_and_the_wide_one_copied():
    found = of(([0, 100, 255], HALF), ([0, 510], WHOLE))
    narrow, wide = found.inputs
    assert found.range == WHOLE
    assert (narrow.requantized, wide.requantized) == (True, False)
    assert narrow.codes.tolist() == [0, 100, 255]
    assert narrow.codes_after.tolist() == [0, 50, 128]  # 127.5 goes away from zero
    assert narrow.back.tolist() == [0, 100, 255]
    assert narrow.back_after.tolist() == [0, 100, 256]
    assert wide.codes.tolist() == wide.codes_after.tolist() == [0, 255]


def test_the_joint_range_holds_zero():
    found = of(([1, 2], (1.0, 2.0)), ([3], (3.0, 4.0)))
    assert found.range == (0, 4)
    assert found.inputs[0].range == (0, 2)


def test_qint32_is_made_symmetric():
    found = of(([0, 1], (-1.0, 3.0)), ([2], (0.0, 2.0)), kind="qint32")
    assert found.range == (-3, 3)
    assert all(one.requantized for one in found.inputs)
    assert KINDS == ("quint8", "qint32")


def test_what_cannot_be_joined():
    with pytest.raises(QvizError, match="empty"):
        of(([], HALF), ([1], HALF))
    with pytest.raises(QvizError, match="cannot be joined"):
        of(([1], HALF))
    with pytest.raises(QvizError, match="no kernel"):
        of(([1], HALF), ([1], HALF), kind="qint8")
    with pytest.raises(QvizError, match="below its start"):
        of(([1], (1.0, 0.0)), ([1], HALF))
