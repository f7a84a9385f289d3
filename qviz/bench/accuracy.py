"""How far live numbers from the sketch are from the exact pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from qviz.bench.base import JOBS, SOURCE, Report, Setup, Verdict
from qviz.bench.data import DISTS, tensor
from qviz.errors import QvizError
from qviz.metrics.base import Totals
from qviz.metrics.producers import Frame
from qviz.metrics.reading import read
from qviz.metrics.regions import of_sketch
from qviz.observers.selection import default_observers
from qviz.pipeline import gather, settle
from qviz.pipeline.comparing import needs_of
from qviz.pipeline.judging import COARSE, EXACT_BELOW, FINE, judge_each
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import QuantSpec
from qviz.stats.base import Seen
from qviz.stats.minmax import MinMax
from qviz.stats.sketch import Sketch
from qviz.stats.stream import Stream

BITS = (2, 4, 8)
LIMITS = {COARSE: 0.02, FINE: 0.002}  # dB


@JOBS.register("accuracy", title="SQNR of the sketch against the exact pass", source=SOURCE)
def accuracy(setup: Setup) -> Report:
    """Largest difference in SQNR over distributions, bits and observers; nothing is timed."""
    if setup.n < EXACT_BELOW or setup.dtype != "float32":
        raise QvizError(
            f"{setup.n:,} elements of {setup.dtype} are judged value by value.",
            f"Only float32 from {EXACT_BELOW:,} elements on is judged by its sketch.",
            "Ask for more elements of float32.",
        )
    table = [row for dist in DISTS for row in _of(replace(setup, dist=dist))]
    return Report(tuple(table), tuple(_verdict(recipe, table) for recipe in LIMITS))


def _of(setup: Setup) -> Iterator[dict[str, Any]]:
    tile = Stream.of(tensor(setup)).tiles[0]
    observers = default_observers()
    seen = gather(tile, (*needs_of(observers, Target.of()), COARSE, FINE))
    for bits in BITS:
        target = Target.of(QuantSpec(bits))
        grids = [settle(observer, seen, target).quantizer for observer in observers]
        exact = judge_each(tile, seen, grids, exact=True)
        row: dict[str, Any] = {"dist": setup.dist, "bits": bits, "ranges": len(grids)}
        for recipe in LIMITS:
            live = [_live(seen, grid, recipe) for grid in grids]
            row[_column(recipe)] = max(map(_gap_db, live, exact))
        yield row


def _live(seen: Seen, quantizer: Quantizer, recipe: Sketch) -> Totals:
    spread = seen[MinMax()]
    frame = Frame(spread.lo, spread.hi)
    with np.errstate(all="ignore"):
        return of_sketch(seen[recipe].cells, quantizer, frame, spread.zero)


def _gap_db(live: Totals, exact: Totals) -> float:
    a, b = (read("sqnr", totals)[0].value for totals in (live, exact))
    return 0.0 if a is None or b is None else abs(float(a) - float(b))


def _column(recipe: Sketch) -> str:
    return f"off_db_{recipe.bits}_bits"


def _verdict(recipe: Sketch, table: list[dict[str, Any]]) -> Verdict:
    worst = max(table, key=lambda row: row[_column(recipe)])
    off, limit = worst[_column(recipe)], LIMITS[recipe]
    words = f"at most {off:.2g} dB off ({worst['dist']}, {worst['bits']} bits), {limit} allowed"
    return Verdict(f"{recipe.bits}-bit sketch", off <= limit, words)
