"""ONNX Runtime's own errors: each is a QvizError and the kind of error that it raises."""

from __future__ import annotations

from qviz.errors import QvizError


class InvalidValue(QvizError, ValueError):
    """Where ONNX Runtime raises ValueError."""

    stands_for = "ValueError"


class FailedAssertion(QvizError, AssertionError):
    """Where ONNX Runtime stops at an assertion."""

    stands_for = "AssertionError"
