"""TensorFlow's quantized element types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qviz.dialects.tensorflow.errors import InvalidArgument


@dataclass(frozen=True)
class QType:
    """A quantized type: its bits, and whether its codes are signed."""

    bits: int
    signed: bool

    @property
    def storage(self) -> str:
        """The plain integer type that holds its codes."""
        return f"{'' if self.signed else 'u'}int{self.bits}"

    @property
    def ends(self) -> tuple[int, int]:
        """Smallest and largest code."""
        first = -(2 ** (self.bits - 1)) if self.signed else 0
        return first, first + 2**self.bits - 1


TYPES = {
    "qint8": QType(8, True),
    "quint8": QType(8, False),
    "qint16": QType(16, True),
    "quint16": QType(16, False),
    "qint32": QType(32, True),
}


def qtype(given: Any) -> QType:
    """The type meant by a name, or by an object whose name ends in one.

    ``qint8``, ``tf.qint8``, ``int8`` and NumPy's or PyTorch's int8 all mean qint8.

    Raises
    ------
    InvalidArgument
        No quantized type is called so.
    """
    name = last_name(given)
    found = TYPES.get(name if name.startswith("q") else f"q{name}")
    if found is None:
        raise InvalidArgument(f"{name!r} is no quantized type.", f"Known: {', '.join(TYPES)}.")
    return found


def last_name(given: Any) -> str:
    """The last word of an object's own name: ``torch.float32`` and np.float32 are ``float32``."""
    name = getattr(given, "name", None) or getattr(given, "__name__", None) or str(given)
    return str(name).rpartition(".")[2]
