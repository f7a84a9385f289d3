"""What goes into a model: batches from a file, or values made to its declared shapes and types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from qviz.errors import QvizError
from qviz.models.made import made_batches, made_shapes
from qviz.models.model import Input, Model
from qviz.sources.base import TensorSource, open_file

BATCH, MADE = 32, 4  # samples of a batch; batches that are made
LABELS = "labels"
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
    """The batches of one model, made or cut when they are asked for; ``labels`` per sample."""

    count: int
    made: Any
    labels: np.ndarray | None = None

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
            raise QvizError(f"The input {one.name} is no tensor of numbers.", "It cannot be fed.")
    if feeds.batch < 1 or (feeds.batches is not None and feeds.batches < 1):
        raise QvizError("Fewer than one batch, or sample, was asked for.", "", "Ask for 1 or more.")
    if feeds.inputs is None:
        count = MADE if feeds.batches is None else feeds.batches
        shapes = made_shapes(model, feeds.axes)
        return Batches(count, lambda: made_batches(model, shapes, feeds.seed))
    return _of_file(model, feeds, open_file(feeds.inputs, feeds.shown or None))


def _of_file(model: Model, feeds: Feeds, source: TensorSource) -> Batches:
    arrays = {one.name: _array(one, source, len(model.inputs)) for one in model.inputs}
    cuts = {one.name: _cut(one, arrays[one.name], feeds) for one in model.inputs}
    counts = {len(parts) for parts in cuts.values()}
    if len(counts) != 1 or counts == {0}:
        raise QvizError(
            "The inputs do not make the same number of batches.",
            ", ".join(f"{name}: {len(parts)}" for name, parts in cuts.items()) or "There is none.",
            "Give each input as many samples.",
        )
    count = min(counts.pop(), feeds.batches or 2**31)

    def made() -> Iterator[Batch]:
        for at in range(count):
            yield {
                one.name: _typed(arrays[one.name], cuts[one.name][at], one) for one in model.inputs
            }

    return Batches(count, made, _labels(model, source, sum(_samples(cuts, count))))


def _samples(cuts: Mapping[str, Sequence[slice | int]], count: int) -> Iterator[int]:
    first = next(iter(cuts.values()))[:count]
    return (part.stop - part.start if isinstance(part, slice) else 0 for part in first)


def _labels(model: Model, source: TensorSource, samples: int) -> np.ndarray | None:
    taken = any(one.name == LABELS for one in model.inputs)
    if taken or LABELS not in source.infos:
        return None
    found = np.asarray(source[LABELS])
    whole = found.ndim == 1 and found.dtype.kind in "iu" and len(found) >= samples > 0
    return found[:samples].astype(np.int64) if whole else None


def _array(one: Input, source: TensorSource, inputs: int) -> np.ndarray:
    numbered = [n for n in source.names if n != LABELS]
    name = (
        numbered[0] if one.name not in source.infos and inputs == len(numbered) == 1 else one.name
    )
    if name not in source.infos:
        raise QvizError(
            f"{source.title} holds nothing for the input {one.name}.",
            f"It holds {', '.join(source.names[:8])}.", "Name the arrays after the inputs.",
        )  # fmt: skip
    array = np.asarray(source[name])
    kind, want = array.dtype.kind, np.dtype(one.dtype).kind
    if (want in "iub" and kind == "f") or kind not in "fiub":
        raise QvizError(
            f"The input {one.name} takes {one.dtype}, not {array.dtype}.",
            "Converting would change its values.", f"Save it as {one.dtype}.",
        )  # fmt: skip
    return array


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


def _typed(array: np.ndarray, part: slice | int, one: Input) -> np.ndarray:
    return np.ascontiguousarray(array[part], np.dtype(one.dtype))
