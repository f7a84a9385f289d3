"""Anonymous memory that a comparison of a mapped file adds, watched in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import values
from qviz.errors import QvizError
from qviz.observers.selection import default_observers
from qviz.pipeline import compare
from qviz.quantizers.base import Target
from qviz.sources.base import open_file
from qviz.stats.stream import Stream

STATUS = Path("/proc/self/status")
MOST_MB = 32.0
TICK_S = 0.002
CHILD = "from qviz.bench.memory import child; import sys; child(sys.argv[1], sys.argv[2])"


@JOBS.register("memory", title="Memory of a comparison of a mapped file", source=SOURCE)
def memory(setup: Setup) -> Report:
    """Peak of RssAnon during a comparison of all neutral observers, above what was there."""
    if not STATUS.exists():
        return Report(notes=("Left out: this system has no /proc.",))
    with tempfile.TemporaryDirectory() as folder:
        small, large = (Path(folder) / name for name in ("small.npy", "large.npy"))
        x = values(setup)
        np.save(small, x[:100_000])
        np.save(large, x)
        size = x.nbytes / 1e6
        del x
        told = _told(small, large)
    if told.pop("sum") <= 0:
        raise QvizError("The comparison gave no result.", "Its sum of squares is not positive.")
    words = f"{told['added_MB']:.1f} MB added, {MOST_MB:g} wished for"
    row = {"candidate": "qviz: all", "file_MB": size, **told}
    return Report((row,), goals=(Verdict("memory", told["added_MB"] <= MOST_MB, words),))


def child(small: str, large: str) -> None:
    """Compare a small file to load everything, then the large one; print what it took."""
    _sum_of(small)
    before = _anonymous_mb()
    peak, result = _watched(lambda: _sum_of(large))
    told = {"before_MB": before, "added_MB": max(0.0, peak - before), "sum": result}
    sys.stdout.write(json.dumps(told))


def _told(small: Path, large: Path) -> dict[str, float]:
    words = [sys.executable, "-c", CHILD, str(small), str(large)]
    root = Path(__file__).parents[2]
    ended = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:]
        raise QvizError("The watched process failed.", *last)
    return json.loads(ended.stdout)


def _sum_of(path: str) -> float:
    source = open_file(path)
    stream = Stream.of(source[source.names[0]])
    rows = compare(stream, default_observers(), Target.of()).served
    return sum(float(row.totals.xx.sum()) for row in rows if row.totals is not None)


def _watched(run: Callable[[], float]) -> tuple[float, float]:
    """Peak while ``run`` works, in MB, and what it gives."""
    done, peak = threading.Event(), [_anonymous_mb()]

    def watch() -> None:
        while not done.wait(TICK_S):
            peak.append(max(peak.pop(), _anonymous_mb()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        result = run()
    finally:
        done.set()
        watcher.join()
    return peak[0], result


def _anonymous_mb() -> float:
    for line in STATUS.read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1000
    raise QvizError("This system does not tell RssAnon.", f"{STATUS} has no such line.")
