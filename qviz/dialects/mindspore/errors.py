"""MindSpore's errors: Python's own kinds, told in sentences."""

from __future__ import annotations

from typing import ClassVar

from qviz.errors import QvizError


class MindSporeTypeError(QvizError, TypeError):
    """An argument of a type that MindSpore refuses."""

    stands_for: ClassVar[str] = "TypeError"


class MindSporeValueError(QvizError, ValueError):
    """A value, or a combination of values, that MindSpore refuses."""

    stands_for: ClassVar[str] = "ValueError"


class MindSporeAttributeError(QvizError, AttributeError):
    """An object that is no QuantDtype: MindSpore finds no bits in it."""

    stands_for: ClassVar[str] = "AttributeError"
