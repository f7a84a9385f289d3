"""The end of a graph from a node on: what it reads of the rest is fed.

Imports onnx: only processes that run models import this module.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import onnx

KINDS = "float double float16 bool int8 uint8 int16 uint16 int32 uint32 int64 uint64"
ELEMENTS = {f"tensor({kind})": onnx.TensorProto.DataType.Value(kind.upper())
            for kind in KINDS.split()}  # fmt: skip


class Cuts:
    """Places at which a graph can be cut so that ``output`` still comes out.

    ``kinds`` are the types of what its nodes give. Constants are in every end.
    """

    def __init__(self, model: onnx.ModelProto, kinds: Mapping[str, str], output: str) -> None:
        self.model, self._kinds, self._output = model, kinds, output
        graph = model.graph
        self._nodes = [node for node in graph.node if node.op_type != "Constant"]
        self._constants = [node for node in graph.node if node.op_type == "Constant"]
        self._reads = [set(_reads(node)) for node in self._nodes]
        self._made = {n: at for at, node in enumerate(self._nodes) for n in node.output if n}
        stored = {*(one.name for one in graph.initializer)}
        stored |= {one.values.name for one in graph.sparse_initializer}
        self._fed = {one.name for one in graph.input} - stored
        self._first: dict[str, int] = {}
        for at, names in enumerate(self._reads):
            for name in names:
                self._first.setdefault(name, at)
        self._sorted = all(
            self._made.get(name, -1) < at for at, names in enumerate(self._reads) for name in names
        )

    def start(self, name: str) -> int:
        """The first node that has to do with a value: it gives it, or reads it."""
        return self._made.get(name, self._first.get(name, 0))

    def place(self, names: Collection[str]) -> int:
        """The last place at which all of these can still be replaced; 0 where none will do."""
        at = min(self.start(name) for name in (*names, self._output))
        cut = self._sorted and self._output in self._made
        return at if cut and all(map(self._feedable, self.live(at))) else 0

    def live(self, at: int) -> list[str]:
        """What the end reads of the rest, inputs of the model among it."""
        read = set().union(*self._reads[at:])
        if at == 0:
            return sorted(self._fed)  # all that the model takes, read or not
        return sorted(n for n in read if n in self._fed or 0 <= self._made.get(n, -1) < at)

    def end(self, at: int) -> onnx.ModelProto:
        """The nodes from ``at`` on, as a model that takes ``live(at)`` and gives the output."""
        made = onnx.ModelProto()
        made.CopyFrom(self.model)
        graph, live = made.graph, set(self.live(at))
        inputs = [one for one in self.model.graph.input if one.name in live - set(self._made)]
        stored = [one for one in self.model.graph.input if one.name not in self._fed]
        del graph.node[:], graph.input[:], graph.output[:]
        graph.node.extend([*self._constants, *self._nodes[at:]])
        graph.input.extend([*inputs, *stored, *map(self._input, sorted(live & set(self._made)))])
        graph.output.append(onnx.ValueInfoProto(name=self._output))
        return made

    def _feedable(self, name: str) -> bool:
        return name in self._fed or self._kinds.get(name) in ELEMENTS

    def _input(self, name: str) -> onnx.ValueInfoProto:
        made = onnx.ValueInfoProto(name=name)
        made.type.tensor_type.elem_type = ELEMENTS[self._kinds[name]]
        return made


def _reads(node: onnx.NodeProto) -> Iterator[str]:
    """Names that a node, or one inside its bodies, reads; those of the bodies' own among them."""
    yield from (name for name in node.input if name)
    for attribute in node.attribute:
        for inner in [attribute.g, *attribute.graphs]:
            yield from (value.name for value in inner.output)
            for one in inner.node:
                yield from _reads(one)
