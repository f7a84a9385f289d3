"""Compare observers on one tensor: one read for all, one row each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qviz.errors import QvizError
from qviz.metrics.base import Totals, joined, without_tables
from qviz.observers.base import Observer
from qviz.pipeline.judging import (
    ALWAYS,
    COARSE,
    FINE,
    Settled,
    judge_each,
    reads_values,
    refusal,
    settle,
    too_coarse,
)
from qviz.pipeline.resolution import resolved
from qviz.pipeline.rows import Comparison, Row
from qviz.quantizers.base import Target
from qviz.spec import joined as joined_ranges
from qviz.stats.base import NOTHING, Recipe, Seen
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Progress, Stream, Tile

Outcome = tuple[Settled, Totals] | str
MANY = 4096  # groups from which counts of codes and bins are not kept


def _lean(outcome: Outcome) -> Outcome:
    return outcome if isinstance(outcome, str) else (outcome[0], without_tables(outcome[1]))


def compare(
    stream: Stream,
    observers: Sequence[Observer],
    target: Target,
    *,
    have: Seen = NOTHING,
    exact: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Ranges, qparams and totals of every observer.

    Parameters
    ----------
    stream : Stream
        The tensor's batches under ``target.granularity``.
    have : Seen
        Statistics gathered before, of a tensor of one tile; only what is new is read.
    exact : bool
        Judge value by value, whatever the size.
    progress : function, optional
        Told how many elements were read, of how many.
    """
    if target.granularity != stream.granularity:
        stream = Stream(stream.batches, target.granularity)
    per_tile: list[list[Outcome]] = []
    facts: list[MinMaxState] = []
    seen = None
    many = sum(tile.groups for tile in stream.tiles) > MANY
    for tile in stream.tiles:
        known = have if len(stream.tiles) == 1 else NOTHING
        seen, outcomes = _compare_tile(tile, observers, target, known, exact, progress)
        per_tile.append([_lean(outcome) for outcome in outcomes] if many else outcomes)
        facts.append(seen[MinMax()])
    rows = [_row(o, [tile[i] for tile in per_tile]) for i, o in enumerate(observers)]
    return Comparison(
        tuple(rows), target, _joined_facts(facts), seen if len(stream.tiles) == 1 else None
    )


def needs_of(observers: Sequence[Observer], target: Target) -> tuple[Recipe, ...]:
    """All recipes that a comparison gathers before it settles ranges."""
    asked = [n for o in observers if refusal(o, target) is None for n in o.needs]
    return tuple(dict.fromkeys((*ALWAYS, *asked)))


def _compare_tile(
    tile: Tile,
    observers: Sequence[Observer],
    target: Target,
    have: Seen,
    exact: bool,
    progress: Progress | None,
) -> tuple[Seen, list[Outcome]]:
    seen = resolved(tile, gather(tile, needs_of(observers, target), have, progress))
    settled = [_try_settle(observer, seen, target) for observer in observers]
    grids = [s.quantizer for s in settled if isinstance(s, Settled)]
    if not (exact or seen[COARSE].exact) and any(
        not reads_values(tile, seen, q) and too_coarse(seen, q) for q in grids
    ):
        seen = gather(tile, (FINE,), seen, progress)
    totals = iter(judge_each(tile, seen, grids, exact=exact))
    return seen, [s if isinstance(s, str) else (s, next(totals)) for s in settled]


def _try_settle(observer: Observer, seen: Seen, target: Target) -> Settled | str:
    reason = refusal(observer, target)
    if reason:
        return reason
    try:
        return settle(observer, seen, target)
    except QvizError as error:
        return str(error)


def _row(observer: Observer, outcomes: list[Outcome]) -> Row:
    for outcome in outcomes:
        if isinstance(outcome, str):
            return Row(observer, refused=outcome)
    done = [outcome for outcome in outcomes if not isinstance(outcome, str)]
    grids = [settled.quantizer for settled, _ in done]
    asked = [settled.range for settled, _ in done if settled.range is not None]
    return Row(
        observer,
        range=joined_ranges(asked) if asked else None,
        covered=joined_ranges([settled.covered for settled, _ in done]),
        qparams=_joined_qparams([q.qparams() for q in grids]),
        ends=grids[0].ends,
        quantizer=grids[0] if len(grids) == 1 else None,
        totals=joined([totals for _, totals in done]),
    )


def _joined_qparams(parts: list[dict[str, np.ndarray | None]]) -> dict[str, np.ndarray | None]:
    out: dict[str, np.ndarray | None] = {}
    for name in parts[0]:
        columns = [part[name] for part in parts]
        there = [column for column in columns if column is not None]
        out[name] = np.concatenate(there) if len(there) == len(columns) else None
    return out


def _joined_facts(parts: list[MinMaxState]) -> MinMaxState:
    names = MinMaxState.__dataclass_fields__
    return MinMaxState(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))
