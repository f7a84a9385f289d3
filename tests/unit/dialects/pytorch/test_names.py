"""Names of types and schemes, and arrays in the kind they came in."""

import numpy as np
import pytest
import torch

from qviz.dialects.pytorch.names import STORAGE, alike, handed, name_of


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (torch.quint8, "quint8"),
        ("torch.qint8", "qint8"),
        ("uint8", "uint8"),
        (np.int8, "int8"),
        (np.dtype("int16"), "int16"),
        (torch.per_channel_affine_float_qparams, "per_channel_affine_float_qparams"),
    ],
)
def test_the_last_word_of_a_name(value, name):
    assert name_of(value) == name


def test_default_codes_of_the_types():
    assert STORAGE["qint8"].codes == (-128, 127) and STORAGE["qint8"].reduced == (-64, 63)
    assert STORAGE["quint8"].codes == (0, 255) and STORAGE["quint8"].reduced == (0, 127)
    assert STORAGE["int16"].reduced == (-32768, 32767)  # reduce_range leaves it alone
    assert STORAGE["qint32"].codes == (-(2**31), 2**31 - 1)
    assert STORAGE["quint4x2"].codes == (0, 15) and STORAGE["quint4x2"].bits == 8
    assert STORAGE["float8_e4m3fn"].codes == (0, 15) and STORAGE["float8_e4m3fn"].bits == 0


def test_values_come_back_in_the_kind_they_came_in():
    values = np.float32([1, 2])
    copy = alike(values, np.empty(0))
    copy[0] = 9
    assert values[0] == 1
    made = handed(values, torch.empty(0))
    assert isinstance(made, torch.Tensor) and made.dtype == torch.float32
    made[1] = 7
    assert values[1] == 7  # handed over, not copied
    assert alike(np.array(3.0), torch.empty(0)).shape == ()
