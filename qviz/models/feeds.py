"""What goes into a model: batches from a file, or values made to its declared shapes and types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from qviz.errors import QvizError
from qviz.models.labels import LABELS, labels_of
from qviz.models.made import made_batches, made_shapes
from qviz.models.model import Input, Model
from qviz.models.typed import checked, typed
from qviz.sources.base import TensorSource, open_file

BATCH, MADE = 32, 4  # samples of a batch; batches that are made
COUNT = 2**31  # of batches; more are never run
Batch = dict[str, np.ndarray]


@dataclass(frozen=True)
class Feeds:
    """Where the inputs of a model come from, and how many.

    ``inputs`` is a file of arrays, None for values that are made; ``axes`` lengths of axes that
    the model leaves open, by name or as ``input:axis``; ``batches`` the most that are run, None
    for all of a file; ``batch`` the samples of one; ``shown`` how the file is called on screen.
    """

    inputs: Path | None = None
    axes: Mapping[str, int] = field(default_factory=dict)
    batches: int | None = None
    batch: int = BATCH
    seed: int = 0
    shown: str = ""

    def words(self) -> list[str]:
        """The same as options of the command line; a file says itself how long its axes are."""
        if self.inputs is None:
            given = [word for name, n in self.axes.items() for word in ("--axis", f"{name}={n}")]
        else:
            given = ["--inputs", str(self.inputs)]
        given += [] if self.batches is None else ["--batches", str(self.batches)]
        return [*given, "--batch", str(self.batch), "--seed", str(self.seed)]


@dataclass(frozen=True, eq=False)
class Batches:
    """The batches of one model, made or cut when they are asked for."""

    count: int
    made: Callable[[], Iterator[Batch]]
    labelled: Callable[[], np.ndarray | None] = lambda: None

    @cached_property
    def labels(self) -> np.ndarray | None:
        """A whole number for each sample that is run; None without any.

        Raises QvizError where there are some that do not fit, once somebody asks for them.
        """
        return self.labelled()

    def __iter__(self) -> Iterator[Batch]:
        return islice(self.made(), self.count)


def batches(model: Model, feeds: Feeds) -> Batches:
    """The batches for a model.

    Raises
    ------
    QvizError
        An axis whose length is open and was not given, one that was given and is not open, an
        input without an array, an array that does not fit, a file that is refused.
    """
    for one in model.inputs:
        if not one.dtype:
            what = f"The input {one.name} takes {one.kind or 'no tensor of numbers'}."
            why = "Only tensors of real numbers that NumPy has can be fed."
            raise QvizError(what, why, "Export it with such an input, and a Cast behind that.")
    if feeds.batch < 1 or (feeds.batches is not None and feeds.batches < 1):
        raise QvizError("Fewer than one batch, or sample, was asked for.", "", "Ask for 1 or more.")
    if feeds.seed < 0:
        raise QvizError(f"The seed {feeds.seed} is below 0.", "", "Give a whole number from 0 on.")
    if feeds.inputs is None:
        count = MADE if feeds.batches is None else min(feeds.batches, COUNT)
        shapes = made_shapes(model, feeds.axes)
        return Batches(count, lambda: made_batches(model, shapes, feeds.seed))
    return _of_file(model, feeds, open_file(feeds.inputs, feeds.shown or None))


def _of_file(model: Model, feeds: Feeds, source: TensorSource) -> Batches:
    names = {one.name: _found(one, source, len(model.inputs)) for one in model.inputs}
    arrays = {one.name: checked(np.asarray(source[names[one.name]]), one) for one in model.inputs}
    cuts = {one.name: _cut(one, arrays[one.name], feeds) for one in model.inputs}
    counts = {len(parts) for parts in cuts.values()}
    if len(counts) != 1 or counts == {0}:
        raise QvizError(
            "The inputs do not make the same number of batches.",
            ", ".join(f"{name}: {len(parts)}" for name, parts in cuts.items()) or "There is none.",
            "Give each input as many samples.",
        )
    count = min(counts.pop(), feeds.batches or COUNT)

    def made() -> Iterator[Batch]:
        for at in range(count):
            yield {
                one.name: typed(arrays[one.name][cuts[one.name][at]], one) for one in model.inputs
            }

    def labels() -> np.ndarray | None:
        first = next(iter(cuts))
        parted = isinstance(cuts[first][0], int)  # batches along axis 0, samples along the next
        samples = arrays[first].shape[: 1 + parted]
        each = prod(samples[1:])
        run = sum(each if isinstance(p, int) else p.stop - p.start for p in cuts[first][:count])
        found = labels_of(source, set(names.values()), samples)
        return None if found is None else found[:run]

    return Batches(count, made, labels)


def _found(one: Input, source: TensorSource, inputs: int) -> str:
    """The name of the array for an input: its own, or that of the only array for the only input."""
    some = [name for name in source.names if name != LABELS]
    name = some[0] if one.name not in source.infos and inputs == len(some) == 1 else one.name
    if name not in source.infos:
        raise QvizError(
            f"{source.title} holds nothing for the input {one.name}.",
            f"It holds {', '.join(source.names[:8])}.", "Name the arrays after the inputs.",
        )  # fmt: skip
    return name


def _cut(one: Input, array: np.ndarray, feeds: Feeds) -> Sequence[slice | int]:
    """Pieces of an array that are fed in turn: slices of samples, or batches that lie on axis 0."""
    if one.shape is None:
        return _slices(len(array), feeds.batch) if array.ndim else []
    rank = len(one.shape)
    if array.ndim == rank + 1:
        _check(one, array.shape[1:])
        return list(range(len(array)))
    if array.ndim != rank or not rank:
        raise _misfit(one, array.shape)
    _check(one, (None, *array.shape[1:]))
    first = one.shape[0]
    if not isinstance(first, int):
        return _slices(len(array), feeds.batch)
    if not first or len(array) % first:
        why = f"The model takes {first} samples at a time; there are {len(array)}."
        raise QvizError(f"The samples of {one.name} do not divide.", why, "Leave some out.")
    return _slices(len(array), first)


def _slices(count: int, batch: int) -> list[slice]:
    return [slice(start, min(start + batch, count)) for start in range(0, count, batch)]


def _check(one: Input, shape: tuple[int | None, ...]) -> None:
    pairs = zip(one.shape or (), shape, strict=True)
    if any(isinstance(want, int) and have is not None and want != have for want, have in pairs):
        raise _misfit(one, shape)


def _misfit(one: Input, shape: tuple[int | None, ...]) -> QvizError:
    want, have = (_words(axes or ()) for axes in (one.shape, shape))
    return QvizError(
        f"The array for {one.name} does not fit.",
        f"The model takes {want}; the array is {have}.", "Reshape it, samples first.",
    )  # fmt: skip


def _words(shape: tuple[Any, ...]) -> str:
    return " x ".join("any" if n in (None, "") else str(n) for n in shape) or "a single value"
