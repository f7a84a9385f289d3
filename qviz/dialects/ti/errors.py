"""TI's errors: Python's own kinds, told in sentences."""

from __future__ import annotations

from typing import ClassVar

from qviz.errors import QvizError


class TiAssertionError(QvizError, AssertionError):
    """Arguments that TI's code asserts against."""

    stands_for: ClassVar[str] = "AssertionError"
