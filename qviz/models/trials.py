"""Runs a model with one tensor quantized, or all up to one: the work of the child process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from qviz.errors import QvizError, RefusedFile
from qviz.models.alone import Alone, Outcome, Sensitivity
from qviz.models.amount import BUT, PATHS, pieces_of, steps_of
from qviz.models.fake import fake_quantized
from qviz.models.feeds import Batches
from qviz.models.limits import Limits
from qviz.models.model import Model
from qviz.models.outputs import samples_of
from qviz.models.points import WEIGHT, Point, points
from qviz.models.scheme import Schemes
from qviz.models.whole import End, Given, Whole
from qviz.sources.base import TensorSource, open_file

Values = list[np.ndarray]  # of one tensor, batch by batch
Told = Callable[[int, int], None]
Took = Callable[[Alone], None]
Step = Callable[[], None]
HELD = 256 * 2**20  # bytes of values that are held at once, of several tensors
SPREAD = 4  # of a long network every fourth tensor is tried first


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
        self.whole = Whole(model, batches, limits)
        found, there = points(model, self.source), self.whole.floats
        self.points = [p for p in found if p.name in there or p.fed or p.role == WEIGHT]
        self._weights: dict[str, Values] = {}

    @cached_property
    def begun(self) -> Sensitivity:
        """All tensors, none of them tried."""
        name = self.whole.output
        outputs = self.whole.values([name])[name]
        rows = tuple(Alone.pending(p.name, p.role, p.op) for p in self.points)
        judged = self.whole.accuracy(outputs), samples_of(outputs), name
        return Sensitivity(rows, *judged, unjudged=self.whole.unjudged(outputs))

    def sensitivity(self, told: Told, took: Took = lambda _: None) -> Sensitivity:
        """Each tensor alone, all up to it, and all but it; ``took`` gets each row, also anew."""
        found, steps, done = self.begun, steps_of(len(self.points)), 0
        rows: dict[str, Alone] = {}

        def step() -> None:
            nonlocal done
            told(done, steps)
            done += 1

        for row in self._each_alone(step):
            rows[row.name] = row
            took(row)
        for row in self._walked(rows, step):
            rows[row.name] = row
            took(row)
        told(steps, steps)
        return found.with_rows(rows.values())

    def _each_alone(self, step: Step) -> Iterator[Alone]:
        """In two rounds over a long network, parts far from each other first.

        So what is done early lies all over it, and a loss is seldom that of one tensor only: its
        neighbours show where to look.
        """
        if len(self.points) <= PATHS:
            rounds = [self.points]
        else:
            rest = [p for at, p in enumerate(self.points) if at % SPREAD]
            rounds = [self.points[::SPREAD], rest]
        for some in rounds:
            ordered = sorted(some, key=lambda point: self.whole.cuts.start(point.name))
            size = max(1, -(-len(ordered) // pieces_of(len(ordered))))
            for at in _far_apart(-(-len(ordered) // size)):
                yield from self._tried(ordered[at * size : (at + 1) * size], step)

    def _tried(self, some: Sequence[Point], step: Step) -> Iterator[Alone]:
        """Tensors that follow each other, tried in the end of the network from the first on."""
        end = self._end(some)
        for part, values in self._held(end, some):
            for point in part:
                step()
                outcome, note = Outcome(), ""
                try:
                    made = self._made(point, values.pop(point.name, None))
                    outcome = end.outcome(end.outputs({point.name: made}))
                except RefusedFile:
                    raise
                except QvizError as error:
                    note = str(error)
                yield Alone(point.name, point.role, point.op, outcome, note=note)

    def _held(
        self, end: End, some: Sequence[Point]
    ) -> Iterator[tuple[list[Point], dict[str, Values]]]:
        """The same in parts, with as many values, as the end has them, as may be held at once."""
        sizes = self.whole.sizes([p.name for p in some if self._given(p)])
        part: list[Point] = []
        for at, point in enumerate(some):
            part.append(point)
            after = some[at + 1].name if at + 1 < len(some) else None
            held = sum(sizes.get(name, 0) for name in (*(p.name for p in part), after) if name)
            if after is None or held > HELD:
                names = [p.name for p in part if self._given(p)]
                yield part, dict(zip(names, end.run(names, {}), strict=True)) if names else {}
                part = []

    def _walked(self, rows: dict[str, Alone], step: Step) -> Iterator[Alone]:
        """The same rows with what all up to each come to, and all but it."""
        if not rows or len(self.points) > PATHS:
            return
        end = self._end(self.points)
        befores: list[Given] = [{}]
        upto: list[Outcome] = []
        for given, outcome in self._path(end, self.points, {}, step):
            befores.append(given)
            upto.append(outcome)
        for point, outcome in zip(self.points, upto, strict=True):
            row = rows[point.name]
            yield row if row.note else row.with_upto(outcome)
        if len(self.points) > BUT:
            return
        for at, point in enumerate(self.points):
            step()
            row = rows[point.name]
            others = [o for _, o in self._path(end, self.points[at + 1 :], befores[at])]
            before = upto[at - 1] if at else None
            if not row.note:
                yield row.with_but(others[-1] if others else before)

    def _path(
        self, end: End, some: Sequence[Point], given: Given, step: Step = lambda: None
    ) -> Iterator[tuple[Given, Outcome]]:
        """What is given, and comes out, when all of the points up to each are quantized, too."""
        names = [p.name for p in some[:1] if self._given(p)]
        values = end.run(names, given) if names else []
        for at, point in enumerate(some):
            step()
            try:
                given = {**given, point.name: self._made(point, *values)}
            except QvizError:
                pass  # it stays as it is; its row says why
            names = [p.name for p in some[at + 1 : at + 2] if self._given(p)]
            outputs, *values = end.run([end.result, *names], given)
            yield given, end.outcome(outputs)

    def _end(self, some: Sequence[Point]) -> End:
        weights = [p.name for p in some if p.role == WEIGHT]
        return self.whole.end([p.name for p in some if p.name not in weights], weights)

    def _given(self, point: Point) -> bool:
        return point.role != WEIGHT and not point.fed

    def _made(self, point: Point, values: Values | None = None) -> Values:
        """What to feed for a point that is quantized."""
        scheme, batches = self.schemes.of(point.role), self.whole.batches
        if point.role == WEIGHT:
            if point.name not in self._weights:
                stored = np.asarray(self.source[point.name]) if self.source else np.zeros(0)
                target = scheme.target(self.model.channel_axis(point.name, stored.ndim))
                self._weights[point.name] = fake_quantized([stored], scheme.observer, target)
            return self._weights[point.name] * len(batches)
        if values is None:
            values = [batch[point.name] for batch in batches]
        target = scheme.target(self.model.value_axis(point.name, values[0].ndim))
        made = fake_quantized(values, scheme.observer, target)
        return [y.reshape(x.shape) for x, y in zip(values, made, strict=True)]  # of single values


def _far_apart(count: int) -> list[int]:
    """The first whole numbers by their bits, reversed: neighbours are far from each other."""
    return sorted(range(count), key=lambda at: f"{at:016b}"[::-1])


def _constants(model: Model) -> TensorSource | None:
    try:
        return open_file(model.file.path, model.file.shown)
    except RefusedFile:  # a model without constants
        return None
