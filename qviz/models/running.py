"""Runs a model batch by batch and gathers what it gives: the work of the child process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from qviz import xp
from qviz.errors import QvizError, RefusedFile, UnknownName
from qviz.models.feeds import Batch, Batches
from qviz.models.graph import loaded, with_outputs
from qviz.models.limits import Limits, reached, seconds_left
from qviz.models.model import Model
from qviz.models.seeds import seeded
from qviz.models.session import Session
from qviz.models.tally import Tally
from qviz.sources.base import TensorInfo, TensorSource, open_file
from qviz.sources.captured.writing import PIECE, Entry, Values, fitting, values_of
from qviz.sources.codes import VALUES as REALS

KINDS = "float double float16 bool int8 uint8 int16 uint16 int32 uint32 int64 uint64"
READABLE = frozenset(f"tensor({kind})" for kind in KINDS.split())
INPUT = "Input"  # the operation of what is fed
VALUES = 2**30  # bytes of values that are kept at most
FEW = 64 * 2**20  # bytes of values that are kept unasked
SPARED = 0.1  # of the time, for what comes after the batches
Told = Callable[[int, int], None]  # batches done, batches in all


class Run:
    """A model that runs: tallies of what goes in and of what its nodes give.

    With ``only`` these values alone. Values are kept in ``folder``, unasked (``values`` is False)
    only while all of them are few.

    Raises
    ------
    QvizError
        The runtime does not take the model, there is no such value, or nothing, or too much.
    """

    def __init__(
        self,
        model: Model,
        limits: Limits,
        folder: Path,
        *,
        only: Sequence[str] = (),
        values: bool = False,
    ) -> None:
        self.model, self.folder, self.values = model, folder, values
        self.ran = 0.0  # seconds that the model itself took
        self._spared = SPARED * limits.seconds
        self._done, self._count, self._kept, self._taking = 0, 0, 0, threading.Lock()
        self.tallies: dict[str, Tally] = {}
        self.skipped: dict[str, str] = {}
        self._fed, given = _wanted(model, only)
        count = len(self._fed + given) + len(() if only else model.scope.places)
        self.keeps = fitting(count, values=values)
        proto = loaded(model.file.path, model.file.shown)
        seeded(proto)
        self._session = Session(with_outputs(proto, given or model.outputs), limits)
        kinds = self._session.types
        self._given = [name for name in given if kinds.get(name) in READABLE]
        for name in given:
            if name not in self._given:
                self.skipped[name] = f"{kinds.get(name, 'What it gives')} is not captured."
        if self.skipped and self._given:
            self._session = Session(with_outputs(proto, self._given), limits)
        if not self._fed + self._given:
            raise QvizError("Nothing of the model can be captured.", "", "Check its nodes.")
        if model.inner and not only:
            words = f"{model.inner} nodes inside If, Loop or Scan are not captured."
            self.skipped["bodies of control flow"] = words

    def run(self, batches: Batches, told: Told, *, partly: bool = False) -> None:
        """Take in all batches; ``partly`` those for which there is time, and ``skipped`` says so.

        Raises
        ------
        QvizError
            The model fails or runs out of memory, or over 1 GiB of values are to be kept.
        """
        longest, self._count = 0.0, batches.count
        for done, batch in enumerate(batches):
            told(done, batches.count)
            reached(done, batches.count, "batches")
            if partly and done and seconds_left() < self._spared + longest:
                self._cut()
                return
            began = time.monotonic()
            values = self._values(batch)
            with self._taking:
                for name, value in values.items():
                    self._take(name, np.asarray(value))
                self._done = done + 1
            longest = max(longest, time.monotonic() - began)
        told(batches.count, batches.count)
        reached(batches.count, batches.count, "batches")

    def close(self) -> int:
        """Take in no further batch, for good; how many were taken in, of which ``skipped`` says.

        Another thread may call it while the model runs, however long that takes.
        """
        self._taking.acquire()  # a batch that is being taken in is taken in whole
        if self._done < self._count:
            self._cut()
        return self._done

    def _cut(self) -> None:
        many = f"{self._done} of {self._count} batches were run"
        self.skipped["batches"] = f"The time was over: {many}."

    def _values(self, batch: Batch) -> dict[str, Any]:
        fed, began = {name: batch[name] for name in self._fed}, time.monotonic()
        given = self._session.run(self._given, batch) if self._given else []
        self.ran += time.monotonic() - began
        return fed | dict(zip(self._given, given, strict=True))

    def _take(self, name: str, array: np.ndarray) -> None:
        if name in self.tallies:
            self.tallies[name].add(array)
        else:
            self.tallies[name] = Tally(array, self.model.value_axis(name, array.ndim))
        self._kept += array.nbytes
        if self.values and self._kept > VALUES:
            why = f"Together they have over {VALUES / 2**30:g} GiB."
            raise QvizError("The values are not kept.", why, "Run fewer batches.")
        if not self.values and self._kept > FEW:
            self.keeps = False
            for at in range(len(self.tallies)):
                (self.folder / str(at)).unlink(missing_ok=True)
        if self.keeps:
            with (self.folder / str(list(self.tallies).index(name))).open("ab") as out:
                out.write(array.tobytes())

    def _op(self, name: str) -> str:
        return self.model.ops.get(name, INPUT)

    def entries(self) -> list[Entry]:
        """What was gathered, in the order of the graph."""
        return [self._entry(at, name) for at, name in enumerate(self.tallies)]

    def _entry(self, at: int, name: str) -> Entry:
        values = _copier(self.folder / str(at)) if self.keeps else None
        return entry(name, self._op(name), "activation", self.tallies[name], values)


def weights(model: Model) -> tuple[list[Entry], dict[str, str]]:
    """The constants of a model with their values, and what cannot be read of them."""
    try:
        source = open_file(model.file.path, model.file.shown)
    except RefusedFile as refusal:  # a model without constants, say
        return [], {"constants": str(refusal)}
    return [_constant(model, source, name) for name in source.names], dict(source.skipped)


def _constant(model: Model, source: TensorSource, name: str) -> Entry:
    info, array = source.info(name), source[name]
    if not isinstance(array, np.ndarray):  # bfloat16, float8: float32 holds them
        array = xp.working(array)
    stored = name.removesuffix(REALS)
    axis, op = model.channel_axis(stored, array.ndim), model.ops.get(stored, "")
    return entry(name, op, info.role, Tally(array, axis), values_of(array))


def entry(name: str, op: str, role: str, tally: Tally, values: Values | None) -> Entry:
    """A tensor to be written."""
    splits = tally.splits if role == "activation" and tally.shape else ()
    gathered = tally.gathered()
    axis = gathered.channels.axis if gathered.channels else None
    info = TensorInfo(name, tally.shape, tally.dtype, "", role, splits=splits)
    return Entry(info, op, axis, gathered, values)


def _wanted(model: Model, only: Sequence[str]) -> tuple[list[str], list[str]]:
    fed = [one.name for one in model.inputs]
    given = list(dict.fromkeys(n for node in model.nodes for n in node.outputs if n))
    for name in only:
        if name not in fed + given:
            raise UnknownName(f"Nothing in {model.file.shown} is called {name!r}.")
    if only:
        return [n for n in fed if n in only], [n for n in given if n in only]
    return fed, given


def _copier(path: Path) -> Values:
    def copy(out: IO[bytes]) -> None:
        with path.open("rb") as stream:
            while piece := stream.read(PIECE):
                out.write(piece)

    return copy
