"""Opens files one after the other under limits, and says in JSON what each came to.

Run as ``python -m tests.security.child`` with a JSON list of ``[path, shown]`` on standard input.
"""

import json
import resource
import signal
import sys
import time
from pathlib import Path

import onnx  # noqa: F401  a server has it loaded, too

from qviz.errors import QvizError
from qviz.models.layers import layer_rows
from qviz.models.scheme import Schemes
from qviz.sources.base import open_file
from qviz.sources.captured.source import Captured

SPACE = 2 * 2**30  # bytes of address space above what the libraries took
SECONDS = 20  # of the clock for one file; machines that are busy are slow
PROCESSOR = 300  # seconds for all files
CHECKPOINTS = (".pt", ".bin")  # what torch reads; else it would only take seconds to load


def address_space():
    """Bytes of address space in use."""
    (line,) = (w for w in Path("/proc/self/status").read_text().splitlines() if "VmSize" in w)
    return 1024 * int(line.split()[1])


def limit():
    """Set the limits; what goes beyond them ends in a MemoryError, a TimeoutError or the end."""
    top = address_space() + SPACE
    resource.setrlimit(resource.RLIMIT_AS, (top, top))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    signal.signal(signal.SIGALRM, late)


def late(*_):
    raise TimeoutError(f"over {SECONDS} s")


def peak():
    """Most memory this process ever had, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Ending:
    """Notes how what is inside ends; whatever it raises goes no further."""

    error: BaseException | None = None

    def __enter__(self):
        signal.alarm(SECONDS)
        return self

    def __exit__(self, kind, error, trace):
        signal.alarm(0)
        self.error = error
        return True


def table(source):
    """What a table of layers shows of a capture; every number of it goes as strict JSON."""
    rows = [row.json() for row in layer_rows(source, Schemes.usual())]
    return {"rows": len(json.loads(json.dumps(rows, allow_nan=False)))}


def outcome(path, shown):
    """Open a file and read all of it: what came of it, seconds of the processor, memory."""
    before, start = peak(), time.process_time()
    said = {"code": None, "words": [], "names": [], "skipped": {}, "raised": ""}
    with Ending() as ending:
        source = open_file(path, shown)
        said |= {"names": list(source), "skipped": dict(source.skipped)}
        if isinstance(source, Captured):
            said |= table(source)
        for name in source:
            if not isinstance(source, Captured) or source.has_values(name):
                source[name]
    error = ending.error
    if isinstance(error, QvizError):
        said |= {"code": error.code, "words": [error.what, error.why, error.do], "names": []}
    elif error is not None:  # what must not happen
        said["raised"] = f"{type(error).__name__}: {error}"
    return said | {"seconds": time.process_time() - start, "memory": peak() - before}


def main():
    files = json.load(sys.stdin)
    if any(shown.endswith(CHECKPOINTS) for _, shown in files):
        import torch

        torch.set_num_threads(1)
    limit()
    for path, shown in files:
        sys.stdout.write(json.dumps(outcome(path, shown)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
