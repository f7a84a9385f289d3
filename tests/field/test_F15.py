"""microsoft/onnxruntime#6004, openvinotoolkit/nncf#1027: sums of two products in 16 bits."""

import numpy as np
import pytest

from qviz.doctor import Case
from qviz.transforms.base import Operand
from tests.field.asked import first, named


def case(a, w):
    return Case.of(np.array([a]), role="activation", operand=Operand(np.array([w]), 1))


def test_numbers():
    assert 255 * 127 * 2 == 64770 > 2**15 - 1 > 255 * 63 * 2 == 32130


def test_the_pair_saturates_and_seven_bits_do_not():
    made = case([255.0, 255.0], [127.0, 127.0])
    assert "HW-SATURATION" in first(made)
    found = named(made, "HW-SATURATION")
    assert found.evidence["share"] == 1
    sqnr = 10 * np.log10(64770**2 / (64770 - 32767) ** 2)
    assert found.evidence["output_sqnr"] == pytest.approx(sqnr)
    assert found.fixes[0].measured_at == "output" and found.fixes[0].gain_db > 100


def test_a_pair_that_cancels_fits():
    assert "HW-SATURATION" not in first(case([255.0, 255.0], [127.0, -127.0]), 9)
