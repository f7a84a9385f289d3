"""A model in which one tensor is replaced, again and again: the work of a child process."""

from __future__ import annotations

import numpy as np

from qviz import xp
from qviz.errors import QvizError, UnknownName
from qviz.models.alone import Outcome
from qviz.models.feeds import Batches
from qviz.models.limits import Limits, reached
from qviz.models.model import Model
from qviz.models.whole import Whole
from qviz.sources.base import open_file
from qviz.sources.codes import VALUES

DECODES = "DequantizeLinear"


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
        asked, name = name, _own_name(model, name)
        fed = name in [one.name for one in model.inputs]
        stored = name in model.scope.places
        given = any(name in node.outputs for node in model.nodes)
        if not (fed or stored or given):
            raise UnknownName(f"Nothing in {model.file.shown} is called {name!r}.")
        whole = Whole(model, batches, limits)
        if not (fed or stored or name in whole.floats):
            raise QvizError(f"{name} holds no real numbers.", "It cannot be replaced.")
        if stored:
            values, self.model = [_stored(model, name)], whole.end([], [name])
        elif fed:
            values = [batch[name] for batch in whole.batches]
            self.model = whole.end([name], [])
        else:
            values = whole.values([name])[name]
            self.model = whole.end([name], [], {name: values})
        same = stored or name != asked  # in all batches
        self._parts = values[:1] if same else values
        self.name, self._copies, self._asked = name, len(whole.batches) if same else 1, 0

    @property
    def unjudged(self) -> str:
        """Why there is no accuracy although labels were given; else empty."""
        return self.model.whole.unjudged(self.model.reference)

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


def _stored(model: Model, name: str) -> np.ndarray:
    array = open_file(model.file.path, model.file.shown)[name]
    return xp.host(array if isinstance(array, np.ndarray) else xp.working(array))


def _own_name(model: Model, name: str) -> str:
    """What the model itself calls it: reals of codes are what its DequantizeLinear gives.

    Raises
    ------
    QvizError
        The model computes with the codes themselves, or decodes them in several places.
    """
    codes = name.removesuffix(VALUES)
    if codes == name or codes not in model.scope.places or name in model.ops:
        return name
    readers = [node for node in model.nodes if codes in node.inputs]
    decoded = [node.outputs[0] for node in readers if node.op == DECODES]
    if len(readers) == len(decoded) == 1:
        return decoded[0]
    why = "The model reads the codes in several places, or as whole numbers."
    others = f"Name {', '.join([codes, *decoded])}."
    raise QvizError(f"{name} is no one value of the model.", why, others)
