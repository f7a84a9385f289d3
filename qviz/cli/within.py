"""What ``doctor`` examines: a file, or a model that is run so that gains count at its output."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from qviz.cli.capture import path_of
from qviz.cli.inputs import opened, splits
from qviz.cli.text import plain
from qviz.doctor.base import Examined
from qviz.doctor.case import Case
from qviz.doctor.examining import examined
from qviz.doctor.within import Within
from qviz.errors import QvizError
from qviz.models.feeds import Feeds
from qviz.models.jobs import capture_model
from qviz.models.limits import Limits
from qviz.sources.base import TensorSource

SECONDS = 120.0  # of all runs of the model together, as of one job
LEAST = 5.0  # seconds that must be left, of which a child takes two or three to begin
LATE = f"after {SECONDS:g} s the model runs no more; name this tensor for gains at the output"


@dataclass(frozen=True, eq=False)
class Examining:
    """Tensors of a source; ``model`` is the file that runs on ``feeds``, if any."""

    source: TensorSource
    names: tuple[str, ...]
    folder: Path
    model: Path | None = None
    feeds: Feeds | None = None

    @property
    def runs(self) -> bool:
        """Whether there is a model that runs."""
        return self.model is not None and self.feeds is not None

    def again(self, case: Case, found: Examined, rules: Collection[str], end: float) -> Examined:
        """What these rules find while the model runs; until ``end``, then what was ``found``."""
        left = end - time.monotonic()
        if self.model is None or self.feeds is None or left <= LEAST:
            return self._told(case, found, LATE)
        self._told(case, found, "the model runs for each repair")
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        limits = Limits(seconds=left)
        within = Within(self.model, self.source, case.name, self.feeds, folder, limits)
        made, why = within.look(case, partial(examined, rules=rules))
        return self._told(case, made, why) if why else made

    def _told(self, case: Case, found: Examined, words: str) -> Examined:
        print(f"qviz: {plain(case.name)}: {plain(words)}", file=sys.stderr, flush=True)
        return found


def latest() -> float:
    """When the model that runs from now on must have ended, by the clock that never goes back."""
    return time.monotonic() + SECONDS


def examining(word: str, inputs: str | None, folder: Path) -> Examining:
    """What a word opens; with ``inputs`` it is an ONNX model, which is run on them.

    Raises
    ------
    QvizError
        No such file or tensor, a file that is refused, or a model that fails.
    """
    if inputs is None:
        return Examining(*opened(word), folder)
    for head, name in splits(word):
        path = path_of(head)
        if not path.is_file():
            continue
        feeds = Feeds(path_of(inputs))
        source = capture_model(path, feeds, folder)
        names = source.names if name is None else (source.info(name).name,)
        return Examining(source, names, folder, path, feeds)
    what = f"There is no file {plain(word)}."
    raise QvizError(what, "--inputs runs an ONNX model.", "Check the path.")
