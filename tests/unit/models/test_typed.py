"""Arrays in the type of an input."""

import numpy as np
import pytest

from qviz.errors import QvizError
from qviz.models.declared import Input
from qviz.models.typed import checked, typed


def made(values, kind, dtype):
    return typed(checked(np.array(values, kind), Input("x", dtype, None)), Input("x", dtype, None))


@pytest.mark.parametrize(
    ("values", "kind", "dtype", "first"),
    [
        ([1, 2**63], "uint64", "int64", "9223372036854775808 of uint64"),
        ([1, 2**40], "int64", "int32", "1099511627776 of int64"),
        ([-1], "int8", "uint8", "-1 of int8"),
        ([0, 1, 5], "int64", "bool", "5 of int64"),
        ([1.0, 1e300], "float64", "float32", "1e\\+300 of float64"),
        ([70_000], "int32", "float16", "70000 of int32"),
        ([0.5], "float32", "int64", "float32"),
        ([1j], "complex64", "float32", "complex64"),
    ],
)
def test_nothing_is_narrowed_in_silence(values, kind, dtype, first):
    with pytest.raises(QvizError, match=f"The input x takes {dtype}, not {first}"):
        made(values, kind, dtype)


@pytest.mark.parametrize(
    ("values", "kind", "dtype"),
    [
        ([0.1, np.inf, np.nan], "float64", "float32"),  # rounded, and what is infinite stays so
        ([2**62], "uint64", "int64"),
        ([0, 1], "int64", "bool"),
        ([True], "bool", "float32"),
    ],
)
def test_what_fits_is_taken(values, kind, dtype):
    found = made(values, kind, dtype)
    assert found.dtype == dtype and found.flags.c_contiguous
    np.testing.assert_array_equal(found, np.array(values).astype(dtype))
