"""Limits of a process that runs models: a model that goes beyond them ends with one sentence."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

if sys.platform != "win32":
    import resource

MEMORY, SECONDS = 4 * 2**30, 120.0
FILE = 2 * 2**30  # bytes of a file that is written
STOPPED = 2  # status of a process that ran out of time


@dataclass(frozen=True)
class Limits:
    """``memory`` is address space in bytes, ``seconds`` are those of the clock."""

    memory: int = MEMORY
    seconds: float = SECONDS

    def words(self) -> list[str]:
        """The same as options of the command line."""
        return ["--memory", f"{self.memory / 2**30:g}", "--seconds", f"{self.seconds:g}"]


def limit_this_process(limits: Limits) -> None:
    """Hold this process to the limits for the rest of its life.

    When the clock has run out it says so and ends at once, wherever it is; the processor's time
    is limited to twice that, should it be beyond the reach of its own clock. A system that knows
    no limit of a kind is left with the others.
    """
    seconds = max(1, round(2 * limits.seconds))
    _lower({"AS": limits.memory, "CPU": seconds, "FSIZE": FILE, "CORE": 0})
    clock = threading.Timer(limits.seconds, _end, (limits.seconds,))
    clock.daemon = True
    clock.start()


def _lower(limits: Mapping[str, int]) -> None:
    if sys.platform == "win32":
        return
    for name, most in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        held = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # macOS has no limit of address space
            resource.setrlimit(kind, (held, held))


def _end(seconds: float) -> None:
    sys.stderr.write(f"qviz: {out_of_time(seconds)}\n")
    sys.stderr.flush()
    os._exit(STOPPED)


def out_of_time(seconds: float) -> str:
    """What is said of a model that takes too long."""
    return (
        f"The model was stopped after {seconds:g} seconds. It may loop without end. "
        "Run fewer or smaller batches, or allow more time: --seconds."
    )


def out_of_memory(memory: int) -> str:
    """What is said of a model that takes too much."""
    return (
        f"The model asked for more memory than the {memory / 2**30:g} GiB it may have. "
        "Run smaller batches (--batch), or allow more: --memory."
    )
