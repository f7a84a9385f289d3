"""A model whose constants, inputs and values can be replaced: the work of a child process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from qviz.errors import QvizError, UnknownName
from qviz.metrics.base import decibels
from qviz.models.alone import Outcome
from qviz.models.feeds import Batch, Batches
from qviz.models.graph import GIVEN, USE, loaded, replaceable, then, with_outputs
from qviz.models.limits import Limits
from qviz.models.model import Model
from qviz.models.points import FLOATS
from qviz.models.session import Session
from qviz.sources.base import open_file

Given = dict[str, list[np.ndarray]]  # name -> what is fed for it, batch by batch
_DTYPES = {1: "float32", 10: "float16", 11: "float64"}


class Replacing:
    """A model that runs with other content in place of some of its own.

    ``constants`` and ``values`` are names; values that are no floats cannot be replaced, and are
    left out of ``switched``. ``reference`` is what the model gives as it is, batch by batch.

    Raises
    ------
    QvizError
        The runtime does not take the model, or nothing that it gives is a float.
    """

    def __init__(
        self,
        model: Model,
        batches: Batches,
        constants: Sequence[str],
        values: Sequence[str],
        limits: Limits,
    ) -> None:
        self.batches, self.labels = list(batches), batches.labels
        proto = loaded(model.file.path, model.file.shown)
        names = list(dict.fromkeys([*values, *model.outputs]))
        kinds = Session(with_outputs(proto, names), limits).types
        self.switched = {n: FLOATS[kinds[n]] for n in values if kinds.get(n) in FLOATS}
        outputs = [name for name in model.outputs if kinds.get(name) in FLOATS]
        if not outputs:
            raise QvizError("The model gives no real numbers.", "Its output cannot be compared.")
        self.output = outputs[0]
        self._session = Session(replaceable(proto, constants, self.switched), limits)
        self.reference = self.outputs({})

    @property
    def samples(self) -> int:
        """Number of rows of the output, all batches together."""
        return sum(len(part) for part in self.reference)

    def run(self, name: str, given: Given) -> list[np.ndarray]:
        """A value, batch by batch, while ``given`` stands in place of others."""
        return [
            np.asarray(self._session.run([name], self._feeds(batch, at, given))[0])
            for at, batch in enumerate(self.batches)
        ]

    def outputs(self, given: Given) -> list[np.ndarray]:
        """The first output that holds real numbers."""
        return self.run(then(self.output, self.switched), given)

    def outcome(self, outputs: Iterable[np.ndarray]) -> Outcome:
        """Outputs against the reference, and against the labels where these are known."""
        signal, noise = 0.0, 0.0
        parts = list(outputs)
        for exact, found in zip(self.reference, parts, strict=True):
            x = exact.astype(np.float64)
            signal += float(np.sum(x * x))
            noise += float(np.sum((found - x) ** 2))
        sqnr = float(decibels(np.array([signal]), np.array([noise]))[0])
        value = sqnr if np.isfinite(sqnr) else None
        return Outcome(value, self._accuracy(parts), sqnr == np.inf)

    def _accuracy(self, parts: Sequence[np.ndarray]) -> float | None:
        if self.labels is None or any(part.ndim != 2 for part in parts):
            return None
        chosen = np.concatenate([part.argmax(axis=1) for part in parts])
        return float(np.mean(chosen == self.labels)) if len(chosen) == len(self.labels) else None

    def _feeds(self, batch: Batch, at: int, given: Given) -> Batch:
        feeds, replaced = dict(batch), {name: values[at] for name, values in given.items()}
        for name, kind in self.switched.items():
            used = name in replaced
            feeds[name + USE] = np.array(used)
            feeds[name + GIVEN] = replaced.pop(name) if used else np.zeros((), _DTYPES[kind])
        return feeds | replaced


class One:
    """A model in which one tensor is replaced: a constant, an input, or a value of a node.

    Raises
    ------
    UnknownName
        The model has nothing of this name.
    QvizError
        As of ``Replacing``, or it holds no floats.
    """

    def __init__(self, model: Model, batches: Batches, name: str, limits: Limits) -> None:
        fed = name in [one.name for one in model.inputs]
        stored = name in model.scope.places
        given = any(name in node.outputs for node in model.nodes)
        if not (fed or stored or given):
            raise UnknownName(f"Nothing in {model.file.shown} is called {name!r}.")
        plain = fed or stored
        self.model = Replacing(model, batches, [name] * stored, [] if plain else [name], limits)
        if not plain and name not in self.model.switched:
            raise QvizError(f"{name} holds no real numbers.", "It cannot be replaced.")
        self.name, self._copies = name, len(self.model.batches) if stored else 1
        if stored:
            self._parts = [np.asarray(open_file(model.file.path, model.file.shown)[name])]
        else:
            self._parts = [b[name] for b in self.model.batches] if fed else self.model.run(name, {})

    def outcome(self, content: np.ndarray) -> Outcome:
        """What comes out with this content, all batches of it one after the other.

        Raises
        ------
        QvizError
            It has another number of elements.
        """
        given = {self.name: self._cut(content) * self._copies}
        return self.model.outcome(self.model.outputs(given))

    def _cut(self, content: np.ndarray) -> list[np.ndarray]:
        sizes = [part.size for part in self._parts]
        if content.size != sum(sizes):
            what = f"{self.name} has {sum(sizes):,} elements, not {content.size:,}."
            raise QvizError(what, "All batches are replaced at once.", "")
        flat = np.split(content.reshape(-1), np.cumsum(sizes)[:-1])
        pairs = zip(flat, self._parts, strict=True)
        return [x.astype(part.dtype, copy=False).reshape(part.shape) for x, part in pairs]
