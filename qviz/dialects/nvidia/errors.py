"""NVIDIA's own errors: each is a QvizError and the kind of error that the calibrator raises."""

from __future__ import annotations

from qviz.errors import QvizError


class InvalidValue(QvizError, ValueError):
    """Where the calibrator raises ValueError."""

    stands_for = "ValueError"


class InvalidType(QvizError, TypeError):
    """Where the calibrator raises TypeError."""

    stands_for = "TypeError"


class NotOffered(QvizError, NotImplementedError):
    """Where the calibrator raises NotImplementedError."""

    stands_for = "NotImplementedError"


class FailedRun(QvizError, RuntimeError):
    """Where the calibrator, or PyTorch below it, raises RuntimeError."""

    stands_for = "RuntimeError"
