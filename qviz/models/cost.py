"""What quantizing one tensor under a scheme costs, from statistics where these suffice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qviz.errors import QvizError
from qviz.metrics.base import Totals
from qviz.metrics.producers import Frame, of_cells
from qviz.metrics.reading import EXACT, read
from qviz.metrics.regions import of_sketch
from qviz.models.facts import SKETCH, Facts, stream_of
from qviz.models.scheme import Scheme
from qviz.observers.distinct import Distinct
from qviz.pipeline.errors import Errors, errors_of, marks_for
from qviz.pipeline.granularities import settled_tiles
from qviz.pipeline.judging import EXACT_BELOW, LARGEST, refusal, settle
from qviz.quantizers.base import Target
from qviz.sources.base import TensorSource
from qviz.sources.captured.source import Captured
from qviz.spec import PER_TENSOR
from qviz.stats.minmax import MinMax
from qviz.stats.stream import Stream

FEW = Distinct()
LOSSLESS = "Every element comes back as it was."
SILENT = "All elements are zero."


@dataclass(frozen=True)
class Cost:
    """SQNR in dB and distinct codes that occur; ``note`` says why there is no SQNR."""

    sqnr: float | None = None
    codes_used: int | None = None
    exact: bool = True
    note: str = ""


def cost_of(source: TensorSource, facts: Facts, scheme: Scheme) -> Cost:
    """The cost of one tensor; a refusal becomes its ``note``."""
    target = scheme.target(facts.axis)
    try:
        if reason := refusal(scheme.observer, target):
            return Cost(note=f"{reason[:1].upper()}{reason[1:]}.")
        found = _from_statistics(facts, scheme, target)
        if found is not None and (found.exact or not _at_hand(source, facts)):
            return found
        return _from_values(source, facts, target, scheme)
    except QvizError as error:
        return Cost(note=str(error))


def _at_hand(source: TensorSource, facts: Facts) -> bool:
    """Whether its values are there and so few that they are judged one by one."""
    there = not isinstance(source, Captured) or source.has_values(facts.info.name)
    return there and facts.info.size < EXACT_BELOW


def _from_statistics(facts: Facts, scheme: Scheme, target: Target) -> Cost | None:
    """The cost without a value being read; None where statistics do not suffice."""
    seen = facts.seen
    if target.granularity != PER_TENSOR or any(n not in seen for n in scheme.observer.needs):
        return None
    state, spread = seen[SKETCH], seen[MinMax()]
    values = state.cells if state.exact else seen[FEW].cells if FEW in seen else None
    quantizer = settle(scheme.observer, seen, target).quantizer
    frame = Frame(spread.lo, spread.hi)
    with np.errstate(all="ignore"):
        if values is not None:
            return _read(of_cells(values, quantizer, frame))
        if not quantizer.monotone or (spread.amax > LARGEST).any():
            return None
        return _read(of_sketch(state.cells, quantizer, frame, spread.zero))


def _read(totals: Totals) -> Cost:
    sqnr, codes = read("sqnr", totals)[0], read("codes_used", totals)[0]
    note = "" if sqnr.value is not None else LOSSLESS if sqnr.reason == EXACT else SILENT
    used = None if codes.value is None else int(codes.value)
    return Cost(sqnr.value, used, sqnr.mark == EXACT, note)


def _from_values(source: TensorSource, facts: Facts, target: Target, scheme: Scheme) -> Cost:
    stream = stream_of(source, facts.info.name)
    along = Stream.of(list(stream.batches), target.granularity)
    parts, marks = [], None
    for tile, settled in settled_tiles(along, scheme.observer, target):
        if settled is None:
            continue
        here = marks_for(tile.groups, settled.quantizer)
        parts.append(errors_of(tile, settled.quantizer, here))
        marks = _joined(marks, here)
    errors = Errors.joined(parts)
    value = errors.overall
    note = LOSSLESS if value == np.inf else "" if np.isfinite(value) else SILENT
    used = None if marks is None or not marks.size else int(marks.sum())
    return Cost(value if np.isfinite(value) else None, used, True, note)


def _joined(so_far: np.ndarray | None, here: np.ndarray | None) -> np.ndarray:
    """Codes that occur in any group; empty for good where a tile's were not counted."""
    if here is None or (so_far is not None and not so_far.size):
        return np.zeros(0, bool)
    return np.any(here if so_far is None else np.vstack([here, so_far]), axis=0)
