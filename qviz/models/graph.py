"""Graphs prepared for a run: every value an output, every constant and every value replaceable.

Imports onnx: only processes that run models import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError
from onnx import helper

from qviz.errors import RefusedFile
from qviz.models.constants import opened
from qviz.sources.onnx.wire import CODE

USE, GIVEN, THEN, SAME, STORED = ENDINGS = (" use", " given", " then", " same", " stored")


def loaded(path: Path, shown: str) -> onnx.ModelProto:
    """The model; nothing outside its file is opened. Raises RefusedFile where it is damaged."""
    try:
        return onnx.load_model_from_string(path.read_bytes())
    except (DecodeError, ValueError) as error:
        why = "Its records are not those of a model."
        raise RefusedFile(f"{shown} is damaged.", why, "Export it again.", code=CODE) from error


def with_outputs(model: onnx.ModelProto, names: Iterable[str]) -> bytes:
    """The model with these values as its only outputs."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    del made.graph.output[:]
    made.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    return made.SerializeToString()


@dataclass(frozen=True)
class Switches:
    """Values with a switch behind each (name -> element type), and names around these.

    ``tail`` ends all of them, such that the model itself has none.
    """

    kinds: Mapping[str, int]
    tail: str = ""

    @staticmethod
    def of(model: onnx.ModelProto, kinds: Mapping[str, int]) -> Switches:
        """Switches whose names are not taken in the model."""
        taken = set(_names(model.graph))
        tails = (f" {at}" if at else "" for at in count())
        return Switches(kinds, next(tail for tail in tails if _free(tail, taken)))

    def use(self, name: str) -> str:
        """Input: whether what is given stands in place of a value."""
        return name + USE + self.tail

    def given(self, name: str) -> str:
        """Input: what is given for a value."""
        return name + GIVEN + self.tail

    def then(self, name: str) -> str:
        """What others read of a value."""
        return name + THEN + self.tail if name in self.kinds else name


def replaceable(model: onnx.ModelProto, constants: Sequence[str], switches: Switches) -> bytes:
    """The model in which constants and values can be given another content at each run.

    Each of ``constants`` becomes an input that may be left out. Behind each value of ``switches``
    stands an If that hands on what was given, or the value: to all that read it, bit for bit (a
    Where would lose the sign of zeros). Outputs are those of the model, as read, and the values
    themselves.
    """
    made = onnx.ModelProto()
    made.CopyFrom(model)
    graph, outputs = made.graph, [value.name for value in model.graph.output]
    made.ir_version = max(made.ir_version, 4)  # from which constants need not be inputs
    cast = opened(graph, set(constants))
    read = {name: name + STORED + switches.tail for name in cast}
    nodes = [helper.make_node("Cast", [n], [read[n]], to=kind) for n, kind in cast.items()]
    read |= {name: switches.then(name) for name in switches.kinds}
    for node in graph.node:
        _read_results(node, read)
        nodes.append(node)
        nodes += [_switch(graph, name, switches) for name in node.output if name in switches.kinds]
    kept = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(kept)
    del graph.output[:]
    wanted = [*map(switches.then, outputs), *switches.kinds]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(wanted))
    return made.SerializeToString()


def _switch(graph: onnx.GraphProto, name: str, switches: Switches) -> onnx.NodeProto:
    use = helper.make_tensor_value_info(switches.use(name), onnx.TensorProto.BOOL, [])
    given = onnx.ValueInfoProto(name=switches.given(name))
    given.type.tensor_type.elem_type = switches.kinds[name]
    # of any shape: a single value while it is not used
    graph.input.extend([use, given])
    given, own = (_same(n, name, switches) for n in (given.name, name))
    outputs = [switches.then(name)]
    return helper.make_node("If", [use.name], outputs, then_branch=given, else_branch=own)


def _same(read: str, name: str, switches: Switches) -> onnx.GraphProto:
    """A branch that gives what it reads of the graph around it."""
    given = onnx.ValueInfoProto(name=read + SAME + switches.tail)
    given.type.tensor_type.elem_type = switches.kinds[name]
    return helper.make_graph(
        [helper.make_node("Identity", [read], [given.name])], "same", [], [given]
    )


def _read_results(node: onnx.NodeProto, read: Mapping[str, str]) -> None:
    for at, name in enumerate(node.input):
        node.input[at] = read.get(name, name)
    for attribute in node.attribute:
        for inner in [attribute.g, *attribute.graphs]:
            for one in inner.node:
                _read_results(one, read)


def _free(tail: str, taken: Iterable[str]) -> bool:
    own = tuple(ending + tail for ending in ENDINGS)
    return not any(name.endswith(own) for name in taken)


def _names(graph: onnx.GraphProto) -> Iterator[str]:
    """All names in a graph and in the bodies of its nodes."""
    sparse = [one.values for one in graph.sparse_initializer]
    yield from (one.name for one in [*graph.input, *graph.output, *graph.initializer, *sparse])
    for node in graph.node:
        yield from [*node.input, *node.output]
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from _names(inner)
