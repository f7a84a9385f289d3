"""Stateful fake quantization shown batch after batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from qviz.quantizers.base import covered
from qviz.quantizers.stateful import After, Stateful
from qviz.spec import PER_TENSOR, QuantSpec
from qviz.stats.base import PerBatch
from qviz.stats.gather import gather
from qviz.stats.minmax import MinMax, MinMaxState
from qviz.stats.stream import Stream
from qviz.xp import Array

BATCHES = PerBatch(MinMax())
SHARES = 100_000  # batches after which nobody asks any more
NEARLY = 0.01  # share of the start that no longer counts
LAST = 1e-5  # of the range: a difference below it is of the last bits
PROBE = (4.0, 1.0, 2.0)  # magnitudes of batches that tell rules apart
WIDEST, NEWEST, AVERAGE = "widest", "last", "average"
Ends = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Ride:
    """One object through all batches: after each, and what ``reset`` says at the end.

    ``held`` and ``used`` are (batches, 2), the range it holds and the grid a batch went through,
    NaN where there is none. ``rule`` is what the range is made of, ``widest`` or ``last`` batch or
    an ``average``; ``asleep`` says that a fresh object looks at no batch until it is told to.
    """

    after: tuple[After, ...]
    held: np.ndarray
    used: np.ndarray
    reset: str
    rule: str = ""
    asleep: bool = False


def sliced(x: Array, count: int) -> tuple[Array, ...]:
    """``x`` cut along axis 0 into ``count`` slices as equal as can be; fewer where it is short."""
    if not x.shape:
        return (x,)
    count = max(min(count, x.shape[0]), 1)
    cuts = [i * x.shape[0] // count for i in range(count + 1)]
    return tuple(x[a:b] for a, b in pairwise(cuts))


def extremes(batches: Sequence[Array]) -> tuple[MinMaxState, ...]:
    """Minimum and maximum of each batch, of one group."""
    tile = Stream(tuple(batches), PER_TENSOR).tiles[0]
    return gather(tile, (BATCHES,))[BATCHES]


def standing_in(state: MinMaxState) -> np.ndarray:
    """A batch's extremes, its infinities and a NaN if it has one, float32: all that counts here."""
    values = [float(state.lo[0]), float(state.hi[0])] if state.finite[0] else []
    odd = (state.plus_inf, np.inf), (state.minus_inf, -np.inf), (state.nan, np.nan)
    values += [value for count, value in odd if count[0]]
    with np.errstate(over="ignore"):
        return np.array(values, np.float64).astype(np.float32)


@np.errstate(all="ignore")
def ride(member: Stateful, spec: QuantSpec, states: Sequence[MinMaxState], trained: int) -> Ride:
    """Show a fresh object all batches, the first ``trained`` of them in training.

    Batches without elements are left out.

    Raises
    ------
    QvizError
        The framework refuses the codes or a batch.
    """
    machine = member.machine(spec)
    after = []
    for number, state in enumerate(states):
        machine.train(number < trained)
        batch = standing_in(state)
        if batch.size:
            after.append(machine.step(batch))
    held = [(np.nan, np.nan) if a.lo is None or a.hi is None else (a.lo, a.hi) for a in after]
    used = [(np.nan, np.nan) if a.quantizer is None else _ends(a) for a in after]
    held, used = (np.array(column, np.float64).reshape(-1, 2) for column in (held, used))
    rule, asleep = habits(member, spec)
    return Ride(tuple(after), held, used, machine.reset(), rule, asleep)


@np.errstate(all="ignore")
def habits(member: Stateful, spec: QuantSpec) -> tuple[str, bool]:
    """What a range is made of, and whether a fresh object is asleep, by three batches of its own.

    The batches reach to 4, 1 and 2 on both sides of 0: the widest leaves 4, the last one 2.
    """
    batches = [np.array([-top, top], np.float32) for top in PROBE]
    told, fresh = member.machine(spec), member.machine(spec)
    told.train(True)
    top = [told.step(batch).hi for batch in batches][-1]
    seen = {fresh.step(batch).hi for batch in batches}
    rule = {PROBE[0]: WIDEST, PROBE[-1]: NEWEST}.get(top or 0.0, AVERAGE)
    return rule, len(seen) == 1 and not seen & {None, *PROBE}


def alike(a: Ride, b: Ride) -> bool:
    """Whether two objects hold, go through and export the same, but for the last bits."""
    if a.held.shape != b.held.shape:
        return False
    finite = a.held[np.isfinite(a.held)]
    width = float(np.abs(finite).max(initial=0.0)) or 1.0
    pairs = (a.held, b.held), (a.used, b.used), (_exported(a), _exported(b))
    return all(np.allclose(p, q, rtol=0, atol=LAST * width, equal_nan=True) for p, q in pairs)


def forgotten(member: Stateful) -> int | None:
    """Batches until less than 1 % of the start is left; None for no average, or one too slow."""
    first, second = member.start_share(1), member.start_share(2)
    if first is None or second is None or not 0 <= second < 1:
        return None
    count = 1
    while (member.start_share(count) or 0.0) >= NEARLY:
        count *= 2
        if count > SHARES:
            return None
    low = count // 2
    while count - low > 1:
        middle = (low + count) // 2
        done = (member.start_share(middle) or 0.0) < NEARLY
        low, count = (low, middle) if done else (middle, count)
    return count


def _exported(ride: Ride) -> np.ndarray:
    exports = [after.export for after in ride.after]
    return np.array([np.nan if e is None else e.scale for e in exports])


def _ends(after: After) -> Ends:
    if after.quantizer is None:
        return np.nan, np.nan
    reach = covered(after.quantizer)
    return float(reach.lo[0]), float(reach.hi[0])
