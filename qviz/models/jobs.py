"""Models that run in a child process: started, watched, cancelled, and what comes of them."""

from __future__ import annotations

import re
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from qviz.errors import QvizError
from qviz.models.children import SAID, ended, error_of, spawn
from qviz.models.feeds import Feeds, batches
from qviz.models.limits import LESS, MORE_MEMORY, MORE_TIME, Limits
from qviz.models.model import read_model
from qviz.models.replays import Replays
from qviz.models.work import STOPPED, Job, R
from qviz.sources.base import open_file
from qviz.sources.captured.source import Captured

GRACE = 15.0  # seconds beyond its limit after which a child that did not end itself is ended
LONGER = 2  # times as long as it was may a run take that was stopped by the clock
PRINTED = "printed.txt"  # file of what a child prints
_BATCH = re.compile(r"(?:batch|step) (\d+) of (\d+)")
_RAN = re.compile(r"^runs took ([\d.]+) s$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Child(Job[R]):
    """A child at work; it ends when nobody holds the job any more. ``result`` waits for it.

    ``kept`` gives what there is so far where it failed, or None.
    """

    child: subprocess.Popen[bytes]
    limits: Limits
    said: Path
    finished: Callable[[], R]
    kept: Callable[[QvizError], R | None] = lambda _: None
    began: float = field(default_factory=time.monotonic)
    cancelled: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        weakref.finalize(self, ended, self.child)

    @property
    def progress(self) -> tuple[int, int]:
        """Batches done, and batches in all; (0, 0) before the first."""
        found = _BATCH.findall(self._words())
        return (int(found[-1][0]), int(found[-1][1])) if found else (0, 0)

    @property
    def ran(self) -> float | None:
        """Seconds that the model itself ran, once it is told."""
        found = _RAN.findall(self._words())
        return float(found[-1]) if found else None

    @property
    def done(self) -> bool:
        """Whether it has ended; one that is far beyond its time is ended here."""
        if self.child.poll() is None and self._left() <= 0:
            ended(self.child)
        return self.child.poll() is not None

    def cancel(self) -> None:
        """End it now; ``result`` then says that it was stopped."""
        if self.child.poll() is None:
            self.cancelled.set()
            ended(self.child)

    def result(self) -> R:
        """What came of it. Raises QvizError in one sentence where it failed."""
        try:
            self.child.wait(max(self._left(), 0.1))
        except subprocess.TimeoutExpired:
            ended(self.child)
        if not self.child.returncode:
            return self.finished()
        error = self._error()
        kept = self.kept(error)
        if kept is None:
            raise error
        return kept

    def _words(self) -> str:
        return self.said.read_text(encoding="utf-8", errors="replace")

    def _left(self) -> float:
        return self.began + self.limits.seconds + GRACE - time.monotonic()

    def _error(self) -> QvizError:
        if self.cancelled.is_set():
            return QvizError(STOPPED)
        late = self._left() < GRACE
        return error_of(self.child.returncode, self._words(), self.limits, late=late)


def launch(
    command: Sequence[str],
    folder: Path,
    limits: Limits,
    finished: Callable[[], R],
    kept: Callable[[QvizError], R | None] = lambda _: None,
) -> Child[R]:
    """Start ``python -m qviz COMMAND`` in a child; what it says goes to files in ``folder``."""
    said = folder / SAID
    with (folder / PRINTED).open("wb") as out:
        child = spawn(command, out, said)
    return Child(child, limits, said, finished, kept)


def start(
    model: Path,
    feeds: Feeds,
    folder: Path,
    limits: Limits | None = None,
    shown: str = "",
    *,
    partly: bool = False,
) -> Child[Captured]:
    """Start a capture in a folder of its own; files that are kept and replays lie there.

    With ``partly`` the batches that were done when the time is over are its result; ``skipped``
    says so, and ``batches_in`` how many.

    Raises
    ------
    QvizError
        The model or its inputs are refused before anything runs.
    """
    limits, shown = limits or Limits(), shown or model.name
    batches(read_model(model, shown), feeds)
    out = folder / "capture.npz"
    words = partial(_words, model, shown)

    def finished() -> Captured:
        made = open_file(out, shown)
        if not isinstance(made, Captured):
            raise QvizError("The capture cannot be read.", "It was replaced meanwhile.")
        fed, held = feeds, limits
        if partly:  # the same batches again, also where they take a little longer
            fed = replace(feeds, batches=batches_in(made))
            held = replace(limits, seconds=LONGER * limits.seconds)
        replays = Replays(partial(_again, words(fed, held), held), folder)
        return made.replaying(replays, replays.ahead)

    how = ["--partly"] if partly else []
    return launch(
        ["capture", *how, "--out", str(out), *words(feeds, limits)], folder, limits, finished
    )


def _words(model: Path, shown: str, feeds: Feeds, limits: Limits) -> list[str]:
    return ["--shown", shown, *feeds.words(), *limits.words(), "--", str(model)]


def batches_in(source: Captured) -> int:
    """How many batches were captured."""
    return max((len(found.extremes) for found in source.gathered.values()), default=0)


def _again(words: Sequence[str], limits: Limits, more: Sequence[str], folder: Path) -> None:
    """Run the model for some tensors; whoever reads a tensor cannot choose limits."""
    try:
        launch(["capture", *more, *words], folder, limits, lambda: None).result()
    except QvizError as error:
        do = LESS if error.do in (MORE_TIME, MORE_MEMORY) else error.do
        raise QvizError(error.what, error.why, do) from error


def capture_model(
    model: Path, feeds: Feeds, folder: Path, limits: Limits | None = None, shown: str = ""
) -> Captured:
    """Run a model and wait for it; see ``start``."""
    return start(model, feeds, folder, limits, shown).result()
