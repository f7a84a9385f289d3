"""Runs a model with one tensor quantized, or all up to one: the work of the child process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from qviz.errors import QvizError, RefusedFile
from qviz.models.alone import Alone, Outcome, Sensitivity
from qviz.models.fake import fake_quantized
from qviz.models.feeds import Batches
from qviz.models.limits import Limits
from qviz.models.model import Model, activation_axis
from qviz.models.points import WEIGHT, Point, points
from qviz.models.replacing import Given, Replacing
from qviz.models.scheme import Schemes
from qviz.sources.base import TensorSource, open_file

Told = Callable[[int, int], None]
PATHS = 64  # tensors up to which the path through the network is walked
BUT = 16  # tensors up to which it is walked once more without each of them


class Trials:
    """A model whose tensors are quantized under schemes, some at a time.

    Raises
    ------
    QvizError
        The runtime does not take the model, or nothing that it gives is a float.
    """

    def __init__(self, model: Model, batches: Batches, schemes: Schemes, limits: Limits) -> None:
        self.model, self.schemes = model, schemes
        self.source = _constants(model)
        found = points(model, self.source)
        weights = [p.name for p in found if p.role == WEIGHT]
        values = [p.name for p in found if p.role != WEIGHT and not p.fed]
        self._replacing = Replacing(model, batches, weights, values, limits)
        there = self._replacing.switched
        self.points = [p for p in found if p.name in there or p.fed or p.role == WEIGHT]

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
        runs = self._replacing
        whole = runs.outcome(runs.reference)
        return Sensitivity(tuple(rows), whole.accuracy, runs.samples, runs.output)

    def _alone(self, point: Point) -> tuple[Outcome, str]:
        try:
            return self._outcome(self._replaced(point, {})), ""
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
            found.append(self._outcome(given))
        return found

    def _outcome(self, given: Given) -> Outcome:
        return self._replacing.outcome(self._replacing.outputs(given))

    def _replaced(self, point: Point, given: Given) -> Given:
        """What to feed for a point, which is quantized as it comes out under ``given``."""
        scheme = self.schemes.of(point.role)
        batches = self._replacing.batches
        if point.role == WEIGHT:
            stored = np.asarray(self.source[point.name]) if self.source else np.zeros(0)
            target = scheme.target(self.model.channel_axis(point.name, stored.ndim))
            made = fake_quantized([stored], scheme.observer, target)
            return {point.name: made * len(batches)}
        values = [batch[point.name] for batch in batches] if point.fed else None
        values = values or self._replacing.run(point.name, given)
        target = scheme.target(activation_axis(point.op, values[0].ndim))
        return {point.name: fake_quantized(values, scheme.observer, target)}


def _constants(model: Model) -> TensorSource | None:
    try:
        return open_file(model.file.path, model.file.shown)
    except RefusedFile:  # a model without constants
        return None
