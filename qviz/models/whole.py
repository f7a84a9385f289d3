"""A model whose constants, inputs and values can be replaced, from a place in it on.

Imports onnx and onnxruntime: only processes that run models import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from qviz.errors import QvizError
from qviz.models.alone import Outcome
from qviz.models.cutting import Cuts
from qviz.models.feeds import Batch, Batches
from qviz.models.graph import Switches, loaded, replaceable, with_outputs
from qviz.models.limits import Limits
from qviz.models.model import Model
from qviz.models.outputs import accuracy_of, compared, misfit, samples_of
from qviz.models.points import FLOATS
from qviz.models.seeds import seeded
from qviz.models.session import Session

Given = Mapping[str, Sequence[np.ndarray]]  # name -> what is fed for it, batch by batch
HELD = 512 * 2**20  # bytes of what an end reads of the rest
_DTYPES = {1: "float32", 10: "float16", 11: "float64"}


class Whole:
    """A model and its batches.

    ``floats`` are the values that can be replaced, with their element type; ``output`` is the
    first output that holds real numbers, of several the first to which the labels belong.

    Raises
    ------
    QvizError
        The runtime does not take the model, or nothing that it gives is a float.
    """

    def __init__(self, model: Model, batches: Batches, limits: Limits) -> None:
        self.batches, self.labels = list(batches), batches.labels
        self._limits, self._proto = limits, loaded(model.file.path, model.file.shown)
        self._draws = seeded(self._proto)
        names = [name for node in model.nodes for name in node.outputs if name]
        every = list(dict.fromkeys([*names, *model.outputs]))
        kinds = Session(with_outputs(self._proto, every), limits).types
        self.floats = {n: FLOATS[kinds[n]] for n in names if kinds.get(n) in FLOATS}
        outputs = [name for name in model.outputs if kinds.get(name) in FLOATS]
        if not outputs:
            raise QvizError("The model gives no real numbers.", "Its output cannot be compared.")
        self.output = self._judged(outputs)
        self.cuts = Cuts(self._proto, kinds, self.output)

    def values(self, names: Sequence[str], most: int | None = None) -> dict[str, list[np.ndarray]]:
        """Values of the model as it is, of each batch, or of the first ``most``; one run."""
        if not names:
            return {}
        runs = Runs(with_outputs(self._proto, names), self._limits, draws=self._draws)
        found = runs.run(names, self.batches[:most])
        return dict(zip(names, map(list, zip(*found, strict=True)), strict=True))

    def accuracy(self, outputs: Sequence[np.ndarray]) -> float | None:
        """Share of the samples whose largest output is their label; None without."""
        return accuracy_of(outputs, self.labels)

    def unjudged(self, outputs: Sequence[np.ndarray]) -> str:
        """Why there is no accuracy although labels were given; else empty."""
        return misfit(outputs, self.labels)

    def _judged(self, outputs: Sequence[str]) -> str:
        if self.labels is None or len(outputs) == 1:
            return outputs[0]
        made = self.values(outputs)
        return next((n for n in outputs if not misfit(made[n], self.labels)), outputs[0])

    def sizes(self, names: Sequence[str]) -> dict[str, int]:
        """About how many bytes each of these values has, all batches together."""
        first = self.values(names, most=1)
        return {name: one[0].nbytes * len(self.batches) for name, one in first.items()}

    def end(self, values: Sequence[str], constants: Sequence[str], own: Given | None = None) -> End:
        """The end of the model in which these can be replaced; inputs need not be opened.

        Its outputs are compared to those with ``own`` in place: what the model has there itself.
        It takes a run of the whole model, and one of its own.
        """
        at = self.cuts.place([*values, *constants])
        if sum(self.sizes(self._unknown(at)).values()) > HELD:
            at = 0
        kinds = {name: self.floats[name] for name in values if name in self.floats}
        switches = Switches.of(self._proto, kinds)
        model = replaceable(self.cuts.end(at), constants, switches)
        runs = Runs(model, self._limits, draws=self._draws)
        return End(self, self.known(at), switches, runs, own or {})

    def known(self, at: int) -> list[Batch]:
        """What an end from ``at`` on reads of the rest, batch by batch."""
        live, made = self.cuts.live(at), self.values(self._unknown(at))
        return [
            {name: made[name][k] if name in made else batch[name] for name in live}
            for k, batch in enumerate(self.batches)
        ]

    def _unknown(self, at: int) -> list[str]:
        return [name for name in self.cuts.live(at) if name not in self.batches[0]]


class Runs:
    """Runs of a model over batches; one that draws at random begins anew each time."""

    def __init__(self, model: bytes, limits: Limits, *, draws: bool) -> None:
        self._model, self._limits, self._draws = model, limits, draws
        self._session = Session(model, limits)

    def run(self, names: Sequence[str], feeds: Iterable[Batch]) -> list[list[np.ndarray]]:
        """Values of these names, batch by batch."""
        found = [[np.asarray(value) for value in self._session.run(names, one)] for one in feeds]
        if self._draws:
            self._session = Session(self._model, self._limits)
        return found


class End:
    """A model from a place on, with other content in place of some of its own.

    What it reads of the rest is that of the model as it is. ``reference`` is what it gives as it
    is, or with its ``own`` content given, batch by batch: of float16 the runtime keeps more digits
    from node to node than a value that is fed has.
    """

    def __init__(
        self, whole: Whole, known: Sequence[Batch], switches: Switches, runs: Runs, own: Given
    ) -> None:
        self.whole, self._batches, self._switches, self._runs = whole, known, switches, runs
        self.reference = self.outputs(own)

    @property
    def samples(self) -> int:
        """Number of samples of the output, all batches together."""
        return samples_of(self.reference)

    @property
    def output(self) -> str:
        """Name of the output."""
        return self.whole.output

    def run(self, names: Sequence[str], given: Given) -> list[list[np.ndarray]]:
        """Values, and of each all batches, while ``given`` stands in place of others."""
        feeds = (self._feeds(batch, at, given) for at, batch in enumerate(self._batches))
        return [list(parts) for parts in zip(*self._runs.run(names, feeds), strict=True)]

    def outputs(self, given: Given) -> list[np.ndarray]:
        """The first output that holds real numbers."""
        return self.run([self.result], given)[0]

    @property
    def result(self) -> str:
        """What to ask for in ``run`` for the output, which may be replaced itself."""
        return self._switches.then(self.output)

    def outcome(self, outputs: Iterable[np.ndarray]) -> Outcome:
        """Outputs against the reference, and against the labels where these are known."""
        parts = list(outputs)
        return compared(self.reference, parts, self.whole.accuracy(parts))

    def _feeds(self, batch: Batch, at: int, given: Given) -> Batch:
        feeds, replaced = dict(batch), {name: values[at] for name, values in given.items()}
        for name, kind in self._switches.kinds.items():
            used = name in replaced
            feeds[self._switches.use(name)] = np.array(used)
            content = replaced.pop(name) if used else np.zeros((), _DTYPES[kind])
            feeds[self._switches.given(name)] = content
        return feeds | replaced
