"""Work that goes on beside a page: what can be asked of it, and work in a thread."""

from __future__ import annotations

import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from qviz.errors import QvizError

R = TypeVar("R")
Told = Callable[[int, int], None]  # parts done, parts in all
STOPPED = "The run was stopped before its end."


class Job(ABC, Generic[R]):
    """Work that has begun; it ends when nobody holds it any more."""

    ran: float | None = None  # seconds that the model itself ran, once it is told

    @property
    @abstractmethod
    def progress(self) -> tuple[int, int]:
        """Parts done, and parts in all; (0, 0) before the first."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether it has ended."""

    @abstractmethod
    def cancel(self) -> None:
        """End it now; ``result`` then says that it was stopped."""

    @abstractmethod
    def result(self) -> R:
        """Wait for what comes of it. Raises QvizError in one sentence where it failed."""


class Threaded(Job[R]):
    """``work`` in a thread. It tells how far it is, which ends it once it is cancelled."""

    def __init__(self, work: Callable[[Told], R]) -> None:
        self._state = _State[R]()
        weakref.finalize(self, self._state.cancelled.set)
        self._thread = threading.Thread(target=self._state.run, args=(work,), daemon=True)
        self._thread.start()

    @property
    def progress(self) -> tuple[int, int]:
        """Parts done, and parts in all; (0, 0) before the first."""
        return self._state.progress

    @property
    def done(self) -> bool:
        """Whether it has ended, or is to end."""
        return self._state.cancelled.is_set() or not self._thread.is_alive()

    def cancel(self) -> None:
        """End it when it next tells how far it is."""
        if self._thread.is_alive():
            self._state.cancelled.set()

    def result(self) -> R:
        """What ``work`` gave. Raises its QvizError, or one that says that it was stopped."""
        if not self._state.cancelled.is_set():
            self._thread.join()
        if self._state.found:
            return self._state.found[0]
        if self._state.cancelled.is_set():
            raise QvizError(STOPPED)
        raise self._state.error


class _State(Generic[R]):
    """What the thread and the job share: the thread does not hold the job."""

    def __init__(self) -> None:
        self.progress = (0, 0)
        self.cancelled = threading.Event()
        self.found: list[R] = []
        self.error = QvizError("The work ended with an error inside qviz.")

    def run(self, work: Callable[[Told], R]) -> None:
        try:
            self.found.append(work(self._tell))
        except QvizError as error:
            self.error = error

    def _tell(self, done: int, count: int) -> None:
        self.progress = done, count
        if self.cancelled.is_set():
            raise QvizError(STOPPED)
