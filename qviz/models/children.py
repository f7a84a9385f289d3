"""Child processes that run models: started so that they end with this one, and why they failed."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import qviz
from qviz.errors import QvizError
from qviz.models.limits import (
    LIFELINE,
    MORE_MEMORY,
    MORE_TIME,
    Limits,
    out_of_memory,
    out_of_time,
)

SAID = "said.txt"  # file of what a child complains of
ROOT = Path(qviz.__file__).parents[1]
KILLED, OUT_OF_PROCESSOR = -9, -24  # statuses of a child that a signal ended
_SAID = re.compile(r"^qviz: (.*)$", re.MULTILINE)
_STEPS = re.compile(r"(?:batch|step) (\d+) of (\d+)")
_ERROR = re.compile(r"^(?:\w+\.)*(\w+)(?:: .*)?$", re.MULTILINE)  # the last line of a traceback
_NO_MEMORY = re.compile(r"MemoryError|bad_alloc|failed to map segment|allocate memory")


def spawn(
    command: Sequence[str], stdout: IO[bytes] | int, said: Path, *, reads: bool = False
) -> subprocess.Popen[bytes]:
    """``python -m qviz COMMAND`` in a child; what it complains of goes to the file ``said``.

    It ends when nobody holds its input open any more: when this process has ended, say. Where a
    command ``reads`` its input, and the system cannot watch a pipe beside that, it does not.
    """
    places = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
    if hasattr(select, "poll") or not reads:
        env[LIFELINE] = "1"
    words = [sys.executable, "-m", "qviz", *command]
    with said.open("wb") as err:
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=stdout, stderr=err, env=env)


def ended(child: subprocess.Popen[bytes]) -> None:
    """End a child, if it has not ended by itself."""
    if child.poll() is None:
        child.kill()
        child.wait()
    if child.stdin is not None and not child.stdin.closed:
        child.stdin.close()


def error_of(status: int, said: str, limits: Limits, *, late: bool) -> QvizError:
    """Why a child failed: its own sentence, else what its status and last words tell.

    ``late`` says that its time was over. What to do is apart, in ``do``.
    """
    sentences = _SAID.findall(said)
    if sentences:
        return _parted(sentences[-1])
    if status == OUT_OF_PROCESSOR or (status == KILLED and late):
        done, count = map(int, (_STEPS.findall(said) or [(0, 0)])[-1])
        return out_of_time(limits.seconds, done, count)
    if _NO_MEMORY.search(said):
        return out_of_memory(limits.memory)
    if status == KILLED:
        return QvizError("The run was ended from outside.", "The system may be short of memory.")
    if status < 0:
        why = (
            f"It may have asked for more memory than the {limits.memory / 2**30:g} GiB it may have."
        )
        return QvizError(f"The runtime broke down ({_name(-status)}).", why, MORE_MEMORY)
    what = "The run ended with an error inside qviz"
    names = _ERROR.findall(said) if "Traceback" in said else []
    return QvizError(f"{what}: {names[-1]}." if names else f"{what}: status {status}.")


def _parted(sentence: str) -> QvizError:
    for do in (MORE_TIME, MORE_MEMORY):
        if sentence.endswith(do):
            return QvizError(sentence.removesuffix(do).rstrip(), "", do)
    return QvizError(sentence)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
