"""Ways out that several rules try."""

from __future__ import annotations

from collections.abc import Iterator

from qviz.doctor.case import Case
from qviz.doctor.settings import Setting, changed
from qviz.observers.base import OBSERVERS
from qviz.observers.manual import ManualObserver
from qviz.observers.typed import TypedObserver
from qviz.pipeline.granularities import has_tokens
from qviz.spec import Granularity, Role

OBSERVED = {
    "minmax": "keep the whole range (min-max)",
    "percentile:keep=99.99": "keep 99.99 % of the values",
    "percentile:keep=99.9": "keep 99.9 % of the values",
    "mse": "choose the range with the least squared error",
}
WIDE = {8: 16, 4: 8}  # bits, and the next wider codes that are stored
EACH, TOKEN = "give each channel its own step", "give each token its own step"
ROWS = ", if the rows are tokens"


def observers(case: Case, *names: str) -> Iterator[tuple[str, Setting]]:
    """Other observers under the same codes; the named ones, else the usual."""
    for name in names or OBSERVED:
        made = OBSERVERS.make(name)
        if made != case.used:
            yield OBSERVED[name], changed(case, observer=made)


def finer(case: Case) -> Iterator[tuple[str, Setting]]:
    """More steps, as the role allows them: channels of weights, tokens of activations."""
    there, first = case.channels, case.values.batches[0]
    if there is None:
        return
    if _may_be_weight(case):
        words = EACH if case.role == Role.WEIGHT else f"{EACH}, if this is a weight"
        yield words, own(case, str(Granularity("per_channel", there.axis)))
    last, matrix = there.axis == len(first.shape) - 1, len(first.shape) == 2
    if (last or matrix) and has_tokens(case.role, tuple(first.shape)):
        yield TOKEN if last else TOKEN + ROWS, own(case, "per_token")


def by_channel(case: Case) -> Iterator[tuple[str, Setting]]:
    """A step for each channel of what is no weight: it shows what is lost, and is not deployed."""
    there = case.channels
    if there is not None and case.role in (Role.ACTIVATION, Role.UNKNOWN):
        if not _may_be_weight(case):
            yield EACH, own(case, str(Granularity("per_channel", there.axis)))


def own(case: Case, granularity: str) -> Setting:
    """Steps for parts of the tensor, whose ranges are their own: one that was given is of all."""
    observer = "minmax" if by_hand(case) else None
    return changed(case, observer=observer, granularity=granularity)


def by_hand(case: Case) -> bool:
    """Whether somebody gave the step, or the range that it comes from, whatever the data."""
    given = case.given is not None and case.given.sound
    return given or isinstance(case.observer, ManualObserver | TypedObserver)


def _may_be_weight(case: Case) -> bool:
    """Channels of a weight lie along axis 0; a matrix of unknown role may be turned."""
    there, rank = case.channels, len(case.values.batches[0].shape)
    unknown = case.role == Role.UNKNOWN and there is not None and (there.axis == 0 or rank == 2)
    return case.role == Role.WEIGHT or unknown


def moved(case: Case) -> Iterator[tuple[str, Setting]]:
    """The factor of a channel moved into the other operand, where that is known."""
    known = case.operand is not None or (case.following is not None and case.runs is not None)
    if known and case.role in (Role.ACTIVATION, Role.UNKNOWN):
        words = "move a factor of each channel into the weight"
        yield words, changed(case, transform="moved_factor")


def wider(case: Case) -> Iterator[tuple[str, Setting]]:
    """The next wider codes."""
    bits = WIDE.get(case.spec.bits)
    if bits is not None and case.spec.quant_min is None and case.given is None:
        yield f"use {bits} bits", changed(case, bits=bits)


def unlike(case: Case) -> Iterator[tuple[str, Setting]]:
    """All that helps where channels are unlike, cut-offs included: people ask for them."""
    yield from finer(case)
    yield from moved(case)
    yield from wider(case)
    yield from observers(case, "percentile:keep=99.9", "percentile:keep=99.99")
