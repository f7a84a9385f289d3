"""The exact pass of twelve quantizers, beside whole-tensor torch operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qviz.bench import peers
from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import tensor
from qviz.bench.timing import Candidate, measure, reader, rows
from qviz.metrics.base import Totals
from qviz.metrics.reading import read, read_all
from qviz.pipeline import gather
from qviz.pipeline.judging import ALWAYS, judge_each
from qviz.quantizers.affine import AffineQuantizer, typed
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream, Tile

COUNT = 12
CLOSE = 1e-5  # relative; the peer adds up in float32
OURS, THEIRS = "qviz: exact pass", "torch, operation by operation"


@JOBS.register("exact-metrics", title="Exact metrics of twelve quantizers", source=SOURCE)
def exact_metrics(setup: Setup) -> Report:
    """All metrics of twelve ranges between a tenth and the whole, value by value."""
    x = tensor(setup)
    tile = Stream.of(x).tiles[0]
    seen = gather(tile, ALWAYS)
    grids = [_grid(seen, (i + 1) / COUNT) for i in range(COUNT)]
    read_x, flat = reader(x, setup), x.float()
    verdicts = (_same(tile, seen, flat, grids[COUNT // 2]), _same(tile, seen, flat, grids[-1]))
    candidates = [
        Candidate(OURS, lambda: [read_all(t) for t in _exact(tile, seen, grids)], THEIRS),
        Candidate(THEIRS, lambda: [peers.straightforward(flat, q) for q in grids]),
    ]
    if not all(verdict.holds for verdict in verdicts):
        return Report(verdicts=verdicts)
    times = measure(read_x, candidates, setup.rounds)
    reads = tuple(second * 1e3 for second in times.read)
    return Report(rows(times, candidates), verdicts, void=times.void, read_ms=reads)


def _exact(tile: Tile, seen: Seen, quantizers: Sequence[AffineQuantizer]) -> list[Totals]:
    return judge_each(tile, seen, quantizers, exact=True)


def _grid(seen: Seen, part: float) -> AffineQuantizer:
    """Symmetric signed 8-bit codes over a part of the whole range; a step torch has as well."""
    return typed(float(seen[MinMax()].amax[0]) * part / 127, 0, -127, 127)


def _same(tile: Tile, seen: Seen, flat: Any, quantizer: AffineQuantizer) -> Verdict:
    (totals,), theirs = _exact(tile, seen, [quantizer]), peers.straightforward(flat, quantizer)
    ours = {name: read(name, totals)[0].value for name in theirs}
    gaps = {n: abs(float(ours[n] or 0) - v) / max(abs(v), 1e-12) for n, v in theirs.items()}
    worst = max(gaps, key=lambda name: gaps[name])
    words = f"{worst} differs by {gaps[worst]:.1g} of itself, the others by less"
    return Verdict(f"scale {quantizer.scale[0]:.3g}", gaps[worst] <= CLOSE, words)
