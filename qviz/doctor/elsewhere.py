"""What differs along another axis than that of the channels: inputs of a weight, tokens, images."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from qviz import xp
from qviz.doctor.axes import LARGEST, middle, spread_along
from qviz.doctor.case import Case
from qviz.doctor.channels import FEW, SAMPLE, Channels
from qviz.pipeline.granularities import has_tokens
from qviz.spec import PER_TENSOR, Granularity, Role
from qviz.stats.stream import Stream

UNLIKE = 4.0  # times from the median channel to the loudest, or from a faint group to it
TIMES = 4.0  # as far apart as along the chosen axis
ELSEWHERE, ROWS = "elsewhere", "rows"  # keys of what was found, which several rules ask for
TOKEN, IMAGE = "token", "sample"
QUIET_ROWS = {TOKEN: "other tokens", IMAGE: "other samples"}  # where gains are measured
THROUGHOUT = 0.25  # of a channel's elements, from which it is loud, not a value of it
NEARLY = 0.9  # of a batch's rows, from which it is the batch that is loud
CHANCE = 2.0  # times what the same elements give in any order: short channels differ by chance


def least_spread(case: Case, now: float, then: float, other: int) -> float:
    """How far apart channels of the other axis must be, of which ``then`` is measured."""
    least = max(UNLIKE, TIMES * now)
    return max(least, CHANCE * _by_chance(case, other)) if then > least else least


def elsewhere(case: Case) -> Case | None:
    """The case with its channels on the other side of a weight, where they differ only there.

    The axis by custom is that of the outputs; where it was given it is left alone, and axes of a
    kernel's places are no channels.
    """
    if ELSEWHERE not in case.known:
        case.known[ELSEWHERE] = _elsewhere(case)
    return case.known[ELSEWHERE]


def _elsewhere(case: Case) -> Case | None:
    own = case.channel_axis
    if case.role != Role.WEIGHT or case.axis is not None or not case.per_tensor or own is None:
        return None
    found, other = spread_along(case.values), 1 - own
    if len(found) < 2 or found[other] <= least_spread(case, found[own], found[other], other):
        return None
    return replace(case, axis=other, have=case.seen, known={})


@dataclass(frozen=True, eq=False)
class Rows:
    """The case as a matrix of (rows, rest): tokens by their channels, or whole images.

    ``unit`` names a row; ``each`` are the rows of one sample, which have their place in it,
    ``rows`` those of each batch.
    """

    case: Case
    unit: str
    each: int
    rows: tuple[int, ...]

    def places(self, rows: np.ndarray) -> list[int]:
        """Where rows lie in their sample, in the order in which they are first met."""
        return list(dict.fromkeys((rows % self.each).tolist()))

    def granularity(self) -> str:
        """A step for each row, as it is spelled for the tensor itself."""
        return "per_token" if self.unit == TOKEN else str(Granularity("per_channel", 0))


def loud_rows(case: Case) -> Rows | None:
    """Tokens, or images, of which at most a tenth set the step of all; None where none does.

    The loudest must be so in over a tenth of its elements, each beyond all of the median row:
    where fewer are, it is these channels that are loud, or values here and there. Not of weights,
    nor where a batch is loud from end to end: RANGE-JUMP tells it.
    """
    if ROWS not in case.known:
        case.known[ROWS] = _loud_rows(case)
    return case.known[ROWS]


def _loud_rows(case: Case) -> Rows | None:
    made = _rows(case)
    there = None if made is None else made.case.channels
    if made is None or there is None or not there.telling or not there.outliers.any():
        return None
    if _whole_batches(made, there.outliers):
        return None
    row = there.batches[0][int(there.amax.argmax())]
    beyond = np.abs(xp.host(xp.working(row))) > there.median
    return made if beyond.mean() > FEW else None


def _rows(case: Case) -> Rows | None:
    """The tensor row by row, all of its batches one after the other."""
    batches, own = case.values.batches, case.channel_axis
    shape = tuple(batches[0].shape)
    tokens = has_tokens(case.role, shape)
    if not tokens and (len(shape) < 4 or case.role not in (Role.ACTIVATION, Role.UNKNOWN)):
        return None
    if not case.per_tensor or own is None or (own == 0 and len(shape) != 3):
        return None
    if len({tuple(batch.shape[1:]) for batch in batches}) > 1:
        return None
    wide = shape[-1] if tokens else xp.size(batches[0]) // max(shape[0], 1)
    flat = [batch.reshape(-1, wide) for batch in batches]
    whole = flat[0] if len(flat) == 1 else np.concatenate([xp.host(part) for part in flat])
    inner = case.inner in (None, -1, len(shape) - 1)
    changed = {"stream": Stream.of(whole, PER_TENSOR), "axis": 0, "have": case.seen, "known": {}}
    changed |= {"operand": case.operand if tokens and inner else None, "inner": None}
    each = shape[1] if len(shape) == 3 else max(len(batch) for batch in batches)
    return Rows(replace(case, **changed), TOKEN if tokens else IMAGE, each, tuple(map(len, flat)))


def _whole_batches(made: Rows, loud: np.ndarray) -> bool:
    """Whether the loud rows are nearly all rows of batches: it is these that are loud."""
    parts = np.split(loud, np.cumsum(made.rows)[:-1])
    whole = sum(int(part.sum()) for part in parts if part.mean() >= NEARLY)
    return len(parts) > 1 and whole >= NEARLY * loud.sum()


def _by_chance(case: Case, axis: int) -> float:
    """How far apart the channels of an axis would be, were the first batch's elements shuffled.

    The largest element falls somewhere, and half of all channels of n elements stay below the
    quantile 0.5^(1/n) of all. Loud channels are left out: shuffled they would hide in all others.
    """
    first = case.values.batches[0]
    there, x = Channels.along(Stream.of(first), axis), xp.host(first)
    loud = _loud(x, there)
    at = np.random.default_rng(0).integers(0, x.size, min(x.size, SAMPLE))
    at = at[~loud[at // math.prod(x.shape[axis + 1 :]) % there.count]]
    some = np.abs(np.asarray(xp.working(x.reshape(-1)[at]), np.float64))
    some = some[np.isfinite(some)]
    usual = float(np.quantile(some, 0.5 ** (there.count / x.size))) if some.size else 0.0
    usual = usual if usual > 0 else middle(some)
    largest = float(there.amax[~loud].max(initial=0.0))
    return min(largest / usual, LARGEST) if usual > 0 else 0.0


def _loud(x: np.ndarray, there: Channels) -> np.ndarray:
    """Outliers of which over a quarter of the elements are beyond all of the median channel."""
    loud = there.outliers.copy()
    rows = np.moveaxis(x, there.axis, 0)[loud].reshape(int(loud.sum()), x.size // there.count)
    loud[loud] = (np.abs(xp.working(rows)) > there.median).mean(axis=1) > THROUGHOUT
    return loud
