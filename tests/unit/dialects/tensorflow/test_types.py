"""Quantized types by all the names they go by."""

import numpy as np
import pytest
import torch

from qviz.dialects.tensorflow.errors import InvalidArgument
from qviz.dialects.tensorflow.types import TYPES, last_name, qtype


class Named:
    """Like TensorFlow's own dtypes."""

    name = "quint16"


@pytest.mark.parametrize(
    ("given", "bits", "signed"),
    [
        ("qint8", 8, True),
        ("tf.quint8", 8, False),
        (np.int16, 16, True),
        (np.dtype("uint16"), 16, False),
        (Named(), 16, False),
        (torch.qint8, 8, True),
        (torch.int32, 32, True),
    ],
)
def test_names(given, bits, signed):
    found = qtype(given)
    assert (found.bits, found.signed) == (bits, signed)


@pytest.mark.parametrize("given", ["float32", "qint4", np.int64, None, ""])
def test_other_types_are_refused(given):
    with pytest.raises(InvalidArgument, match="no quantized type"):
        qtype(given)


def test_ends_and_storage():
    ends = {name: (kind.storage, *kind.ends) for name, kind in TYPES.items()}
    assert ends == {
        "qint8": ("int8", -128, 127),
        "quint8": ("uint8", 0, 255),
        "qint16": ("int16", -32768, 32767),
        "quint16": ("uint16", 0, 65535),
        "qint32": ("int32", -(2**31), 2**31 - 1),
    }


def test_last_name():
    assert last_name(torch.bfloat16) == "bfloat16"
    assert last_name(np.float32) == last_name("tf.float32") == "float32"
