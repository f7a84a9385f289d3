"""What TensorFlow raises, as errors a person can read."""

from __future__ import annotations

from typing import ClassVar

from qviz.errors import QvizError


class InvalidArgument(QvizError):
    """A size, rank, axis, range or word that the op does not take.

    Where TensorFlow ends its process instead (a failed check inside the kernel), this is raised
    as well.
    """

    stands_for: ClassVar[str] = "InvalidArgument"


class Unimplemented(QvizError):
    """A combination that the op knows and does not offer."""

    stands_for: ClassVar[str] = "Unimplemented"


class NotFound(QvizError):
    """An element type for which the op has no CPU kernel."""

    stands_for: ClassVar[str] = "NotFound"
