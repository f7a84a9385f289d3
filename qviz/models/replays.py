"""Values of tensors: the model runs again, and what it gives of them lies in a file."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from qviz.errors import QvizError
from qviz.sources.base import TensorSource, open_file

LARGEST = 2**30  # bytes of the files that are kept
PART = LARGEST // 2  # bytes of values that one run gives of several tensors at most
WORDS = 24 * 2**10  # characters of their names at most: they stand on a command line
Capture = Callable[[Sequence[str], Path], None]  # runs the command with more options, in a folder


class Replays:
    """Gives the values of a tensor by its name, mapped; runs the model where no file has them.

    Files lie in ``folder``; of several that take more than ``most`` bytes together the least
    recently used go. Arrays that were given out stay what they are.
    """

    def __init__(self, capture: Capture, folder: Path, most: int = LARGEST) -> None:
        self._capture, self._folder, self._most = capture, folder, most
        self._lock = threading.Lock()
        self._files: dict[str, Path] = {}  # name -> the file that has it, if it is still there
        self._sizes: dict[Path, int] = {}  # of the files, the least recently used first
        self._last: tuple[Path, TensorSource] | None = None
        self._failed: dict[str, QvizError] = {}

    def __call__(self, name: str) -> Any:
        """The values of ``name``. Raises QvizError where the run fails."""
        with self._lock:
            if name in self._failed:  # the next time it is tried anew
                raise self._failed.pop(name)
            if not self._use(name):
                self._run([name])
            return self._opened(self._files[name])[name]

    def ahead(self, names: Sequence[str]) -> None:
        """Have the values of all these at hand, by one run; see PART and WORDS.

        Where it fails, asking for one of them says why.
        """
        with self._lock:
            wanted = [name for name in dict.fromkeys(names) if not self._use(name)]
            try:
                if wanted:
                    self._run(wanted)
            except QvizError as error:
                self._failed |= dict.fromkeys(wanted, error)

    def _use(self, name: str) -> bool:
        """Whether a file has it; that is then the one most recently used."""
        path = self._files.get(name)
        if path is None or path not in self._sizes or not path.is_file():
            return False
        self._sizes[path] = self._sizes.pop(path)
        return True

    def _opened(self, path: Path) -> TensorSource:
        if self._last is None or self._last[0] != path:  # one of many tensors takes a while
            self._last = path, open_file(path)
        return self._last[1]

    def _run(self, names: Sequence[str]) -> None:
        words = "\0".join(names).encode("utf-8", "surrogatepass")
        path = self._folder / f"replay-{hashlib.blake2b(words, digest_size=16).hexdigest()}.npz"
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            only = [f"--only={name}" for name in names]
            self._capture([*only, "--values", "--out", str(path)], Path(folder))
        self._last = None
        self._files |= dict.fromkeys(names, path)
        self._sizes[path] = path.stat().st_size
        self._make_room(path)

    def _make_room(self, newest: Path) -> None:
        total = sum(self._sizes.values())
        for path in [path for path in self._sizes if path != newest]:
            if total > self._most:
                path.unlink(missing_ok=True)
                total -= self._sizes.pop(path)
