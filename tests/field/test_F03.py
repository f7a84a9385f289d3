"""tensorflow/model-optimization#858: [-1, 1] gives [-0.996, 1.004], the source suggests else."""

import numpy as np
import pytest

from qviz.doctor import Case
from tests.field.asked import compared, first, named

X = np.array([-1.0, 0.0, 1.0], np.float32)


def test_numbers():
    tf, wide = compared(X, mode="tf.fake_quant"), compared(X, mode="ort.affine")
    assert (tf.zero_point, wide.zero_point) == (127, 128)


def test_a_knife_edge_with_both_grids_and_the_precision():
    case = Case.of(X, mode="tf.fake_quant")
    assert "ZP-KNIFE-EDGE" in first(case)
    found = named(case, "ZP-KNIFE-EDGE")
    assert "127.500000" in found.message and found.evidence["precision"] == "float32"
    a, b = found.evidence["grids"]
    assert a == pytest.approx((-0.996078, 1.003922), abs=1e-6)
    assert b == pytest.approx((-1.003922, 0.996078), abs=1e-6)
    assert found.evidence["taken"] == 127 and "this mode takes 127" in found.message
    assert found.severity == "low" and found.fixes == ()
    said = found.evidence["rules"]
    assert said["tf.fake_quant uint8"] == 127 and said["ort.affine uint8"] == 128


def test_half_a_code_away_there_is_no_edge():
    assert "ZP-KNIFE-EDGE" not in first(Case.of(X * np.float32([1, 1, 2])), 9)
