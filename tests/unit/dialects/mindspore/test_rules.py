"""Export of both modes."""

import numpy as np
import pytest

from qviz.dialects.mindspore import FakeQuantWithMinMaxObserver
from qviz.errors import QvizError


def exported(**given):
    return FakeQuantWithMinMaxObserver(**given).export()


def test_default_exports_signed_codes_in_float64():
    scale, zero = exported(min_init=-1, max_init=2, reading="gpu")
    assert scale.dtype == np.float64 and zero.dtype == np.int32
    assert (scale[0], zero[0]) == (3 / 255, -43)
    assert exported(min_init=-1, max_init=2, narrow_range=True)[1][0] == round(-127 + 254 / 3)


def test_export_rounds_half_to_even_where_training_rounds_up():
    # [-0.5, 254.5]: -128 + 0.5 = -127.5 is the code -128 here, -127 in training
    made = FakeQuantWithMinMaxObserver(min_init=-0.5, max_init=254.5)
    assert made.export()[1].tolist() == [-128]
    assert made.quantizer().zero_point.tolist() == [-127]


def test_symmetric_export_has_zero_point_0():
    scale, zero = exported(min_init=-1, max_init=3, symmetric=True)
    assert (scale[0], zero[0]) == (6 / 255, 0)


def test_export_of_a_range_without_width():
    made = FakeQuantWithMinMaxObserver(reading="gpu").set_train()
    made(np.zeros((2, 2), np.float32))
    assert [part.tolist() for part in made.export()] == [[1], [0]]
    channels = FakeQuantWithMinMaxObserver(per_channel=True, num_channels=2).set_train()
    channels(np.float32([[0, 1], [0, 2]]))
    with pytest.raises(QvizError, match="cannot be exported"):
        channels.export()


def test_a_learned_scale_exports_maxq_over_quant_max():
    given = {"mode": "LEARNED_SCALE", "symmetric": True, "narrow_range": True}
    scale, zero = exported(**given, max_init=1e-7, reading="ascend")  # as stored, not 1e-6
    assert scale.dtype == np.float32 and zero.dtype == np.int32
    assert scale[0] == np.float32(1e-7) / np.float32(127)
    truncated = given | {"narrow_range": False, "neg_trunc": True}
    assert exported(**truncated, max_init=2, reading="doc")[0] == 2 / 256
    assert exported(**truncated, max_init=2, reading="gpu")[0] == np.float32(2 / 255)
