"""MindSpore's QuantDtype: signed and unsigned integers of 1 to 16 bits."""

from __future__ import annotations

from enum import Enum
from typing import Any

from qviz.dialects.mindspore.errors import MindSporeAttributeError


class QuantDtype(Enum):
    """Type of quantized values. ``value`` is MindSpore's own number of it."""

    INT1, INT2, INT3, INT4, INT5, INT6, INT7, INT8 = range(8)
    INT9, INT10, INT11, INT12, INT13, INT14, INT15, INT16 = range(8, 16)
    UINT1, UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = range(100, 108)
    UINT9, UINT10, UINT11, UINT12, UINT13, UINT14, UINT15, UINT16 = range(108, 116)

    @property
    def num_bits(self) -> int:
        """Bits of one value, 1 to 16."""
        return self.value % 100 + 1


def quant_dtype_of(given: Any) -> QuantDtype:
    """The QuantDtype of that name: a member, a name, or any object whose name ends in one.

    Raises
    ------
    MindSporeAttributeError
        A number, or a name that is none of them.
    """
    name = str(getattr(given, "name", given)).rpartition(".")[2]
    if name not in QuantDtype.__members__:
        raise MindSporeAttributeError(
            f"quant_dtype {given!r} has no bits.",
            "It must be a QuantDtype or the name of one.",
            "Use QuantDtype.INT8, or 'INT8'.",
        )
    return QuantDtype[name]
