"""Named intermediate results of a rule, recorded where they are computed.

The functions that make qparams call ``record`` with the very numbers they go on with; outside
``recording`` that does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.errors import QvizError

RANGES = ("range", "widened", "mirrored", "stretched", "snapped", "shifted")
SCALES = ("scale before floor", "floor", "scale")
ZEROS = ("raw zero point", "clamp", "rounded", "zero point")
CODES = ("codes", "precision", "quotient", "zero point added", "tie")
NAMES = (*RANGES, *SCALES, *ZEROS, *CODES, "covered")


@dataclass(frozen=True)
class Step:
    """One intermediate result of the first group.

    ``values`` are one number, or both ends of a range; ``dtype`` is the type they were computed
    in; ``note`` says in words what was done. A step of words has no values, or the one that its
    words are about: what the quotient divides by, where counting starts.
    """

    name: str
    values: tuple[float, ...]
    dtype: str = ""
    note: str = ""


_TRACE: ContextVar[dict[str, Step] | None] = ContextVar("steps", default=None)


def record(name: str, *values: Any, note: str = "", dtype: str = "") -> None:
    """Keep the first group's numbers under a name of the vocabulary, while recording.

    ``dtype`` is that of the values unless they were widened to lose nothing.
    """
    trace = _TRACE.get()
    if trace is not None:
        trace[name] = step(name, *values, note=note, dtype=dtype)


def step(name: str, *values: Any, note: str = "", dtype: str = "") -> Step:
    """A step made of (groups,) arrays or numbers."""
    if name not in NAMES:
        raise QvizError(f"No step is called {name!r}.", f"Known: {', '.join(NAMES)}.")
    arrays = [np.atleast_1d(np.asarray(value)) for value in values]
    own = arrays[0].dtype.name if arrays else ""
    return Step(name, tuple(float(a.reshape(-1)[0]) for a in arrays), dtype or own, note)


@contextmanager
def recording() -> Iterator[dict[str, Step]]:
    """Steps recorded inside the ``with`` block, by name."""
    trace: dict[str, Step] = {}
    token = _TRACE.set(trace)
    try:
        yield trace
    finally:
        _TRACE.reset(token)


@dataclass(frozen=True, eq=False)
class Working:
    """What a mode made of a range: its steps in order, and the quantizer or why there is none."""

    steps: tuple[Step, ...]
    quantizer: Any
    error: QvizError | None


@np.errstate(all="ignore")
def worked(mode: Any, range: Any, spec: Any) -> Working:
    """Let a mode make its qparams of a range, and keep what it computed on the way.

    Where the rule records nothing, the steps are those that the qparams themselves show.
    """
    with recording() as found:
        try:
            made, error = mode.quantizer(range, spec), None
        except QvizError as refused:
            made, error = None, refused
        shown = {"range": step("range", range.lo, range.hi)}
        shown |= {} if made is None else dict(_of_quantizer(made))
    every = shown | found
    return Working(tuple(every[name] for name in NAMES if name in every), made, error)


def _of_quantizer(made: Any) -> Iterator[tuple[str, Step]]:
    how = made.arithmetic
    zero = getattr(made, "zero_point", None if how is None else how.zero)
    if made.step is not None:
        yield "scale", step("scale", made.step)
    if zero is not None:
        yield "zero point", step("zero point", zero)
    yield "codes", step("codes", *made.ends)
    yield "covered", step("covered", *(level.reshape(-1)[:1] for level in _levels(made)))
    if how is not None:
        words: Mapping[str, str] = {
            "precision": how.dtype,
            "quotient": how.quotient,
            "zero point added": how.counting,
            "tie": how.tie,
        }
        start = how.before if how.origin is None else how.origin
        numbers = {"quotient": how.factor, "zero point added": start}
        for name, note in words.items():
            at = numbers.get(name)
            yield name, step(name, *(() if at is None else (at,)), note=note)


def _levels(made: Any) -> tuple[np.ndarray, np.ndarray]:
    low, high = made.ends
    first, last = made.levels(low, low), made.levels(high, high)
    return np.minimum(first, last), np.maximum(first, last)
