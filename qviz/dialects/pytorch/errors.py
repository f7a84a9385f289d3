"""Refusals at PyTorch's door: each is also the Python error that PyTorch raises there."""

from __future__ import annotations

from typing import ClassVar

from qviz.errors import QvizError


class TorchRuntimeError(QvizError, RuntimeError):
    """Arguments or data that an operator refuses."""

    stands_for: ClassVar[str] = "RuntimeError"


class TorchAssertionError(QvizError, AssertionError):
    """Settings or states that a class checks for."""

    stands_for: ClassVar[str] = "AssertionError"


class TorchNotImplementedError(QvizError, NotImplementedError):
    """Combinations that PyTorch does not offer."""

    stands_for: ClassVar[str] = "NotImplementedError"


class TorchTypeError(QvizError, TypeError):
    """Arguments of a wrong kind."""

    stands_for: ClassVar[str] = "TypeError"


class TorchIndexError(QvizError, IndexError):
    """An axis that does not exist."""

    stands_for: ClassVar[str] = "IndexError"


class TorchValueError(QvizError, ValueError):
    """Values that PyTorch does not know."""

    stands_for: ClassVar[str] = "ValueError"


class TorchZeroDivisionError(QvizError, ZeroDivisionError):
    """A scaling of gradients by nothing."""

    stands_for: ClassVar[str] = "ZeroDivisionError"


class TorchException(QvizError):
    """A question that a class cannot answer."""

    stands_for: ClassVar[str] = "Exception"
