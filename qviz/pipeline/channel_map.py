"""Where inside a tensor the error lives: each channel under shared steps and under its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from qviz import xp
from qviz.errors import QvizError
from qviz.observers.base import Observer
from qviz.pipeline.channel_facts import ChannelMap, loud_channels
from qviz.pipeline.errors import Errors, errors_of, marks_for
from qviz.pipeline.granularities import settled_tiles
from qviz.pipeline.judging import COARSE, settle
from qviz.pipeline.resolution import resolved
from qviz.pipeline.token_errors import by_channel_of_tokens
from qviz.quantizers.base import Quantizer, Target
from qviz.spec import PER_TENSOR, Granularity, Range
from qviz.stats.base import Seen
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Stream, Tile
from qviz.stats.value_counts import ValueCounts, ValueCountsState

ADVICE = "Take one with channels, or look at one axis as rows of neighbours."
MOST_LINES = 33  # levels up to which their lines can be told apart


def channel_map(stream: Stream, axis: int, observer: Observer, target: Target) -> ChannelMap:
    """The channels of a tensor along ``axis``, under shared steps and under their own.

    ``target.granularity`` says which steps are shared: ``PER_TENSOR``, or per token; ``axis``
    counts in a batch. Home's picture of lesson 6, per tensor::

        target = Target.of(QuantSpec(8, signed=True, symmetric=True))
        found = channel_map(Stream.of(x), 1, OBSERVERS.make("absmax"), target)
        found.shared.overall, found.quiet      # 25.8 and 8.2 dB
        heatmap(found, palette, height=220)    # qviz.figures.channels

    Per token: ``Target.of(spec, Granularity("per_token"))``. A moved factor: the map of
    ``qviz.transforms.trial.changed`` per tensor.

    One read for the extremes and one for the rest, tile by tile, besides the observer's own.

    Raises
    ------
    QvizError
        A tensor without such an axis or with channel counts that differ from batch to batch, an
        observer that refuses the target, a range that is not finite.
    """
    if any(len(b.shape) < 2 for b in stream.batches):
        raise QvizError("This tensor has no channels.", "It has fewer than two axes.", ADVICE)
    shape = tuple(stream.batches[0].shape)
    Granularity("per_channel", axis).groups(shape)  # raises where there is no such axis
    axis %= len(shape)
    along = Stream.of(list(stream.batches), Granularity("per_channel", axis))
    extremes = [gather(tile, (MinMax(),)) for tile in along.tiles]
    facts = _concatenated([seen[MinMax()] for seen in extremes])
    task = _Task(axis, observer, target, loud_channels(facts.amax))
    shared = _shared(stream, task)
    parts = list(_parts(along, extremes, shared, task))
    errors, marks = Errors.joined([p.shared for p in parts]), [p.marks for p in parts]
    if shared.errors is not None:
        errors, marks = shared.errors, [shared.marks]
    return ChannelMap(
        axis, target.granularity, facts, _counts([part.counts for part in parts]),
        errors, Errors.joined([part.own for part in parts]),
        _used(marks, facts), np.concatenate([part.own_codes for part in parts]),
        _used_by_quiet(marks, task.loud), shared.range, shared.step, shared.levels,
        shared.range.exact,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Task:
    """What is asked of every tile."""

    axis: int
    observer: Observer
    target: Target
    loud: np.ndarray


@dataclass(frozen=True, eq=False)
class _Shared:
    """Steps that channels share; one quantizer, or for tokens the errors they come to."""

    range: Range
    step: float | None
    levels: np.ndarray
    quantizer: Quantizer | None = None
    errors: Errors | None = None
    marks: np.ndarray | None = None


def _shared(stream: Stream, task: _Task) -> _Shared:
    whole = Stream.of(list(stream.batches), task.target.granularity)
    pairs = list(settled_tiles(whole, task.observer, task.target))
    made = [settled for _, settled in pairs if settled is not None]
    steps = [s.quantizer.step for s in made if s.quantizer.step is not None]
    step = float(np.median(np.concatenate(steps))) if steps else None
    lo, hi = min(s.covered.lo.min() for s in made), max(s.covered.hi.max() for s in made)
    spanned = Range(lo, hi, all(s.range is None or s.range.exact for s in made))
    if task.target.granularity != PER_TENSOR:
        count = stream.batches[0].shape[task.axis]
        errors, marks = by_channel_of_tokens(pairs, task.axis, count)
        return _Shared(spanned, step, np.zeros(0), None, errors, marks)
    quantizer = made[0].quantizer
    few = quantizer.ends[1] - quantizer.ends[0] < MOST_LINES
    return _Shared(spanned, step, quantizer.levels()[0] if few else np.zeros(0), quantizer)


@dataclass(frozen=True, eq=False)
class _Part:
    """What one tile of channels comes to."""

    counts: ValueCountsState
    own: Errors
    own_codes: np.ndarray
    shared: Errors
    marks: np.ndarray | None


def _parts(along: Stream, extremes: list[Seen], shared: _Shared, task: _Task) -> Iterator[_Part]:
    target = replace(task.target, granularity=along.granularity)
    recipe = ValueCounts.fitting(len(task.loud))
    kind = xp.working_name(along.batches[0])
    for tile, have in zip(along.tiles, extremes, strict=True):
        seen = gather(tile, (recipe, *task.observer.needs), have)
        own, own_marks = Errors.nothing(tile.groups), None
        errors, marks = own, _no_marks(tile, shared.quantizer)
        if seen[MinMax()].finite.any():
            fine = resolved(tile, seen) if COARSE in seen else seen
            own, own_marks = _marked(tile, settle(task.observer, fine, target, kind).quantizer)
            if shared.quantizer is not None:
                errors, marks = _marked(tile, shared.quantizer)
        yield _Part(seen[recipe], own, _used([own_marks], seen[MinMax()]), errors, marks)


def _no_marks(tile: Tile, quantizer: Quantizer | None) -> np.ndarray | None:
    return None if quantizer is None else marks_for(tile.groups, quantizer)


def _marked(tile: Tile, quantizer: Quantizer) -> tuple[Errors, np.ndarray | None]:
    marks = marks_for(tile.groups, quantizer)
    return errors_of(tile, quantizer, marks), marks


def _used(marks: Sequence[np.ndarray | None], facts: MinMaxState) -> np.ndarray:
    """Codes that occur in each group, (groups,); -1 where none was counted."""
    there = [mark for mark in marks if mark is not None]
    if len(there) < len(marks):
        return np.full(len(facts.n), -1)
    used = np.concatenate([mark.sum(axis=1) for mark in there])
    return np.where(facts.finite > 0, used, -1)


def _used_by_quiet(marks: Sequence[np.ndarray | None], loud: np.ndarray) -> int:
    """Codes that occur in any channel that is not loud; -1 where they were not counted."""
    used, at = None, 0
    for mark in marks:
        if mark is None:
            return -1
        here = mark[~loud[at : at + len(mark)]].any(axis=0)
        used, at = here if used is None else used | here, at + len(mark)
    return -1 if used is None else int(used.sum())


def _concatenated(parts: Sequence[MinMaxState]) -> MinMaxState:
    names = [field.name for field in fields(MinMaxState)]
    return MinMaxState(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def _counts(parts: Sequence[ValueCountsState]) -> ValueCountsState:
    counts = np.concatenate([part.counts for part in parts])
    return ValueCountsState(counts, np.concatenate([p.top for p in parts]), parts[0].digits)
