"""Models that run in a child process: started, watched, cancelled, and what comes of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Generic, TypeVar

import qviz
from qviz.errors import QvizError
from qviz.models.feeds import Feeds, batches
from qviz.models.limits import Limits, out_of_memory, out_of_time
from qviz.models.model import read_model
from qviz.models.replays import Replays
from qviz.sources.base import open_file
from qviz.sources.captured.source import Captured

R = TypeVar("R")
GRACE = 15.0  # seconds beyond its limit after which a child that did not end itself is ended
PRINTED, SAID = "printed.txt", "said.txt"  # files of what a child prints, and complains of
ROOT = Path(qviz.__file__).parents[1]
_BATCH = re.compile(r"batch (\d+) of (\d+)")
_SAID = re.compile(r"^qviz: (.*)$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Job(Generic[R]):
    """A child at work. ``result`` waits for it."""

    child: subprocess.Popen[bytes]
    limits: Limits
    said: Path
    finished: Callable[[], R]
    began: float = field(default_factory=time.monotonic)

    @property
    def progress(self) -> tuple[int, int]:
        """Batches done, and batches in all; (0, 0) before the first."""
        found = _BATCH.findall(self.said.read_text(encoding="utf-8", errors="replace"))
        return (int(found[-1][0]), int(found[-1][1])) if found else (0, 0)

    @property
    def done(self) -> bool:
        """Whether it has ended; one that is far beyond its time is ended here."""
        if self.child.poll() is None and self._left() <= 0:
            self.cancel()
        return self.child.poll() is not None

    def cancel(self) -> None:
        """End it now; ``result`` then says that it was stopped."""
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def result(self) -> R:
        """What came of it. Raises QvizError in one sentence where it failed."""
        try:
            self.child.wait(max(self._left(), 0.1))
        except subprocess.TimeoutExpired as error:
            self.cancel()
            raise QvizError(out_of_time(self.limits.seconds)) from error
        if self.child.returncode:
            raise QvizError(self._sentence())
        return self.finished()

    def _left(self) -> float:
        return self.began + self.limits.seconds + GRACE - time.monotonic()

    def _sentence(self) -> str:
        return sentence_of(self.child, self.said, self.limits, late=self._left() <= 0)


def sentence_of(child: subprocess.Popen[bytes], said: Path, limits: Limits, *, late: bool) -> str:
    """Why a child failed; ``late`` says that it was ended for having taken too long."""
    words = _SAID.findall(said.read_text(encoding="utf-8", errors="replace"))
    if words:
        return words[-1]
    if child.returncode == -9 and not late:
        return "The run was stopped before its end."
    if child.returncode in (-9, -24):  # killed, or out of processor time
        return out_of_time(limits.seconds)
    return f"The runtime broke down. {out_of_memory(limits.memory)}"


def spawn(
    command: Sequence[str], stdin: int, stdout: IO[bytes] | int, said: Path
) -> subprocess.Popen[bytes]:
    """``python -m qviz COMMAND`` in a child; what it complains of goes to the file ``said``."""
    places = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
    words = [sys.executable, "-m", "qviz", *command]
    with said.open("wb") as err:
        return subprocess.Popen(words, stdin=stdin, stdout=stdout, stderr=err, env=env)


def launch(
    command: Sequence[str], folder: Path, limits: Limits, finished: Callable[[], R]
) -> Job[R]:
    """Start ``python -m qviz COMMAND`` in a child; what it says goes to files in ``folder``."""
    said = folder / SAID
    with (folder / PRINTED).open("wb") as out:
        child = spawn(command, subprocess.DEVNULL, out, said)
    return Job(child, limits, said, finished)


def start(
    model: Path, feeds: Feeds, folder: Path, limits: Limits | None = None, shown: str = ""
) -> Job[Captured]:
    """Start a capture in a folder of its own; files that are kept and replays lie there.

    Raises
    ------
    QvizError
        The model or its inputs are refused before anything runs.
    """
    limits, shown = limits or Limits(), shown or model.name
    batches(read_model(model, shown), feeds)
    out = folder / "capture.npz"
    words = ["--shown", shown, *feeds.words(), *limits.words(), "--", str(model)]

    def finished() -> Captured:
        made = open_file(out, shown)
        if not isinstance(made, Captured):
            raise QvizError("The capture cannot be read.", "It was replaced meanwhile.")
        return made.replaying(Replays(again, folder))

    def again(more: Sequence[str], inner: Path) -> None:
        launch(["capture", *more, *words], inner, limits, lambda: None).result()

    return launch(["capture", "--out", str(out), *words], folder, limits, finished)


def capture_model(
    model: Path, feeds: Feeds, folder: Path, limits: Limits | None = None, shown: str = ""
) -> Captured:
    """Run a model and wait for it; see ``start``."""
    return start(model, feeds, folder, limits, shown).result()
