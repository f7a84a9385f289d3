"""The one family of errors that a user may see."""

from __future__ import annotations


class QvizError(Exception):
    """A mistake that a person can mend, told in three short sentences.

    Parameters
    ----------
    what : str
        What was wrong, with the value that was given.
    why : str
        Why that cannot be used, or what is allowed.
    do : str
        What to try next.
    code : str
        A stable code for refusals of files (``L01`` ...), else empty.
    """

    def __init__(self, what: str, why: str = "", do: str = "", *, code: str = "") -> None:
        self.what, self.why, self.do, self.code = what, why, do, code
        super().__init__(" ".join(part for part in (what, why, do) if part))

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def coded(self) -> str:
        """All sentences, and the code where there is one."""
        return f"{self} ({self.code})" if self.code else str(self)


class RefusedFile(QvizError):
    """A file that is not read: damaged, hostile, or of a kind that holds no tensors."""


class UnknownName(QvizError, KeyError):
    """A name that no registry, source or menu knows."""
