"""Limits of a process that runs models: a model that goes beyond them ends with one sentence."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from qviz.errors import QvizError

if sys.platform != "win32":
    import resource

MEMORY, SECONDS = 4 * 2**30, 120.0
FILE = 2 * 2**30  # bytes of a file that is written
RUNTIME = 160 * 2**20  # bytes of address space that loading the runtime takes
MOST_MEMORY, MOST_SECONDS = 2**50, 10.0**7  # that may be asked for
STOPPED = 2  # status of a process that ran out of time
LIFELINE = "QVIZ_LIFELINE"  # set where the process is to end with whoever holds its input open
MORE_TIME = "Run fewer or smaller batches, or allow more time: --seconds."
MORE_MEMORY = "Run smaller batches (--batch), or allow more: --memory."
LESS = "Run fewer or smaller batches."  # where nobody can allow more


@dataclass(frozen=True)
class Limits:
    """``memory`` is address space in bytes, ``seconds`` are those of the clock."""

    memory: int = MEMORY
    seconds: float = SECONDS

    def words(self) -> list[str]:
        """The same as options of the command line."""
        return ["--memory", f"{self.memory / 2**30:g}", "--seconds", f"{self.seconds:g}"]


@dataclass
class _Reached:
    """How far this process is, and when its time is over."""

    done: int = 0
    count: int = 0
    steps: str = "steps"
    until: float = float("inf")


_REACHED = _Reached()


def reached(done: int, count: int = 0, steps: str = "steps") -> None:
    """Tell how far the work is; the sentence at the end of the time says so."""
    _REACHED.done, _REACHED.count, _REACHED.steps = done, count, steps


def seconds_left() -> float:
    """Seconds until this process is ended; infinite where its time is not limited."""
    return _REACHED.until - time.monotonic()


def limit_this_process(limits: Limits, ended: Callable[[QvizError], None] | None = None) -> None:
    """Hold this process to the limits for the rest of its life.

    When the clock has run out it says so and ends at once, wherever it is, when ``ended`` has
    told what there is so far; the processor's time is limited to twice that, should it be beyond
    the reach of its own clock. A system that knows no limit of a kind is left with the others. A
    child of ``qviz.models.jobs`` ends when its parent does, too.

    Raises
    ------
    QvizError
        The memory does not suffice for the runtime itself.
    """
    if (least := _address_space() + RUNTIME) > limits.memory:
        what = f"There is no room for the runtime in {limits.memory / 2**30:g} GiB."
        why = f"It takes about {least / 2**30:.1f} GiB by itself."
        raise QvizError(what, why, "Allow more: --memory.")
    _REACHED.until = time.monotonic() + limits.seconds
    clock = threading.Timer(limits.seconds, _end, (limits.seconds, ended))
    clock.daemon = True
    clock.start()  # a thread needs room of its own, and waits for ever where there is none
    if os.environ.pop(LIFELINE, ""):
        threading.Thread(target=_end_with_input, daemon=True).start()
    seconds = max(1, round(2 * limits.seconds))
    _lower({"AS": limits.memory, "CPU": seconds, "FSIZE": FILE, "CORE": 0})


def _address_space() -> int:
    """Bytes of address space that this process takes; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _lower(limits: Mapping[str, int]) -> None:
    if sys.platform == "win32":
        return
    for name, most in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        held = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # macOS has no limit of address space
            resource.setrlimit(kind, (held, held))


def _end(seconds: float, ended: Callable[[QvizError], None] | None) -> None:
    try:
        error = out_of_time(seconds, _REACHED.done, _REACHED.count, _REACHED.steps)
        sys.stderr.write(f"qviz: {error}\n")
        sys.stderr.flush()
        if ended is not None:
            ended(error)
            sys.stdout.flush()
    finally:
        os._exit(STOPPED)


def _end_with_input() -> None:
    """Wait until nobody can write to the input any more, and end.

    A command that reads its input keeps it: the pipe is only watched, where the system can.
    """
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(0, 0)  # told of the hang-up alone
        poll.poll()
    else:
        with suppress(OSError):
            while os.read(0, 1):
                pass
    os._exit(STOPPED)


def out_of_time(seconds: float, done: int = 0, count: int = 0, steps: str = "steps") -> QvizError:
    """What is said of a model that takes too long, when so many steps of all were done."""
    what = f"The model was stopped after {seconds:g} seconds"
    if not done:
        return QvizError(f"{what}; no step was finished.", "It may loop without end.", MORE_TIME)
    many = f"{done} of {count}" if count else f"{done}"
    return QvizError(f"{what} with {many} {steps} done.", "", MORE_TIME)


def out_of_memory(memory: int) -> QvizError:
    """What is said of a model that takes too much."""
    what = f"The model asked for more memory than the {memory / 2**30:g} GiB it may have."
    return QvizError(what, "", MORE_MEMORY)
