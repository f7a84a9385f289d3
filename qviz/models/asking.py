"""A model in a child that is asked, again and again, what another content of one tensor costs."""

from __future__ import annotations

import json
import subprocess
import threading
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from qviz.errors import QvizError
from qviz.models.alone import Outcome
from qviz.models.children import SAID, ended, error_of, spawn
from qviz.models.feeds import Feeds, batches
from qviz.models.limits import MORE_MEMORY, MORE_TIME, Limits
from qviz.models.model import read_model

GRACE = 5.0  # seconds beyond its limit after which a child that did not end itself is ended
CONTENT = "content.npy"


class Asking:
    """One tensor of a model, and what reaches the output when it is another; a context manager.

    ``output`` is the name of the output, ``samples`` the rows that it gives, ``accuracy`` the
    share that the model has right as it is, None without labels; ``unjudged`` says why there is
    none although labels were given, ``failed`` why it answers no more; else they are empty and
    None. The limits hold for all that is asked together.

    Raises
    ------
    QvizError
        The model, its inputs or the name are refused, or it goes beyond a limit.
    """

    def __init__(
        self,
        model: Path,
        feeds: Feeds,
        name: str,
        folder: Path,
        limits: Limits | None = None,
        shown: str = "",
    ) -> None:
        self._limits, shown = limits or Limits(), shown or model.name
        batches(read_model(model, shown), feeds)
        words = ["--shown", shown, *feeds.words(), *self._limits.words()]
        self._said, self._content = folder / SAID, folder / CONTENT
        self.failed: str | None = None
        command = ["replace", f"--tensor={name}", *words, "--", str(model)]
        self._child = spawn(command, subprocess.PIPE, self._said, reads=True)
        weakref.finalize(self, ended, self._child)
        self._late = threading.Timer(self._limits.seconds + GRACE, self._child.kill)
        self._late.daemon = True
        self._late.start()
        try:
            first = self._answer()
        except QvizError:
            self.close()
            raise
        self.output, self.samples = str(first["output"]), int(first["samples"])
        self.accuracy: float | None = first["accuracy"]
        self.unjudged = str(first["unjudged"])

    def __enter__(self) -> Asking:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def outcome(self, content: np.ndarray) -> Outcome:
        """What reaches the output with this content, all batches of it one after the other.

        Raises
        ------
        QvizError
            The content does not fit, or the child ended.
        """
        np.save(self._content, content)
        to = self._child.stdin
        try:
            if to is not None:
                to.write(f"{self._content}\n".encode())
                to.flush()
        except OSError:  # it has ended: its answer says why
            self._child.wait()
        return Outcome(**self._answer())

    def close(self) -> None:
        """End the child and drop what was written for it."""
        self._late.cancel()
        self._child.kill()
        self._child.communicate()
        self._content.unlink(missing_ok=True)

    def _answer(self) -> dict[str, Any]:
        answers = self._child.stdout
        line = answers.readline() if answers is not None else b""
        if not line.endswith(b"\n"):
            self._child.wait()
            error = self._error()
            self.failed = str(error)
            raise error
        return json.loads(line)

    def _error(self) -> QvizError:
        """Why it failed, without advice to raise limits that nobody chose."""
        said = self._said.read_text(encoding="utf-8", errors="replace")
        late = not self._late.is_alive()
        error = error_of(self._child.returncode, said, self._limits, late=late)
        chosen = error.do not in (MORE_TIME, MORE_MEMORY)
        return error if chosen else QvizError(error.what, error.why)
