"""Values of one tensor at a time: the model runs again, and what it gives lies in a file."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from qviz.sources.base import TensorSource, open_file

LARGEST = 2**30  # bytes of the files that are kept
Capture = Callable[[Sequence[str], Path], None]  # runs the command with more options, in a folder


class Replays:
    """Gives the values of a tensor by its name, mapped; runs the model where no file has them.

    Files lie in ``folder``; of several that take more than ``most`` bytes together the least
    recently used go. Arrays that were given out stay what they are.
    """

    def __init__(self, capture: Capture, folder: Path, most: int = LARGEST) -> None:
        self._capture, self._folder, self._most = capture, folder, most
        self._lock = threading.Lock()

    def __call__(self, name: str) -> Any:
        """The values of ``name``. Raises QvizError where the run fails."""
        path = self._path(name)
        with self._lock:
            if path.is_file():
                os.utime(path)
            else:
                self._run(name, path)
                self._make_room(path)
            source: TensorSource = open_file(path)
            return source[name]

    def _path(self, name: str) -> Path:
        mark = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._folder / f"replay-{mark}.npz"

    def _run(self, name: str, path: Path) -> None:
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            words = [f"--only={name}", "--values", "--out", str(path)]
            self._capture(words, Path(folder))

    def _make_room(self, newest: Path) -> None:
        files = {path: path.stat() for path in self._folder.glob("replay-*.npz")}
        total = sum(stat.st_size for stat in files.values())
        for path, stat in sorted(files.items(), key=lambda pair: pair[1].st_mtime_ns):
            if total > self._most and path != newest:
                path.unlink()
                total -= stat.st_size
