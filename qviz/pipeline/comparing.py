"""Compare observers on one tensor: one read for all, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from qviz.errors import QvizError
from qviz.metrics.base import Totals, joined
from qviz.metrics.producers import Frame, of_rows
from qviz.observers.base import OBSERVERS, Observer
from qviz.pipeline.judging import (
    ALWAYS,
    COARSE,
    EXACT_BELOW,
    FINE,
    Settled,
    judge,
    reads_values,
    refusal,
    settle,
    too_coarse,
)
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import Granularity, Range
from qviz.spec import joined as joined_ranges
from qviz.stats.base import NOTHING, Recipe, Seen
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Progress, Stream, Tile


@dataclass(frozen=True, eq=False)
class Row:
    """What one observer comes to.

    ``refused`` is the reason why it cannot serve; all else is then None. ``range`` is what was
    asked for, None where the observer gave qparams itself; ``covered`` is what the grid spans.
    ``qparams`` holds scale and zero_point (groups,) or None; ``quantizer`` is kept where the
    tensor is one tile. ``channels`` are the totals of each channel under the same qparams.
    """

    observer: Observer
    refused: str | None = None
    range: Range | None = None
    covered: Range | None = None
    qparams: dict[str, np.ndarray | None] | None = None
    ends: tuple[int, int] | None = None
    quantizer: Quantizer | None = None
    totals: Totals | None = None
    channels: Totals | None = None

    @property
    def spelling(self) -> str:
        """Name and knobs: the row's identity."""
        return OBSERVERS.spell(self.observer)

    @property
    def title(self) -> str:
        """The words on screen."""
        return OBSERVERS.title_of(self.observer)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Rows in the order asked for; ``seen`` holds the statistics where the tensor is one tile.

    ``facts`` are the extremes and counts per group.
    """

    rows: tuple[Row, ...]
    target: Target
    facts: MinMaxState
    seen: Seen | None

    @property
    def served(self) -> tuple[Row, ...]:
        """Rows that were not refused."""
        return tuple(row for row in self.rows if row.refused is None)


Outcome = tuple[Settled, Totals] | str


def compare(
    stream: Stream,
    observers: Sequence[Observer],
    target: Target,
    *,
    have: Seen = NOTHING,
    exact: bool = False,
    channel_axis: int | None = None,
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
    channel_axis : int, optional
        Judge channel rows under the tensor's qparams as well, up to 1e6 elements or on request.
    """
    if target.granularity != stream.granularity:
        stream = Stream(stream.batches, target.granularity)
    per_tile: list[list[Outcome]] = []
    facts: list[MinMaxState] = []
    seen = None
    for tile in stream.tiles:
        known = have if len(stream.tiles) == 1 else NOTHING
        seen, outcomes = _compare_tile(tile, observers, target, known, exact, progress)
        per_tile.append(outcomes)
        facts.append(seen[MinMax()])
    rows = [_row(o, [tile[i] for tile in per_tile]) for i, o in enumerate(observers)]
    if channel_axis is not None and (exact or stream.size < EXACT_BELOW):
        rows = _with_channels(rows, stream, channel_axis)
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
    seen = gather(tile, needs_of(observers, target), have, progress)
    settled = [_try_settle(observer, seen, target) for observer in observers]
    grids = [s.quantizer for s in settled if isinstance(s, Settled)]
    if not (exact or seen[COARSE].exact) and any(
        not reads_values(tile, q) and too_coarse(seen, q) for q in grids
    ):
        seen = gather(tile, (FINE,), seen, progress)
    return seen, [
        s if isinstance(s, str) else (s, judge(tile, seen, s.quantizer, exact=exact))
        for s in settled
    ]


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


def _with_channels(rows: list[Row], stream: Stream, axis: int) -> list[Row]:
    by_channel = Granularity("per_channel", axis)
    if stream.granularity == by_channel:
        return [row if row.totals is None else replace(row, channels=row.totals) for row in rows]
    if stream.granularity.kind != "per_tensor" or len(stream.batches[0].shape) < 2:
        return rows
    channels = Stream(stream.batches, by_channel)
    spreads = [gather(tile, (MinMax(),))[MinMax()] for tile in channels.tiles]
    return [replace(row, channels=_by_channel(row, channels, spreads)) for row in rows]


def _by_channel(row: Row, channels: Stream, spreads: list[MinMaxState]) -> Totals | None:
    if row.quantizer is None:
        return None
    parts = []
    with np.errstate(all="ignore"):
        for tile, spread in zip(channels.tiles, spreads, strict=True):
            frame = Frame(spread.lo, spread.hi)
            blocks = (of_rows(rows, row.quantizer, frame) for rows in tile.chunks())
            parts.append(reduce(add, blocks))
    return joined(parts)
