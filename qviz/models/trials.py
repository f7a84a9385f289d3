"""Runs a model with one tensor quantized, or all up to one: the work of the child process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from qviz.errors import QvizError, RefusedFile
from qviz.metrics.base import decibels
from qviz.models.alone import Alone, Outcome, Sensitivity
from qviz.models.fake import fake_quantized
from qviz.models.feeds import Batch, Batches
from qviz.models.graph import GIVEN, USE, loaded, replaceable, then, with_outputs
from qviz.models.limits import Limits
from qviz.models.model import Model, activation_axis
from qviz.models.points import FLOATS, WEIGHT, Point, points
from qviz.models.scheme import Schemes
from qviz.models.session import Session
from qviz.sources.base import TensorSource, open_file

Told = Callable[[int, int], None]
PATHS = 64  # tensors up to which the path through the network is walked
BUT = 16  # tensors up to which it is walked once more without each of them
Given = dict[str, list[np.ndarray]]  # name -> what is fed for it, batch by batch


class Trials:
    """A model whose constants and values can be replaced.

    Raises
    ------
    QvizError
        The runtime does not take the model, or nothing that it gives is a float.
    """

    def __init__(self, model: Model, batches: Batches, schemes: Schemes, limits: Limits) -> None:
        self.model, self.schemes, self.labels = model, schemes, batches.labels
        self.source = _constants(model)
        found = points(model, self.source)
        self._batches = list(batches)
        proto = loaded(model.file.path, model.file.shown)
        given = [p.name for p in found if p.role != WEIGHT and not p.fed]
        names = list(dict.fromkeys([*given, *model.outputs]))
        kinds = Session(with_outputs(proto, names), limits).types
        self._switched = {n: FLOATS[kinds[n]] for n in given if kinds.get(n) in FLOATS}
        self.points = [p for p in found if p.name in self._switched or p.fed or p.role == WEIGHT]
        outputs = [name for name in model.outputs if kinds.get(name) in FLOATS]
        if not outputs:
            raise QvizError("The model gives no real numbers.", "Its output cannot be compared.")
        self.output = outputs[0]
        constants = [p.name for p in self.points if p.role == WEIGHT]
        self._session = Session(replaceable(proto, constants, self._switched), limits)
        self._reference = self._outputs({})

    def sensitivity(self, told: Told) -> Sensitivity:
        """Each tensor alone, all up to it, and all but it, in network order."""
        walks = len(self.points) * (len(self.points) <= BUT)
        steps, rows = len(self.points) + walks + 1, []
        upto = self._path(self.points) if len(self.points) <= PATHS else []
        for done, point in enumerate(self.points):
            told(done, steps)
            alone, note = self._alone(point)
            rows.append(Alone(point.name, point.role, point.op, alone, note=note))
        pairs = zip(rows, upto, strict=True)
        rows = [r if r.note else r.with_upto(found) for r, found in pairs] if upto else rows
        for done in range(walks):
            told(len(rows) + done, steps)
            others = [p for p in self.points if p is not self.points[done]]
            if not rows[done].note:
                rows[done] = rows[done].with_but((self._path(others) or [None])[-1])
        told(steps, steps)
        whole = self._outcome(self._reference)
        samples = sum(len(part) for part in self._reference)
        return Sensitivity(tuple(rows), whole.accuracy, samples, self.output)

    def _alone(self, point: Point) -> tuple[Outcome, str]:
        try:
            return self._outcome(self._outputs(self._replaced(point, {}))), ""
        except RefusedFile:
            raise
        except QvizError as error:
            return Outcome(), str(error)

    def _path(self, some: Sequence[Point]) -> list[Outcome]:
        """What comes out when all of the points up to each are quantized."""
        given: Given = {}
        found = []
        for point in some:
            try:
                given |= self._replaced(point, given)
            except QvizError:
                found.append(found[-1] if found else Outcome())
                continue
            found.append(self._outcome(self._outputs(given)))
        return found

    def _replaced(self, point: Point, given: Given) -> Given:
        """What to feed for a point, which is quantized as it comes out under ``given``."""
        scheme = self.schemes.of(point.role)
        if point.role == WEIGHT:
            stored = np.asarray(self.source[point.name]) if self.source else np.zeros(0)
            target = scheme.target(self.model.channel_axis(point.name, stored.ndim))
            made = fake_quantized([stored], scheme.observer, target)
            return {point.name: made * len(self._batches)}
        values = [batch[point.name] for batch in self._batches] if point.fed else None
        values = values or self._run(point.name, given)
        target = scheme.target(activation_axis(point.op, values[0].ndim))
        return {point.name: fake_quantized(values, scheme.observer, target)}

    def _outputs(self, given: Given) -> list[np.ndarray]:
        return self._run(then(self.output, self._switched), given)

    def _run(self, name: str, given: Given) -> list[np.ndarray]:
        return [
            np.asarray(self._session.run([name], self._feeds(batch, at, given))[0])
            for at, batch in enumerate(self._batches)
        ]

    def _feeds(self, batch: Batch, at: int, given: Given) -> Batch:
        feeds, replaced = dict(batch), {name: values[at] for name, values in given.items()}
        for name, kind in self._switched.items():
            used = name in replaced
            feeds[name + USE] = np.array(used)
            feeds[name + GIVEN] = replaced.pop(name) if used else np.zeros((), _DTYPES[kind])
        return feeds | replaced

    def _outcome(self, outputs: Iterable[np.ndarray]) -> Outcome:
        signal, noise, right = 0.0, 0.0, 0
        parts = list(outputs)
        for exact, found in zip(self._reference, parts, strict=True):
            x = exact.astype(np.float64)
            signal += float(np.sum(x * x))
            noise += float(np.sum((found - x) ** 2))
        sqnr = float(decibels(np.array([signal]), np.array([noise]))[0])
        lossless = sqnr == np.inf
        value = sqnr if np.isfinite(sqnr) else None
        if self.labels is None or any(part.ndim != 2 for part in parts):
            return Outcome(value, None, lossless)
        chosen = np.concatenate([part.argmax(axis=1) for part in parts])
        if len(chosen) != len(self.labels):
            return Outcome(value, None, lossless)
        right = float(np.mean(chosen == self.labels))
        return Outcome(value, right, lossless)


_DTYPES = {1: "float32", 10: "float16", 11: "float64"}


def _constants(model: Model) -> TensorSource | None:
    try:
        return open_file(model.file.path, model.file.shown)
    except RefusedFile:  # a model without constants
        return None
