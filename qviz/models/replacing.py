"""A model in which one tensor is replaced, again and again: the work of a child process."""

from __future__ import annotations

import numpy as np

from qviz.errors import QvizError, UnknownName
from qviz.models.alone import Outcome
from qviz.models.feeds import Batches
from qviz.models.limits import Limits, reached
from qviz.models.model import Model
from qviz.models.whole import Whole
from qviz.sources.base import open_file


class One:
    """A model in which one tensor is replaced: a constant, an input, or a value of a node.

    Raises
    ------
    UnknownName
        The model has nothing of this name.
    QvizError
        As of ``Whole``, or it holds no floats.
    """

    def __init__(self, model: Model, batches: Batches, name: str, limits: Limits) -> None:
        fed = name in [one.name for one in model.inputs]
        stored = name in model.scope.places
        given = any(name in node.outputs for node in model.nodes)
        if not (fed or stored or given):
            raise UnknownName(f"Nothing in {model.file.shown} is called {name!r}.")
        whole = Whole(model, batches, limits)
        if not (fed or stored or name in whole.floats):
            raise QvizError(f"{name} holds no real numbers.", "It cannot be replaced.")
        constants, values = [name] * stored, [] if fed or stored else [name]
        self.model = whole.end(values or [name] * fed, constants)
        self.name, self._copies, self._asked = name, len(whole.batches) if stored else 1, 0
        if stored:
            self._parts = [np.asarray(open_file(model.file.path, model.file.shown)[name])]
        else:
            self._parts = [b[name] for b in whole.batches] if fed else whole.values([name])[name]

    def outcome(self, content: np.ndarray) -> Outcome:
        """What comes out with this content, all batches of it one after the other.

        Raises
        ------
        QvizError
            It has another number of elements.
        """
        given = {self.name: self._cut(content) * self._copies}
        found = self.model.outcome(self.model.outputs(given))
        self._asked += 1
        reached(self._asked, steps="runs")
        return found

    def _cut(self, content: np.ndarray) -> list[np.ndarray]:
        sizes = [part.size for part in self._parts]
        if content.size != sum(sizes):
            what = f"{self.name} has {sum(sizes):,} elements, not {content.size:,}."
            raise QvizError(what, "All batches are replaced at once.", "")
        flat = np.split(content.reshape(-1), np.cumsum(sizes)[:-1])
        pairs = zip(flat, self._parts, strict=True)
        return [x.astype(part.dtype, copy=False).reshape(part.shape) for x, part in pairs]
